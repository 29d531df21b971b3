import type { Clock } from "../domain/clock.ts";
import type { Actor } from "../domain/event.ts";
import type { WalkTest } from "../store/walk-tests.ts";
import type { ClockChange } from "./clock-changes.ts";
import { datedPeriod, monotonicEndOf } from "./time-limit.ts";

/** A walk test that runs, or has ended and whose result is not stored yet. */
export interface RunningTest {
  /** With the time of its end once a user has ended it: it is over then, and only its result is not stored yet. */
  readonly test: WalkTest;
  /** By the monotonic clock. */
  readonly endsAtMs: number;
  readonly endedBy: Actor;
  /** Whether it was read from the journal at the start, so that only the wall clock tells its end. */
  readonly isResumed: boolean;
}

/** A test that ends when its time is over. @param endedBy recorded then as the one who has ended it */
export function runningTest(
  clock: Clock,
  test: WalkTest,
  { endedBy, isResumed }: Pick<RunningTest, "endedBy" | "isResumed">,
): RunningTest {
  return { test, endsAtMs: monotonicEndOf(clock, test), endedBy, isResumed };
}

/**
 * A test after a change of the wall clock. A resumed one ends earlier if its time is over by this clock; any other ends as before.
 * The times are corrected, unless they are of an earlier run and the clock is trusted only now.
 */
export function afterClockChange(clock: Clock, running: RunningTest, change: ClockChange): RunningTest {
  const { test, isResumed } = running;
  const endsAtMs = Math.min(running.endsAtMs, isResumed ? monotonicEndOf(clock, test) : Infinity);
  if (isResumed && change === "trusted") return { ...running, endsAtMs };
  return { ...running, endsAtMs, test: datedPeriod(clock, test, endsAtMs) };
}
