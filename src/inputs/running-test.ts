import type { Clock } from "../domain/clock.ts";
import type { Actor } from "../domain/event.ts";
import type { WalkTest } from "../store/walk-tests.ts";
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
 * A test once the wall clock is trusted. A resumed one ends earlier if its time is over by this clock; one that began in
 * this run ends as before, and its times are corrected.
 */
export function onceTrusted(clock: Clock, running: RunningTest): RunningTest {
  const { test, endsAtMs, isResumed } = running;
  return isResumed
    ? { ...running, endsAtMs: Math.min(endsAtMs, monotonicEndOf(clock, test)) }
    : { ...running, test: datedPeriod(clock, test, endsAtMs) };
}
