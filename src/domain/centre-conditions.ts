import type { Conditions } from "./condition.ts";
import { OBJECTIVE_TYPES } from "./objective.ts";

/** Those without a subject; the conditions of single records end with the sync that has raised them. */
const OF_CENTRE = [
  "upstream-unreachable",
  "upstream-authentication-failed",
  "upstream-unexpected-service",
  "upstream-rejects-records",
  "upstream-rejects-alarm",
  "upstream-alarm-unproved",
  "upstream-differs",
  "upstream-not-compared",
  "upstream-list-too-large",
  "upstream-list-postponed",
  "upstream-reference-lost",
  "upstream-notes-cut",
  "upstream-reference-shared",
  "upstream-rejects-reports",
  "upstream-ids-given-again",
  "objective-names-differ",
  "objective-missing",
  "outbox-write-failed",
] as const;

/** Ends the conditions about a dispatch centre, or about the sync with it, that do not apply to another one. */
export function clearConditionsOfCentre(conditions: Pick<Conditions, "clear">): void {
  for (const code of OF_CENTRE) conditions.clear(code);
  for (const type of OBJECTIVE_TYPES) conditions.clear("objectives-mirror-stale", type);
}
