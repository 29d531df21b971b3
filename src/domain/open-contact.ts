import { isLifeSafety } from "./incident.ts";
import type { Trip } from "./trip.ts";
import type { Zone } from "./zone.ts";

/**
 * Whether an unfinished intervention names an open zone; `finished`: it is done or deleted. `unnamed`: a user has removed
 * the zone's line from the notes.
 */
export type RecordCover = "named" | "unnamed" | "finished";

/** Cover of an open zone by an intervention, and its last change, wall clock; null if it does not exist. */
export interface ZoneInRecord {
  readonly cover: RecordCover;
  readonly changedWallMs: number | null;
}

/** Tells whether an intervention names a zone, by the zone's name in its texts; `zoneNames` has those of all zones. */
export type FindZoneInRecord = (
  interventionId: number,
  zoneName: string,
  zoneNames: readonly string[],
) => ZoneInRecord;

/** A contact that is open while its zone is armed and not bypassed. */
export interface OpenContact {
  readonly zone: Pick<Zone, "kind" | "whenArmedOpen">;
  /** The recorded opening; undefined if the zone was open at its first reading. */
  readonly opening: Pick<Trip, "type" | "cause" | "state"> | undefined;
  /** Cover by the opening's intervention; `finished` without one. */
  readonly record: RecordCover;
  /** Whether the zone's trips were suppressed while it was open, and no decision was made since. */
  readonly wasSuppressed: boolean;
  /** Time since its intervention was found done or deleted, in milliseconds. */
  readonly finishedForMs: number;
}

/**
 * What follows for an open contact. `nothing`: a record names it. `condition`: a condition names it. `record`: one record
 * lists it with others. `trip`: it trips.
 */
export type OpenContactDecision = "nothing" | "condition" | "record" | "trip";

/** @param againMs how long a life safety contact may stay open after its intervention is done */
export function decideOpenContact(contact: OpenContact, againMs: number): OpenContactDecision {
  const { zone, opening, wasSuppressed, finishedForMs } = contact;
  switch (openingCover(contact)) {
    case "named":
      return "nothing";
    case "unnamed":
      return "condition";
    case "unrecorded":
      return wasSuppressed ? zone.whenArmedOpen : "condition";
    case "suppressed":
      return zone.whenArmedOpen;
    case "finished": {
      if (isLifeSafety(zone.kind)) return wasSuppressed || finishedForMs >= againMs ? "trip" : "condition";
      // Already listed or tripped as open, and done: only reported again at the next arming.
      const isKnown = opening?.cause === "standing" && !wasSuppressed;
      return isKnown ? "condition" : zone.whenArmedOpen;
    }
  }
}

/** Whether the opening has an intervention that is done or deleted. */
export function isFinished(opening: OpenContact["opening"], cover: RecordCover): boolean {
  return cover === "finished" && opening !== undefined && hasRecord(opening);
}

/** A trip that is `recorded` was in an intervention that is done. */
function hasRecord({ state }: Pick<Trip, "state">): boolean {
  return state === "posted" || state === "merged" || state === "recorded";
}

/**
 * Whether texts name a zone. A longer name that contains this one is another zone, as "Front door" is for "Door".
 * @param others the names of all zones, as in texts
 */
export function namesZone(
  texts: readonly (string | null)[],
  name: string,
  others: readonly string[],
): boolean {
  const longer = others.filter((other) => other !== name && other.includes(name));
  return texts.some((text) =>
    longer.reduce((rest, other) => rest.replaceAll(other, ""), text ?? "").includes(name),
  );
}

/** How the opening was handled. */
function openingCover({ opening, record }: OpenContact): RecordCover | "unrecorded" | "suppressed" {
  if (!opening) return "unrecorded";
  const { state } = opening;
  // A rejected trip has its own condition.
  if (state === "waiting" || state === "refused") return "named";
  return hasRecord({ state }) ? record : "suppressed";
}
