import type { ZoneKind, ZoneObjective } from "./zone.ts";

/** What an incident is about. Trips of one class at one objective join one intervention; those of two classes never do. */
export type IncidentClass = "burglary" | "hold-up" | "fire" | "gas" | "medical" | "flood" | "technical";

/** The class of each kind of zone. A tamper loop is a zone like others: its opening is a burglary alarm. */
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

/** Classes in which a life is in danger: never gated, never delayed, never shut down as a swinger. */
const LIFE_SAFETY: ReadonlySet<IncidentClass> = new Set(["hold-up", "fire", "gas", "medical"]);

/** Whether a zone of this kind protects lives: fire, gas, medical, hold-up and panic. */
export function isLifeSafety(kind: ZoneKind): boolean {
  return LIFE_SAFETY.has(CLASS_OF_KIND[kind]);
}

/** What the trips of one incident have in common, see `Trip.subject`: the class and the objective. */
export function subjectOfTrip({
  kind,
  objective,
}: {
  readonly kind: ZoneKind;
  readonly objective: ZoneObjective;
}): string {
  return `${CLASS_OF_KIND[kind]}/${objective.type}/${objective.id}`;
}
