import cron from "node-cron";
import { offsetAt } from "../domain/calendar.ts";

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
