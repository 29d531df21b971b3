import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";

/** A period by the wall clock, milliseconds since 1970. */
interface Period {
  readonly sinceWallMs: number;
  readonly untilWallMs: number;
}

/** End of a period by the monotonic clock; a wall clock that was set back does not make it longer. */
export function monotonicEndOf(clock: Clock, { sinceWallMs, untilWallMs }: Period): number {
  const remainingMs = Math.min(untilWallMs - clock.wallMs(), untilWallMs - sinceWallMs);
  return clock.monotonicMs() + Math.max(0, remainingMs);
}

/**
 * A period that began before the wall clock was trusted or set, with its times by the present clock. Its length is the same.
 * @param endsAtMs its end by the monotonic clock
 */
export function datedPeriod<P extends Period>(clock: Clock, period: P, endsAtMs: number): P {
  const untilWallMs = Math.round(clock.wallMs() + endsAtMs - clock.monotonicMs());
  return { ...period, sinceWallMs: untilWallMs - (period.untilWallMs - period.sinceWallMs), untilWallMs };
}

/** Begins of earlier runs may be some seconds ahead without a step of the clock. */
const AHEAD_MS = 30_000;

/** Whether a period began while the clock was ahead, in this run or an earlier one: it would begin again at each restart. */
export function isFromFuture(clock: Clock, { sinceWallMs }: Period): boolean {
  return sinceWallMs - clock.wallMs() > AHEAD_MS;
}

/** @throws AppError `invalid` */
export function assertMinutes(minutes: number, max: number): void {
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > max)
    throw new AppError("invalid", `minutes must be a whole number from 1 to ${max}`);
}
