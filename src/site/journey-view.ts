import type { ObjectiveType, Priority, Status } from "../generated/types.ts";
import type { ShownPhase } from "../domain/shown-phase.ts";
import type { ZoneKind } from "../domain/zone.ts";
import type { ReceiverJourneyView } from "./transmission-view.ts";

/**
 * How far an intervention has come: contact, trip journal, record, dispatch centre. Times are ISO 8601 UTC.
 */
export interface JourneyView {
  /** The record; null while its trip is only in the trip journal. */
  readonly interventionId: number | null;
  readonly name: string;
  readonly isAlarm: boolean;
  /** Where it is; at a dispatch centre the objectives of all sites are in one list. */
  readonly objective: JourneyObjectiveView;
  /** The zone whose trip made it; null for a record made by a user, and for a signal test. */
  readonly zone: { readonly id: string; readonly name: string; readonly kind: ZoneKind | null } | null;
  /**
   * When the contact opened; null without one, or while the clock was not trusted. At a dispatch centre the start of an alarm,
   * without its zone.
   */
  readonly contactAt: string | null;
  /** Whether its trip is in the trip journal; false for a record made by a user. */
  readonly isJournaled: boolean;
  /** When the record was written; null while there is none. */
  readonly recordedAt: string | null;
  /** Why the local API has not accepted the trip; null if it has. */
  readonly refusal: string | null;
  readonly priority: Priority;
  readonly status: Status;
  readonly services: readonly ("police" | "ambulance" | "firetruck")[];
  /** What is known about it at the dispatch centre; null for a standalone daemon. */
  readonly centre: CentreJourneyView | null;
  /** What the monitoring receiver has acknowledged of it; null without one, and for a record without an event. */
  readonly receiver: ReceiverJourneyView | null;
}

/** The objective of a journey, as a crew needs it. */
export interface JourneyObjectiveView {
  readonly type: ObjectiveType;
  readonly id: number;
  readonly name: string;
  /** Null for an objective without one, such as an asset. */
  readonly address: string | null;
  readonly city: string | null;
}

/** The last stage of a journey. */
export interface CentreJourneyView {
  /** Null before there is a record. */
  readonly phase: ShownPhase | null;
  /** Its number at the dispatch centre; null until it has arrived. */
  readonly upstreamId: number | null;
  /** When it became known that it has arrived; null until then, and for records of releases that did not store it. */
  readonly arrivedAt: string | null;
  /** Since when it lacks a trip that has joined the record since; null if it lacks none, and for one of an earlier release. */
  readonly tripWaitingSince: string | null;
  /** The newest trip that has joined the record, while the dispatch centre lacks one; null if it lacks none, or that is not known. */
  readonly latestTrip: { readonly zone: string; readonly at: string | null } | null;
  /** Failed attempts since the last success. */
  readonly attempts: number;
  /** Null if the next attempt is due now. */
  readonly nextAttemptAt: string | null;
  /** What the dispatch centre last had; null until it has arrived. */
  readonly set: { readonly status: Status | null; readonly crews: number | null } | null;
  /** Whether it is an alarm that has not arrived within `upstream.undeliveredS`, or of which a later trip has not. */
  readonly isUndelivered: boolean;
  /** Whether it is an alarm that is not done, and that a user has stopped sending before it arrived. */
  readonly isStopped: boolean;
}
