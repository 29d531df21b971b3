import { dataDirectories, configurationToRun } from "../config/last-good.ts";
import { findFile, type LoadOptions } from "../config/load.ts";
import { AppError } from "../domain/errors.ts";
import { ControlClient } from "./control-client.ts";

/** A response of the running daemon, with the errors of the configuration file. */
export interface DaemonAnswer<T> {
  readonly answer: T;
  /** Errors of the file, one per line as `file:line:col: …`; null if it is valid. */
  readonly fault: string | null;
}

/**
 * Asks the running daemon, also if the configuration file is invalid and its last good configuration is missing or cannot be
 * read by this user: the daemon runs with what it has read at its start, and its state is what an operator needs then.
 * @throws AppError `configuration` or `no-input` if the file is invalid and no daemon responds; as `ControlClient` otherwise
 */
export async function askRunningDaemon<T>(from: LoadOptions, path: string): Promise<DaemonAnswer<T>> {
  const { dataDirs, error } = possibleDaemons(from);
  let refused: unknown;
  for (const dataDir of dataDirs)
    try {
      return { answer: await new ControlClient(dataDir).get<T>(path), fault: error && error.text };
    } catch (cause) {
      if (!(cause instanceof AppError)) throw cause;
      refused ??= cause;
    }
  throw error ?? refused;
}

/** The data directories to try, and what is wrong with the file. */
function possibleDaemons(from: LoadOptions): {
  readonly dataDirs: readonly string[];
  readonly error: AppError | null;
} {
  const file = findFile(from);
  try {
    const { config, fault } = configurationToRun(from);
    return {
      dataDirs: [config.dataDir],
      error: fault === null ? null : new AppError("configuration", fault),
    };
  } catch (error) {
    if (!(error instanceof AppError) || file === null) throw error;
    return { dataDirs: [...new Set(dataDirectories(file, from))], error };
  }
}
