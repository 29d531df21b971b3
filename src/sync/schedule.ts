import cron from "node-cron";
import { offsetAt } from "../domain/calendar.ts";
import type { Clock } from "../domain/clock.ts";

/** The next time of a schedule. Its owner plans again when the time has come or the clock was set. */
export class NextRun {
  readonly #clock: Pick<Clock, "wallMs">;
  readonly #nextMs: () => number | undefined;
  #dueAtMs: number | undefined;

  /** @param nextMs returns the next time of the schedule, milliseconds since 1970; undefined if there is none */
  constructor(clock: Pick<Clock, "wallMs">, nextMs: () => number | undefined) {
    this.#clock = clock;
    this.#nextMs = nextMs;
  }

  /** Determines the next time. */
  plan(): void {
    this.#dueAtMs = this.#nextMs();
  }

  /** Whether the planned time has come. */
  isDue(): boolean {
    return this.#dueAtMs !== undefined && this.#clock.wallMs() >= this.#dueAtMs;
  }

  /** Milliseconds until the planned time, never below 0; undefined if there is none. */
  waitMs(): number | undefined {
    return this.#dueAtMs === undefined ? undefined : Math.max(0, this.#dueAtMs - this.#clock.wallMs());
  }
}

/**
 * The next time of a schedule, milliseconds since 1970. node-cron only calculates: its own timers do not
 * survive a clock step.
 * @param expression a node-cron expression
 * @param timezone IANA time zone of the expression
 * @param nowMs the wall clock, which node-cron also reads itself
 */
export function nextRunMs(expression: string, timezone: string, nowMs: number): number | undefined {
  const task = cron.schedule(expression, () => {}, { timezone });
  try {
    const nextMs = task.getNextRun()?.getTime();
    return nextMs === undefined ? undefined : adjustForRepeatedHour(nowMs, nextMs, timezone);
  } finally {
    void task.destroy();
  }
}

/**
 * At the end of daylight saving time node-cron skips up to an hour. This returns the earlier of two times: the
 * same local time before the change, or the change itself, after which node-cron is correct again. An extra run
 * is cheap.
 */
function adjustForRepeatedHour(nowMs: number, nextMs: number, timezone: string): number {
  const backMs = offsetAt(nowMs, timezone) - offsetAt(nextMs, timezone);
  if (backMs <= 0) return nextMs;
  let [beforeMs, afterMs] = [nowMs, nextMs];
  while (afterMs - beforeMs > 1) {
    const middleMs = Math.floor((beforeMs + afterMs) / 2);
    if (offsetAt(middleMs, timezone) === offsetAt(nextMs, timezone)) afterMs = middleMs;
    else beforeMs = middleMs;
  }
  const beforeChangeMs = nextMs - backMs;
  return beforeChangeMs > nowMs && beforeChangeMs < afterMs ? beforeChangeMs : afterMs;
}
