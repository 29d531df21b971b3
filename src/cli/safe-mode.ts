import { fallbackAddress } from "../config/fallback-address.ts";
import { configurationToRun } from "../config/last-good.ts";
import type { LoadOptions } from "../config/load.ts";
import { isCredentialOfService } from "../config/service-credentials.ts";
import { AppError } from "../domain/errors.ts";
import { SafeModeServer } from "../http/safe-mode.ts";
import { JsonLog } from "../ops/log.ts";
import { SystemClock } from "../ops/system-clock.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Serves a page with the configuration errors at the panel's address until the process is stopped, for a daemon that
 * cannot start.
 * @throws AppError `busy` if the address is in use, for example by the daemon
 */
export async function safeMode(options: LoadOptions, terminal: Terminal): Promise<void> {
  const { host, port, names } = fallbackAddress(options);
  const server = new SafeModeServer(() => configurationErrors(options), names);
  const log = new JsonLog({
    level: "info",
    clock: new SystemClock(),
    write: (line) => void terminal.stdout.write(line),
  });
  const stopped = terminal.untilSignal();
  log.warn("safe-mode", { ...(await server.start(host, port)), errors: configurationErrors(options) });
  await stopped;
  await server.stop();
}

/** Read for each request, so that the page follows edits of the file. */
function configurationErrors(options: LoadOptions): string | null {
  try {
    return configurationToRun({ role: "site", isElsewhere: isCredentialOfService, ...options }).fault;
  } catch (error) {
    if (error instanceof AppError) return error.text;
    throw error;
  }
}
