import type { InterventionCreate, Profile } from "../generated/types.ts";
import type { Fault } from "./fault.ts";
import type { ConfirmWith } from "./zone.ts";
import type { Locale } from "./trip-text.ts";
import type { TripCause } from "./zone-step.ts";

/** One row of the journal: a trip or a fault, and its state. */
export interface Trip {
  /** Order of commit. */
  readonly seq: number;
  /** Identity of the trip; the Idempotency-Key of its intervention if it opens one. */
  readonly key: string;
  readonly zoneId: string;
  readonly source: TripSource;
  readonly type: TripType;
  readonly cause: TripCause | Fault | RestoreCause | "signal-test";
  /** What the trips of one intervention have in common: class and objective, or one fault of one zone. */
  readonly subject: string;
  /** Time of the opening. */
  readonly moment: Timestamp;
  /** False if the wall clock was not trusted: then `moment.wallMs` is meaningless for now. */
  readonly isDated: boolean;
  /** For a trip detected after an interruption: its earliest possible time, milliseconds since 1970. */
  readonly earliestWallMs: number | null;
  /** The body to post, created when the trip was detected, so that every attempt sends the same. */
  readonly body: InterventionCreate;
  /** A fault's line in the notes; an open contact's in the description of its record; otherwise empty. */
  readonly line: string;
  /** Data of the zone for its line in the notes and its confirmation. */
  readonly signal: TripSignal;
  /** Requested once a second zone has confirmed the incident; null for a zone without confirmation. */
  readonly confirmed: RequestedServices | null;
  readonly state: TripState;
  /** Reason for the state; null if it needs none. */
  readonly reason: string | null;
  /** The incident that it is to open (its own key) or to join; null before that decision. */
  readonly incident: string | null;
  /** Number of attempts to dispatch it. */
  readonly attempts: number;
  /** Text of the last failed attempt. */
  readonly lastError: string | null;
  /** The intervention that it opened or joined; null until then. */
  readonly interventionId: number | null;
  /** Whether it is dispatched again because the database has lost its record or its line: its alarm may be over. */
  readonly isRedelivered: boolean;
}

export type TripSource = "gpio" | "mqtt" | "simulated" | "dc09" | "adc" | "supply";
/**
 * A `standing` contact was open when its zone was armed, or after its alarm, and is listed in one record with others. A `restore` is noted in
 * the record of its opening. A `signal` is a signal test.
 */
export type TripType = "trip" | "standing" | "restore" | "fault" | "fault-over" | "signal";

/** A contact is restored by a reading, or automatically after a time. */
export type RestoreCause = "reading" | "auto";

/** Data of the zone stored with a trip, so that a changed configuration does not affect it. */
export interface TripSignal {
  /** The zone's name. */
  readonly name: string;
  /** Remark in the zone's line about a trip that was not detected as it happened. */
  readonly remark: string;
  /** The zone's device; null for a trip without confirmation. */
  readonly device: string | null;
  readonly confirmWith: ConfirmWith | null;
  /** Set for a test trip of a zone with a sensor: it says nothing about the sensor, confirms nothing, and does not count towards its shutdown. */
  readonly isTest?: true;
  /** Set for a contact that is listed because it was still open when its intervention was done or deleted, not because it was armed. */
  readonly isAfterAlarm?: true;
}

/** A time on both clocks; the monotonic one counts from the boot `bootId`. */
export interface Timestamp {
  readonly wallMs: number;
  readonly bootId: string;
  readonly monotonicMs: number;
}

/** What a confirmed trip may request beyond its profile. */
export type RequestedServices = NonNullable<Profile["confirmed"]> & Pick<Profile, "priority">;

/**
 * `waiting` for the local API; `posted` as a new intervention; `merged`: joined an open one, whose text then names it;
 * `refused`: rejected by the API even with the minimal body; the others are suppressed.
 */
export type TripState = "waiting" | "posted" | "merged" | "refused" | SuppressionReason;

/**
 * Why a trip is not dispatched. `cancelled`: the gate closed within the entry delay. `recorded`: a restore or the end of a
 * fault without an open record, or a redelivered trip of a record that was done.
 */
export type SuppressionReason = SuppressionCause | "cancelled" | "recorded";

/** What suppresses the trips of a zone while it lasts. */
export type SuppressionCause = "bypassed" | "test" | "gated" | "swinger";

export type NewTrip = Omit<
  Trip,
  "seq" | "incident" | "attempts" | "lastError" | "interventionId" | "isRedelivered"
>;

/** Data of a trip that was just detected. */
export interface DetectedTrip {
  readonly key: string;
  readonly cause: TripCause;
  readonly moment: Timestamp;
  readonly isDated: boolean;
  readonly earliestWallMs: number | null;
  /** For a contact that was already open, or a late report: time of its opening, milliseconds since 1970. */
  readonly sinceWallMs?: number | null;
  readonly disposition: { readonly state: SuppressionReason | "waiting"; readonly reason: string | null };
}

export interface TripSite {
  readonly locale: Locale;
  readonly timezone: string;
}

/** Whether a trip is in the text of an intervention, or will be. */
export function isOrWillBeRecorded({ state }: Pick<Trip, "state">): boolean {
  return state === "waiting" || state === "posted" || state === "merged";
}

/** Why the restore of an opening is in no record. @param opening undefined if none was recorded */
export function unrecordedReason(opening: Pick<Trip, "state"> | undefined): string {
  return opening ? `its opening was ${opening.state}` : "no opening was recorded before it";
}
