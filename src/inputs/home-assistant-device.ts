import type { ZoneKind } from "../domain/zone.ts";

/** Id of a site with this reference: a discovery topic may only contain letters, digits, `_` and `-`. */
export function deviceIdOf(ref: string): string {
  return `santinela_${ref.replaceAll(/[^A-Za-z0-9_-]/g, "_")}`;
}

/** Home Assistant's device class of a zone of each kind. */
export const CLASS_OF_KIND: Readonly<Record<ZoneKind, string>> = {
  intrusion: "opening",
  perimeter: "opening",
  motion: "motion",
  glass: "vibration",
  fire: "smoke",
  panic: "safety",
  holdup: "safety",
  medical: "safety",
  flood: "moisture",
  gas: "gas",
  tamper: "tamper",
  technical: "problem",
  // Not "power", for which on means that there is power.
  power: "problem",
};
