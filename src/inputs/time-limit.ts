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

/** @throws AppError `invalid` */
export function assertMinutes(minutes: number, max: number): void {
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > max)
    throw new AppError("invalid", `minutes must be a whole number from 1 to ${max}`);
}
