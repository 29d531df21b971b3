import type { Priority } from "../generated/types.ts";

/** The rank of alarms, which overtakes everything and has a queue of its own. */
export const ALARM_RANK = 0;

/** Where a record of that priority is among those that wait for the centre: the lowest rank leaves first. */
export function rankOf(priority: Priority): number {
  return { high: ALARM_RANK, medium: 1, low: 2 }[priority];
}
