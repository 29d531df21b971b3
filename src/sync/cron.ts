import cron from "node-cron";
import { offsetAt } from "../domain/calendar.ts";

/**
 * The next moment of a schedule after now, milliseconds since 1970. node-cron is only asked, never left running: its
 * own timers do not survive a clock that is set while they wait.
 * @param expression a node-cron expression
 * @param timezone IANA zone that its fields are meant in
 * @param nowMs the wall clock, which node-cron reads by itself
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
 * Where the clocks go back, node-cron leaves out up to an hour of moments. There the earliest of two is taken: the same
 * reading of the clock on its first round, or the change itself, from which on it can be asked again. A moment too many
 * costs a look at tables.
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
  const firstRoundMs = nextMs - backMs;
  return firstRoundMs > nowMs && firstRoundMs < afterMs ? firstRoundMs : afterMs;
}
