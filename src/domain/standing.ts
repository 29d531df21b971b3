import { isLifeSafety } from "./incident-class.ts";
import type { Trip } from "./trip.ts";
import type { Zone } from "./zone.ts";

/**
 * What an intervention says of an open zone while work on it goes on; `finished`: it is done or deleted. A person who
 * replaces the notes can take out the zone's line, which then is `unnamed`.
 */
export type RecordCover = "named" | "unnamed" | "finished";

/** What an intervention says of an open zone, and when it was last changed, wall clock; null where it is not there. */
export interface ZoneInRecord {
  readonly cover: RecordCover;
  readonly changedWallMs: number | null;
}

/** A contact that is open while its zone is armed and not bypassed. */
export interface StandingContact {
  readonly zone: Pick<Zone, "kind" | "whenArmedOpen">;
  /** The opening that was recorded since the zone last closed; undefined where it was open at first sight. */
  readonly opening: Pick<Trip, "type" | "cause" | "state"> | undefined;
  /** What the intervention of the opening says of the zone; `finished` where there is none. */
  readonly record: RecordCover;
  /** Whether the zone's trips have been held back while it was open, and what followed has not been decided yet. */
  readonly wasHeld: boolean;
  /** How long ago its intervention was found done or deleted, in milliseconds. */
  readonly finishedForMs: number;
}

/**
 * What follows for a contact that stands open. `nothing`: a record names it. `condition`: a condition names it. `record`: it
 * is listed in one record with the others. `trip`: it trips.
 */
export type StandingDecision = "nothing" | "condition" | "record" | "trip";

/** @param againMs how long a contact that saves lives may stand open after its intervention was done */
export function decideStanding(contact: StandingContact, againMs: number): StandingDecision {
  const { zone, opening, wasHeld, finishedForMs } = contact;
  switch (coverOf(contact)) {
    case "named":
      return "nothing";
    case "unnamed":
      return "condition";
    case "unseen":
      return wasHeld ? zone.whenArmedOpen : "condition";
    case "held":
      return zone.whenArmedOpen;
    case "finished": {
      if (isLifeSafety(zone.kind)) return wasHeld || finishedForMs >= againMs ? "trip" : "condition";
      // Listed, or tripped for standing open, and done: that is known. It is said again at the next arming.
      const isKnown = opening?.cause === "standing" && !wasHeld;
      return isKnown ? "condition" : zone.whenArmedOpen;
    }
  }
}

/** What has been said of the opening so far. */
function coverOf({ opening, record }: StandingContact): RecordCover | "unseen" | "held" {
  if (!opening) return "unseen";
  const { state } = opening;
  // A refused trip has a condition of its own.
  if (state === "waiting" || state === "refused") return "named";
  if (state === "posted" || state === "merged") return record;
  return "held";
}
