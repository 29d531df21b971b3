import cron from "node-cron";

/** Whether node-cron understands the expression. */
export function isSchedule(expression: string): boolean {
  return cron.validate(expression);
}
