import { fallbackAddress } from "../config/fallback-address.ts";
import { configurationToRun } from "../config/last-good.ts";
import type { LoadOptions } from "../config/load.ts";
import { AppError } from "../domain/errors.ts";
import { SafeModeServer } from "../http/safe-mode.ts";
import { JsonLog } from "../ops/log.ts";
import { SystemClock } from "../ops/system-clock.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Serves a page that names the mistakes of the configuration, until the process is asked to end. For a service whose
 * daemon cannot start: whoever opens the panel's address reads what is to be mended.
 * @throws AppError `busy` when the address cannot be had, as while the daemon runs
 */
export async function safeMode(file: string | undefined, terminal: Terminal): Promise<void> {
  const options = { file, env: terminal.env, cwd: terminal.cwd };
  const { host, port, names } = fallbackAddress(options);
  const server = new SafeModeServer(() => mistakesOf(options), names);
  const log = new JsonLog({
    level: "info",
    clock: new SystemClock(),
    write: (line) => void terminal.stdout.write(line),
  });
  const asked = terminal.untilSignal();
  log.warn("safe-mode", { ...(await server.start(host, port)), mistakes: mistakesOf(options) });
  await asked;
  await server.stop();
}

/** Read anew for each look, so that the page follows the editor. */
function mistakesOf(options: LoadOptions): string | null {
  try {
    return configurationToRun(options).fault;
  } catch (error) {
    if (error instanceof AppError) return error.hint ? `${error.message}\n${error.hint}` : error.message;
    throw error;
  }
}
