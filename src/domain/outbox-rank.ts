import type { Priority } from "../generated/types.ts";

/** The rank of alarms, which have a separate queue. */
export const ALARM_RANK = 0;

/** Order of a record in the queue by its priority: the lowest rank is sent first. */
export function rankOf(priority: Priority): number {
  return { high: ALARM_RANK, medium: 1, low: 2 }[priority];
}
