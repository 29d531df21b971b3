import { AppError } from "../domain/errors.ts";
import { SystemClock } from "../ops/system-clock.ts";
import type { Terminal } from "./terminal.ts";

/** Fast enough for live output, negligible load on a Raspberry Pi. */
const POLL_INTERVAL_MS = 500;

/**
 * Polls until the process is stopped, its standard output is closed, or the caller aborts. If the daemon stops responding
 * after the first poll, reports it once and retries: it may be restarting.
 * @throws AppError as the first poll
 */
export async function pollUntilSignal(
  poll: () => Promise<void>,
  { stdout, stderr, untilSignal }: Pick<Terminal, "stdout" | "stderr" | "untilSignal">,
  over = new AbortController(),
): Promise<void> {
  const clock = new SystemClock();
  const end = (): void => over.abort();
  void untilSignal().then(end);
  stdout.once("error", end).once("close", end);
  const ended = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));
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
    await Promise.race([pause, ended]);
    cancel();
  }
}
