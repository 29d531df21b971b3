import { isLifeSafety } from "./incident-class.ts";
import type { Trip } from "./trip.ts";
import type { Zone } from "./zone.ts";

/** A contact that is open while its zone is armed and not bypassed. */
export interface StandingContact {
  readonly zone: Pick<Zone, "kind" | "whenArmedOpen">;
  /** The opening that was recorded since the zone last closed; undefined where it was open at first sight. */
  readonly opening: Pick<Trip, "about" | "cause" | "state"> | undefined;
  /** Whether work on the intervention of the opening goes on. */
  readonly isUnfinished: boolean;
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
    case "unseen":
      return wasHeld ? zone.whenArmedOpen : "condition";
    case "held":
      return zone.whenArmedOpen;
    case "finished": {
      if (isLifeSafety(zone.kind)) return finishedForMs >= againMs ? "trip" : "condition";
      // Listed, or tripped for standing open, and done: that is known. It is said again at the next arming.
      const isKnown = opening?.cause === "standing" && !wasHeld;
      return isKnown ? "condition" : zone.whenArmedOpen;
    }
  }
}

/** What has been said of the opening so far. */
function coverOf({ opening, isUnfinished }: StandingContact): "named" | "unseen" | "held" | "finished" {
  if (!opening) return "unseen";
  const { state } = opening;
  // A refused trip has a condition of its own.
  if (state === "waiting" || state === "refused") return "named";
  if (state === "posted" || state === "merged") return isUnfinished ? "named" : "finished";
  return "held";
}
