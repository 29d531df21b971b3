import type { InterventionCreate } from "../generated/types.ts";

/**
 * Faults of a zone. A fault becomes an intervention for a technician, never an alarm. `faulty`: the contact chatters,
 * floods or is in swinger shutdown. `supervision`: the sensor does not report or is unavailable.
 */
export type Fault = "tamper" | "battery" | "supervision" | "faulty";

/** Type and priority of the intervention for each fault. */
export const WORK_OF_FAULT: Readonly<Record<Fault, Pick<InterventionCreate, "type" | "priority">>> = {
  tamper: { type: "inspection", priority: "high" },
  battery: { type: "maintenance", priority: "low" },
  supervision: { type: "repair", priority: "medium" },
  faulty: { type: "repair", priority: "medium" },
};

/** Subject of the trips of one fault, see `Trip.subject`. */
export function subjectOfFault(of: string, fault: Fault): string {
  return `fault/${of}/${fault}`;
}
