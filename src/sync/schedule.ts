import cron from "node-cron";

/**
 * The next moment of a schedule after now, milliseconds since 1970. node-cron is only asked, never left running: its
 * own timers do not survive a clock that is set while they wait.
 * @param expression a node-cron expression
 * @param timezone IANA zone that its fields are meant in
 */
export function nextRunMs(expression: string, timezone: string): number | undefined {
  const task = cron.schedule(expression, () => {}, { timezone });
  try {
    return task.getNextRun()?.getTime();
  } finally {
    void task.destroy();
  }
}
