import type { InterventionCreate } from "../generated/types.ts";

/**
 * What can be wrong with a zone itself. A fault becomes work, never an alarm. `faulty`: the contact chatters, floods
 * or trips again and again. `supervision`: the sensor is not heard any more.
 */
export type Fault = "tamper" | "battery" | "supervision" | "faulty";

/** What each fault asks of the centre. */
export const WORK_OF_FAULT: Readonly<Record<Fault, Pick<InterventionCreate, "type" | "priority">>> = {
  tamper: { type: "inspection", priority: "high" },
  battery: { type: "maintenance", priority: "low" },
  supervision: { type: "repair", priority: "medium" },
  faulty: { type: "repair", priority: "medium" },
};

/** What trips of one fault have in common, see `Trip.subject`. */
export function subjectOfFault(of: string, fault: Fault): string {
  return `fault/${of}/${fault}`;
}
