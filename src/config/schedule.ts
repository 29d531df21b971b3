import cron from "node-cron";

/** Whether the expression is valid for node-cron. */
export function isSchedule(expression: string): boolean {
  return cron.validate(expression);
}
