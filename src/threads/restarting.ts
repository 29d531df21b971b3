import { type Clock, pause } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";

/**
 * Waits for a call that a thread needs only while it runs: its next start does the same with the configuration in force.
 * @returns whether it ran
 */
export async function unlessRestarting(call: Promise<void> | undefined): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (!isRestarting(error)) throw error;
    return false;
  }
}

/** Interval of asking a thread that is being started again, and its limit: later the watchdog restarts the process. */
const RESTARTING_INTERVAL_MS = 250;
const RESTARTING_MS_MAX = 20_000;

/**
 * Repeats a call that must not be lost while its thread is being started again.
 * @param assertRunning throws to end the wait
 */
export async function onceRestarted<T>(
  call: () => Promise<T>,
  { clock, assertRunning }: { readonly clock: Clock; readonly assertRunning: () => void },
): Promise<T> {
  const endMs = clock.monotonicMs() + RESTARTING_MS_MAX;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isRestarting(error) || clock.monotonicMs() >= endMs) throw error;
    }
    await pause(clock, RESTARTING_INTERVAL_MS);
    assertRunning();
  }
}

function isRestarting(error: unknown): boolean {
  return error instanceof AppError && error.code === "unavailable";
}
