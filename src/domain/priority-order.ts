import type { Priority } from "../generated/types.ts";

/** The order of high priority, which has a queue of its own and is sent first. */
export const URGENT_ORDER = 0;

/** The position of a priority among the queued records: the lowest number is sent first. */
export function priorityOrderOf(priority: Priority): number {
  return { high: URGENT_ORDER, medium: 1, low: 2 }[priority];
}
