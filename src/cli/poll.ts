import { AppError } from "../domain/errors.ts";
import type { Clock } from "../domain/clock.ts";
import { SystemClock } from "../ops/system-clock.ts";
import type { Terminal } from "./terminal.ts";

/** Fast enough for live output, negligible load on a Raspberry Pi. */
const POLL_INTERVAL_MS = 500;

/**
 * Polls until the process is stopped or its standard output is closed. If the daemon stops responding after the first
 * poll, reports it once and retries: it may be restarting.
 * @throws AppError as the first poll
 */
export async function pollUntilSignal(
  poll: () => Promise<void>,
  { stdout, stderr, untilSignal }: Terminal,
  clock: Clock = new SystemClock(),
): Promise<void> {
  const over = new AbortController();
  const end = (): void => over.abort();
  const stopped = untilSignal().then(end);
  const outputClosed = new Promise<void>((resolve) => {
    stdout.once("error", () => resolve());
    stdout.once("close", () => resolve());
  }).then(end);
  let reported = "";
  for (let isFirst = true; !over.signal.aborted; isFirst = false) {
    try {
      await poll();
      reported = "";
    } catch (error) {
      if (isFirst || !(error instanceof AppError)) throw error;
      if (reported !== error.message) stderr.write(`${error.message}; retrying\n`);
      reported = error.message;
    }
    let cancel = (): void => {};
    const pause = new Promise<void>((resolve) => {
      cancel = clock.after(POLL_INTERVAL_MS, resolve);
    });
    await Promise.race([pause, stopped, outputClosed]);
    cancel();
  }
}
