import type { ZoneKind } from "./zone.ts";

const LIFE_SAFETY: ReadonlySet<ZoneKind> = new Set(["fire", "gas", "medical", "holdup", "panic"]);

/** Whether people are in danger when a zone of this kind trips: then no trip of it is ever left out. */
export function isLifeSafety(kind: ZoneKind): boolean {
  return LIFE_SAFETY.has(kind);
}
