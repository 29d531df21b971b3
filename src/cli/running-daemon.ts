import type { Config } from "../config/config.ts";
import { dataDirectories, directoriesUsedWith } from "../config/data-directories.ts";
import { configurationToRun } from "../config/last-good.ts";
import { findFile, type LoadOptions } from "../config/load.ts";
import { AppError } from "../domain/errors.ts";
import { ControlClient } from "./control-client.ts";
import { noticeEmbedded } from "./embedded-notice.ts";
import type { Terminal } from "./terminal.ts";

/** A response of the running daemon, with the errors of the configuration file. */
export interface DaemonAnswer<T> {
  readonly answer: T;
  /** Errors of the file, one per line as `file:line:col: …`; null if it is valid. */
  readonly fault: string | null;
}

/** Where the daemon of a configuration file may be. */
interface PossibleDaemons {
  /** Of the file, or the last good one; undefined if neither can be used. */
  readonly config: Config | undefined;
  readonly dataDirs: readonly string[];
  /** What is wrong with the file; null if it is valid. */
  readonly error: AppError | null;
}

/**
 * Asks the running daemon, also if the configuration file is invalid and its last good configuration is missing or cannot be
 * read by this user, or if its `dataDir` has been changed: the daemon runs with what it has read at its start, and its state is
 * what an operator needs then.
 * @param ask asks the daemon; called again for the next possible directory if there is none
 * @throws AppError `configuration` or `no-input` if the file is invalid and no daemon responds; as `ControlClient` otherwise
 */
export async function askRunningDaemon<T>(
  { dataDirs, error }: PossibleDaemons,
  ask: (client: ControlClient) => Promise<T>,
): Promise<DaemonAnswer<T>> {
  let unreachable: unknown;
  for (const dataDir of dataDirs)
    try {
      return { answer: await ask(new ControlClient(dataDir)), fault: error && error.text };
    } catch (cause) {
      if (!isUnreachable(cause)) throw cause;
      unreachable ??= cause;
    }
  throw error ?? unreachable;
}

/**
 * The data directories to try, and what is wrong with the file.
 * @throws AppError as `configurationToRun` without a file, and as `findFile`
 */
export function possibleDaemons(from: LoadOptions, terminal: Terminal): PossibleDaemons {
  const file = findFile(from);
  try {
    const { config, fault } = configurationToRun(from);
    noticeEmbedded(config, terminal);
    const earlier = file === null ? [] : directoriesUsedWith(file, from);
    const error = fault === null ? null : new AppError("configuration", fault);
    return { config, dataDirs: [...new Set([config.dataDir, ...earlier])], error };
  } catch (error) {
    if (!(error instanceof AppError) || file === null) throw error;
    return { config: undefined, dataDirs: [...new Set(dataDirectories(file, from))], error };
  }
}

/**
 * The error of a command that has not reached the daemon of this file, with the remedy if the daemon runs with an earlier
 * `dataDir`; any other error is returned unchanged.
 */
export async function explained(
  error: unknown,
  from: LoadOptions,
  { file, dataDir }: Config,
): Promise<unknown> {
  if (!isUnreachable(error) || file === null) return error;
  for (const other of directoriesUsedWith(file, from)) {
    if (other !== dataDir && (await isRunningIn(other)))
      return new AppError(error.code, error.message, {
        hint: `The daemon of ${file} runs with its data in ${other}: dataDir has been changed since its start, and a restart applies that.`,
        cause: error,
      });
  }
  return error;
}

async function isRunningIn(dataDir: string): Promise<boolean> {
  try {
    await new ControlClient(dataDir).text("/site/status");
    return true;
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    return false;
  }
}

function isUnreachable(error: unknown): error is AppError {
  return error instanceof AppError && ["daemon-unreachable", "no-permission"].includes(error.code);
}
