import type { InterventionCreate, Profile } from "../generated/types.ts";
import type { Fault } from "./fault.ts";
import type { ConfirmWith } from "./zone.ts";
import type { Locale } from "./trip-text.ts";
import type { TripCause } from "./zone-step.ts";

/** One row of the journal: a trip or a fault, and how far it has come. */
export interface Trip {
  /** Order in which trips were committed. */
  readonly seq: number;
  /** Identity of the trip on its whole way; the Idempotency-Key of its intervention if it opens one. */
  readonly key: string;
  readonly zoneId: string;
  readonly source: TripSource;
  readonly type: TripType;
  readonly cause: TripCause | Fault | RestoreCause | "signal-test";
  /** What it has in common with the other trips of its intervention: class and objective, or one fault of one zone. */
  readonly subject: string;
  /** When the contact opened. */
  readonly moment: Timestamp;
  /** False while the wall clock was not to be trusted: then `moment.wallMs` says nothing yet. */
  readonly isDated: boolean;
  /** For a trip that was found after an interruption: it cannot have been before, milliseconds since 1970. */
  readonly earliestWallMs: number | null;
  /** The body that is posted, written down when the trip was seen so that every attempt sends the same. */
  readonly body: InterventionCreate;
  /** A fault's line in the notes of its work; a standing contact's in the description of its record; else empty. */
  readonly line: string;
  /** What its line in the notes and its confirmation need to know of the zone. */
  readonly signal: TripSignal;
  /** What is asked for once a second zone has confirmed the incident; null for a zone that confirms nothing. */
  readonly confirmed: RequestedServices | null;
  readonly state: TripState;
  /** Why it has this state, in words; null where the state says it all. */
  readonly reason: string | null;
  /** The incident it was decided to open (its own key) or to join; null before that. */
  readonly incident: string | null;
  /** How often posting was tried. */
  readonly attempts: number;
  /** The answer of the last failed attempt, in words. */
  readonly lastError: string | null;
  /** The intervention it became or joined; null until then. */
  readonly interventionId: number | null;
}

export type TripSource = "gpio" | "mqtt" | "simulated";
/**
 * A `standing` contact was open when its zone was armed and is listed in one record with the others. A `restore` is a
 * contact that closed; it is noted in the record of its opening. A `signal` is a test of the way to the centre.
 */
export type TripType = "trip" | "standing" | "restore" | "fault" | "fault-over" | "signal";

/** A contact closes by a reading, or a pulse zone by its time. */
export type RestoreCause = "reading" | "auto";

/** What is recorded of the zone with a trip, so that a changed configuration changes nothing about it. */
export interface TripSignal {
  /** The zone's name. */
  readonly name: string;
  /** What the zone's line in the notes says of a trip that was not seen as it happened. */
  readonly remark: string;
  /** The device that the zone belongs to; null for a trip that confirms nothing. */
  readonly device: string | null;
  readonly confirmWith: ConfirmWith | null;
}

/** A point in time on both clocks; the monotonic one counts from the machine's start `bootId`. */
export interface Timestamp {
  readonly wallMs: number;
  readonly bootId: string;
  readonly monotonicMs: number;
}

/** What a trip may ask for beyond its own profile. */
export type RequestedServices = NonNullable<Profile["confirmed"]> & Pick<Profile, "priority">;

/**
 * `waiting` for the local API; `posted` as an intervention of its own; `merged` into one that was open, whose text then
 * names it; `refused` by the API even in its plainest form; the others were never meant to be dispatched.
 */
export type TripState = "waiting" | "posted" | "merged" | "refused" | SuppressionReason;

/**
 * Why a trip is not dispatched. `cancelled`: the gate closed within the entry delay. `recorded`: a restore, or the end of
 * a fault, that no open record is there for.
 */
export type SuppressionReason = TripHold | "cancelled" | "recorded";

/** What holds the trips of a zone back while it lasts. */
export type TripHold = "bypassed" | "test" | "gated" | "swinger";

export type NewTrip = Omit<Trip, "seq" | "incident" | "attempts" | "lastError" | "interventionId">;

/** What is known of a trip that has just been seen. */
export interface DetectedTrip {
  readonly key: string;
  readonly cause: TripCause;
  readonly moment: Timestamp;
  readonly isDated: boolean;
  readonly earliestWallMs: number | null;
  /** For a contact that was open already: since when, milliseconds since 1970. */
  readonly sinceWallMs?: number | null;
  readonly disposition: { readonly state: SuppressionReason | "waiting"; readonly reason: string | null };
}

export interface TripSite {
  readonly locale: Locale;
  readonly timezone: string;
}

/** Whether a trip is in the text of an intervention, or waits for that. */
export function isOrWillBeRecorded({ state }: Pick<Trip, "state">): boolean {
  return state === "waiting" || state === "posted" || state === "merged";
}

/** Why the closing of an opening is in no record. @param opening undefined where none was recorded */
export function unrecordedReason(opening: Pick<Trip, "state"> | undefined): string {
  return opening ? `its opening was ${opening.state}` : "no opening was recorded before it";
}
