import { createHash } from "node:crypto";
import cron, { type ScheduledTask } from "node-cron";
import { offsetAt } from "../domain/calendar.ts";
import type { Clock } from "../domain/clock.ts";

/** Maximum delay of a site after the time of its schedule, milliseconds. */
const SPREAD_MS_MAX = 60_000;

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
 * The next run of a schedule, milliseconds since 1970: that of its next time, or of the last one while the delay is not over.
 * node-cron only calculates: its own timers do not survive a clock step.
 * @param expression a node-cron expression
 * @param timezone IANA time zone of the expression
 * @param nowMs the wall clock, which node-cron also reads itself
 * @param share of the time until the following run, a minute at most, by which it is delayed: from 0 to less than 1
 */
export function nextRunMs(
  expression: string,
  timezone: string,
  nowMs: number,
  share = 0,
): number | undefined {
  const task = cron.schedule(expression, () => {}, { timezone });
  try {
    const [nextMs, followingMs] = task.getNextRuns(2).map((run) => run.getTime());
    if (nextMs === undefined) return undefined;
    const nextOnScheduleMs = adjustForRepeatedHour(nowMs, nextMs, timezone);
    // After a restart or a clock step within the delay, the run of the former time is still to come.
    const formerMs = formerTimeMs(task, nowMs, Math.floor(share * SPREAD_MS_MAX));
    const pendingMs = formerMs === undefined ? nowMs : formerMs + delayMs(share, nextOnScheduleMs - formerMs);
    if (pendingMs > nowMs) return pendingMs;
    return nextOnScheduleMs + delayMs(share, (followingMs ?? Number.POSITIVE_INFINITY) - nextMs);
  } finally {
    void task.destroy();
  }
}

/** The delay of a site before the following run, which would otherwise be left out. */
function delayMs(share: number, untilFollowingMs: number): number {
  return Math.floor(share * Math.min(SPREAD_MS_MAX, untilFollowingMs));
}

/** The last time of a schedule, not longer than this ago; undefined for none. Times are full seconds. */
function formerTimeMs(
  task: Pick<ScheduledTask, "match">,
  nowMs: number,
  withinMs: number,
): number | undefined {
  for (let atMs = Math.floor(nowMs / 1000) * 1000; atMs > nowMs - withinMs; atMs -= 1000)
    if (task.match(new Date(atMs))) return atMs;
  return undefined;
}

/**
 * The share of a site for `nextRunMs`: always the same for one site, and evenly distributed over many, so that the sites of a
 * centre, whose clocks all show a full minute at once, do not all read from it then.
 */
export function shareOf(siteRef: string): number {
  return createHash("sha256").update(siteRef).digest().readUInt32BE() / 2 ** 32;
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
