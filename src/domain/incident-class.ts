import type { ZoneKind, ZoneObjective } from "./zone.ts";

/** Class of an incident. Trips of one class at one objective join one intervention; different classes never do. */
export type IncidentClass = "burglary" | "hold-up" | "fire" | "gas" | "medical" | "flood" | "technical";

/** Class of each zone type. A tamper loop is an ordinary zone: its opening is a burglary alarm. */
export const CLASS_OF_KIND: Readonly<Record<ZoneKind, IncidentClass>> = {
  intrusion: "burglary",
  perimeter: "burglary",
  motion: "burglary",
  glass: "burglary",
  tamper: "burglary",
  panic: "hold-up",
  holdup: "hold-up",
  fire: "fire",
  gas: "gas",
  medical: "medical",
  flood: "flood",
  technical: "technical",
};

/** Life safety classes: never gated, never delayed, never in swinger shutdown. */
const LIFE_SAFETY: ReadonlySet<IncidentClass> = new Set(["hold-up", "fire", "gas", "medical"]);

/** Whether a zone type is life safety: fire, gas, medical, hold-up and panic. */
export function isLifeSafety(kind: ZoneKind): boolean {
  return LIFE_SAFETY.has(CLASS_OF_KIND[kind]);
}

/** Subject of the trips of one incident, see `Trip.subject`: class and objective. */
export function subjectOfTrip({
  kind,
  objective,
}: {
  readonly kind: ZoneKind;
  readonly objective: ZoneObjective;
}): string {
  return `${CLASS_OF_KIND[kind]}/${objective.type}/${objective.id}`;
}
