import { isoTime } from "../domain/clock.ts";
import { isLifeSafetySubject } from "../domain/incident.ts";
import { refText, type Objective, type ObjectiveRef } from "../domain/objective.ts";
import { hasUnsentTrip, type OutboxEntry } from "../domain/outbox.ts";
import { shownPhase } from "../domain/shown-phase.ts";
import type { Trip } from "../domain/trip.ts";
import type { Urgency } from "../domain/urgency.ts";
import type { Zone } from "../domain/zone.ts";
import type { TripStore } from "../store/trips.ts";
import type { UnfinishedDetails } from "../store/unfinished-records.ts";
import type { CentreJourneyView, JourneyObjectiveView, JourneyView } from "./journey-view.ts";
import { SiteMonitoring } from "./monitoring.ts";
import type { SiteParts } from "./site-parts.ts";

export type RecordJourneysParts = Pick<
  SiteParts,
  "config" | "clock" | "outbox" | "unfinished" | "objectives" | "transmissions"
> & { readonly trips: Pick<TripStore, "find" | "ofIntervention"> };

/** A journey with what decides its place. */
export interface RankedJourney extends Urgency {
  readonly view: JourneyView;
}

/** Reads how far a trip or a record has come. */
export class RecordJourneys {
  readonly #parts: RecordJourneysParts;
  readonly #monitoring: SiteMonitoring;

  constructor(parts: RecordJourneysParts) {
    this.#parts = parts;
    this.#monitoring = new SiteMonitoring(parts);
  }

  /** The journey of a record by its id, done or not; null without one, and for a record of a user that is sent nowhere. */
  find(interventionId: number): JourneyView | null {
    const { unfinished, trips } = this.#parts;
    const named = unfinished.named(interventionId);
    const details = named && unfinished.details(interventionId);
    if (!details) return null;
    // As for the headline: what a trip has made is an alarm, whatever its type.
    const isAlarm = named.isAlarm === 1 || trips.find(details.uid)?.type === "trip";
    const { view } = this.ofRecord(named.name, details, isAlarm);
    return view.isJournaled || view.centre !== null || view.receiver !== null ? view : null;
  }

  /** The journey of a trip that has no record yet. */
  ofTrip(trip: Trip): RankedJourney {
    const { priority, status = "planned", name } = trip.body;
    const sinceMs = trip.isDated ? trip.moment.wallMs : null;
    const isOpening = hasContact(trip);
    const view: JourneyView = {
      interventionId: null,
      name,
      isAlarm: isOpening,
      objective: this.#objective({ type: trip.body.objectiveType, id: trip.body.objectiveId }),
      zone: isOpening ? this.#zoneOf(trip) : null,
      contactAt: isOpening && sinceMs !== null ? isoTime(sinceMs) : null,
      isJournaled: true,
      recordedAt: null,
      refusal: trip.lastError,
      priority: priority ?? "high",
      status,
      services: SERVICES.filter((service) => trip.body[service] === true),
      centre: this.#centre(undefined, sinceMs, isOpening, false),
      receiver: null,
    };
    return {
      view,
      isLifeSafety: isLifeSafetySubject(trip.subject),
      isUndelivered: true,
    };
  }

  /** The journey of a record, which its trip has made or a user. */
  ofRecord(name: string, details: UnfinishedDetails, isAlarm: boolean): RankedJourney {
    const { trips, outbox, config } = this.#parts;
    const trip = trips.find(details.uid);
    const isTrip = trip !== undefined && hasContact(trip);
    const sinceMs = trip?.isDated === true ? trip.moment.wallMs : null;
    // At a dispatch centre an alarm that was queued at its site is older than its record.
    const startMs = isAlarm && config.role === "centre" ? details.startMs : null;
    const contactMs = isTrip ? sinceMs : startMs;
    const isRescue = details.ambulance + details.firetruck > 0;
    const view: JourneyView = {
      interventionId: details.id,
      name,
      isAlarm,
      objective: this.#objective({ type: details.objectiveType, id: details.objectiveId }),
      zone: isTrip ? this.#zoneOf(trip) : null,
      contactAt: contactMs === null ? null : isoTime(contactMs),
      isJournaled: trip !== undefined,
      recordedAt: isoTime(details.createdMs),
      refusal: null,
      priority: details.priority,
      status: details.status,
      services: servicesOf(details),
      centre: this.#centre(
        outbox.find(details.id),
        sinceMs ?? details.createdMs,
        isAlarm,
        details.status === "done",
      ),
      receiver: this.#monitoring.journey(details.id),
    };
    const { centre } = view;
    return {
      view,
      isLifeSafety: isRescue || (isTrip && isLifeSafetySubject(trip.subject)),
      isUndelivered:
        centre !== null &&
        (centre.upstreamId === null || centre.tripWaitingSince !== null) &&
        centre.phase !== "closed",
    };
  }

  #objective(ref: ObjectiveRef): JourneyObjectiveView {
    return journeyObjective(ref, this.#parts.objectives.get(ref));
  }

  #zoneOf(trip: Trip): JourneyView["zone"] {
    return zoneOfTrip(trip, this.#parts.config.zones);
  }

  /** @param sinceMs when the alarm began, milliseconds since 1970; null if that is not known */
  #centre(
    entry: OutboxEntry | undefined,
    sinceMs: number | null,
    isAlarm: boolean,
    isDone: boolean,
  ): CentreJourneyView | null {
    const { upstream } = this.#parts.config;
    if (!upstream) return null;
    const nowMs = this.#parts.clock.wallMs();
    const hasArrived = entry !== undefined && entry.upstreamId !== null;
    const joinedMs = entry && hasUnsentTrip(entry) ? entry.joinedAtMs : null;
    const lackingMs = hasArrived ? joinedMs : sinceMs;
    const isLate = lackingMs !== null && nowMs - lackingMs > upstream.undeliveredS * 1_000;
    return {
      phase: entry ? shownPhase(entry) : null,
      upstreamId: entry?.upstreamId ?? null,
      arrivedAt: hasArrived && entry.arrivedAtMs !== null ? isoTime(entry.arrivedAtMs) : null,
      tripWaitingSince: hasArrived && joinedMs !== null ? isoTime(joinedMs) : null,
      latestTrip: hasArrived && joinedMs !== null ? this.#latestTrip(entry.interventionId) : null,
      attempts: entry?.attempts ?? 0,
      nextAttemptAt: entry && entry.nextAtMs > nowMs ? isoTime(entry.nextAtMs) : null,
      set: hasArrived ? setOf(entry.base) : null,
      // A dropped record has no entry that is sent: the user decided.
      isUndelivered: isAlarm && isLate && entry?.phase !== "closed",
      // One that has been there was deleted by a dispatcher.
      isStopped: isAlarm && !isDone && entry?.phase === "closed" && entry.base === null,
    };
  }

  /** The newest trip that has joined a record. */
  #latestTrip(interventionId: number): CentreJourneyView["latestTrip"] {
    const { trips, config } = this.#parts;
    const trip = trips
      .ofIntervention(interventionId, JOINED_MAX)
      .find(({ type, state }) => (type === "trip" || type === "standing") && state === "merged");
    if (!trip) return null;
    const { name } = zoneOfTrip(trip, config.zones);
    return { zone: name, at: trip.isDated ? isoTime(trip.moment.wallMs) : null };
  }
}

/** Entries read to find the newest trip of a record: restores and faults may follow it. */
const JOINED_MAX = 50;

/** The zone of a trip as configured now; of one that was removed what its trip has stored. */
export function zoneOfTrip(
  { zoneId, signal }: Trip,
  zones: readonly Zone[],
): NonNullable<JourneyView["zone"]> {
  const zone = zones.find(({ id }) => id === zoneId);
  return { id: zoneId, name: zone?.name ?? signal.name, kind: zone?.kind ?? null };
}

/** Whether a trip came from the contact of its zone; a signal test did not. */
function hasContact({ type }: Trip): boolean {
  return type !== "signal";
}

/** @param known the objective in the lists; undefined if they do not have it */
export function journeyObjective(
  ref: ObjectiveRef,
  known: Pick<Objective, "name" | "address" | "city"> | undefined,
): JourneyObjectiveView {
  return {
    ...ref,
    name: known?.name ?? refText(ref),
    address: known?.address ?? null,
    city: known?.city ?? null,
  };
}

const SERVICES = ["police", "ambulance", "firetruck"] as const;

/** The services that a record requests, in the order of the contract. */
export function servicesOf(details: UnfinishedDetails): JourneyView["services"] {
  return SERVICES.filter((service) => details[service] === 1);
}

/** Status and crews of the record that the dispatch centre last had. @param base JSON from the dispatch centre */
function setOf(base: string | null): CentreJourneyView["set"] {
  if (base === null) return null;
  const { status, crews } = JSON.parse(base) as { status?: unknown; crews?: unknown };
  return {
    status: status === "planned" || status === "in_progress" || status === "done" ? status : null,
    crews: typeof crews === "number" ? crews : null,
  };
}
