import { AppError } from "../domain/errors.ts";
import type { Clock } from "../domain/clock.ts";
import { SystemClock } from "../ops/system-clock.ts";
import type { Terminal } from "./terminal.ts";

/** Twice a second is live to the eye and costs a Pi nothing. */
const POLL_INTERVAL_MS = 500;

/**
 * Looks again and again until the process is asked to end or nobody takes what it writes any more. A daemon that stops
 * answering after the first look is told once and waited for, because it may only be restarting.
 * @throws AppError what the first look throws
 */
export async function pollUntilSignal(
  look: () => Promise<void>,
  { stdout, stderr, untilSignal }: Terminal,
  clock: Clock = new SystemClock(),
): Promise<void> {
  const over = new AbortController();
  const end = (): void => over.abort();
  const asked = untilSignal().then(end);
  const readerGone = new Promise<void>((resolve) => {
    stdout.once("error", () => resolve());
    stdout.once("close", () => resolve());
  }).then(end);
  let complaint = "";
  for (let isFirst = true; !over.signal.aborted; isFirst = false) {
    try {
      await look();
      complaint = "";
    } catch (error) {
      if (isFirst || !(error instanceof AppError)) throw error;
      if (complaint !== error.message) stderr.write(`${error.message}; waiting for it\n`);
      complaint = error.message;
    }
    let cancel = (): void => {};
    const pause = new Promise<void>((resolve) => {
      cancel = clock.after(POLL_INTERVAL_MS, resolve);
    });
    await Promise.race([pause, asked, readerGone]);
    cancel();
  }
}
