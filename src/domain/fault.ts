import type { InterventionCreate } from "../generated/types.ts";

/**
 * Faults of a zone. A fault becomes an intervention for a technician, never an alarm. `faulty`: the contact chatters,
 * floods or is in swinger shutdown. `supervision`: the sensor does not report or is unavailable.
 */
export type Fault = "tamper" | "battery" | "supervision" | "faulty";

/** The most serious first: a sensor that someone opens, then one whose contact cannot be trusted, then one that is silent. */
export const FAULTS_BY_WEIGHT: readonly Fault[] = ["tamper", "faulty", "supervision", "battery"];

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

/** Under what the loss of a sensor is kept that its bridge no longer lists under the name in the zone's topic. */
export function unlistedOf(zoneId: string): string {
  return JSON.stringify(["unlisted", zoneId]);
}
