import { isoTime } from "../domain/clock.ts";
import type { Headline } from "../domain/headline.ts";
import { refText, type ObjectiveRef } from "../domain/objective.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import { isLifeSafetySubject } from "../domain/incident.ts";
import { shownPhase } from "../domain/shown-phase.ts";
import type { Trip } from "../domain/trip.ts";
import { byUrgency, type Urgency } from "../domain/urgency.ts";
import type { UnfinishedDetails } from "../store/unfinished-records.ts";
import type { CentreJourneyView, JourneyObjectiveView, JourneyView } from "./journey-view.ts";
import { SiteMonitoring } from "./monitoring.ts";
import type { SiteParts } from "./site-parts.ts";

/** More cards than a screen shows; each costs four look-ups per poll of the stream. */
const JOURNEYS_MAX = 12;

type Parts = Pick<
  SiteParts,
  "config" | "clock" | "journal" | "outbox" | "unfinished" | "objectives" | "transmissions"
>;

/** Reads how far each unfinished intervention of the headline has come. */
export class SiteJourneys {
  readonly #parts: Parts;
  readonly #monitoring: SiteMonitoring;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#monitoring = new SiteMonitoring(parts);
  }

  /**
   * The journeys of a headline: alarms, then other work. Life safety comes first, then what has not arrived, then trips
   * without a record and the newest: the list is cut, and a fire must not vanish behind newer burglaries.
   */
  read(headline: Headline): readonly JourneyView[] {
    const ofRecords: RankedJourney[] = [];
    const uids = new Set<string>();
    for (const { id, name, isAlarm } of unfinishedOf(headline)) {
      const details = this.#parts.unfinished.details(id);
      if (!details) continue;
      uids.add(details.uid);
      ofRecords.push(this.#ofRecord(name, details, isAlarm));
    }
    // The journal learns of a record only with the response: until then a trip waits that has one.
    const ofTrips = this.#parts.journal.unrecorded
      .worst(JOURNEYS_MAX)
      .filter(({ key }) => !uids.has(key))
      .map((trip) => this.#ofTrip(trip));
    return [...ofTrips, ...ofRecords]
      .toSorted((a, b) => Number(b.view.isAlarm) - Number(a.view.isAlarm) || byUrgency(a, b))
      .slice(0, JOURNEYS_MAX)
      .map(({ view }) => view);
  }

  #ofTrip(trip: Trip): RankedJourney {
    const { priority, status = "planned", name } = trip.body;
    const sinceMs = trip.isDated ? trip.moment.wallMs : null;
    const view: JourneyView = {
      interventionId: null,
      name,
      isAlarm: true,
      objective: this.#objective({ type: trip.body.objectiveType, id: trip.body.objectiveId }),
      zone: this.#zoneOf(trip),
      contactAt: sinceMs === null ? null : isoTime(sinceMs),
      isJournaled: true,
      recordedAt: null,
      refusal: trip.lastError,
      priority: priority ?? "high",
      status,
      services: SERVICES.filter((service) => trip.body[service] === true),
      centre: this.#centre(undefined, sinceMs, true),
      receiver: null,
    };
    return {
      view,
      isLifeSafety: isLifeSafetySubject(trip.subject),
      isUndelivered: true,
    };
  }

  #ofRecord(name: string, details: UnfinishedDetails, isAlarm: boolean): RankedJourney {
    const { journal, outbox } = this.#parts;
    const trip = journal.trips.find(details.uid);
    const isTrip = trip !== undefined && trip.type !== "signal";
    const sinceMs = trip?.isDated === true ? trip.moment.wallMs : null;
    const isRescue = details.ambulance + details.firetruck > 0;
    const view: JourneyView = {
      interventionId: details.id,
      name,
      isAlarm,
      objective: this.#objective({ type: details.objectiveType, id: details.objectiveId }),
      zone: isTrip ? this.#zoneOf(trip) : null,
      contactAt: isTrip && sinceMs !== null ? isoTime(sinceMs) : null,
      isJournaled: isTrip,
      recordedAt: isoTime(details.createdMs),
      refusal: null,
      priority: details.priority,
      status: details.status,
      services: servicesOf(details),
      centre: this.#centre(outbox.find(details.id), sinceMs ?? details.createdMs, isAlarm),
      receiver: this.#monitoring.journey(details.id),
    };
    const { centre } = view;
    return {
      view,
      isLifeSafety: isRescue || (isTrip && isLifeSafetySubject(trip.subject)),
      isUndelivered: centre !== null && centre.upstreamId === null && centre.phase !== "closed",
    };
  }

  #objective(ref: ObjectiveRef): JourneyObjectiveView {
    return journeyObjective(ref, this.#parts.objectives.get(ref));
  }

  #zoneOf({ zoneId, signal }: Trip): JourneyView["zone"] {
    const zone = this.#parts.config.zones.find(({ id }) => id === zoneId);
    return { id: zoneId, name: zone?.name ?? signal.name, kind: zone?.kind ?? null };
  }

  /** @param sinceMs when the alarm began, milliseconds since 1970; null if that is not known */
  #centre(
    entry: OutboxEntry | undefined,
    sinceMs: number | null,
    isAlarm: boolean,
  ): CentreJourneyView | null {
    const { upstream } = this.#parts.config;
    if (!upstream) return null;
    const nowMs = this.#parts.clock.wallMs();
    const hasArrived = entry !== undefined && entry.upstreamId !== null;
    const isLate = sinceMs !== null && nowMs - sinceMs > upstream.undeliveredS * 1_000;
    return {
      phase: entry ? shownPhase(entry) : null,
      upstreamId: entry?.upstreamId ?? null,
      arrivedAt: hasArrived && entry.arrivedAtMs !== null ? isoTime(entry.arrivedAtMs) : null,
      attempts: entry?.attempts ?? 0,
      nextAttemptAt: entry && entry.nextAtMs > nowMs ? isoTime(entry.nextAtMs) : null,
      set: hasArrived ? setOf(entry.base) : null,
      // A dropped record has no entry that is sent: the user decided.
      isUndelivered: isAlarm && !hasArrived && isLate && entry?.phase !== "closed",
    };
  }
}

/** A journey with what decides its place. */
interface RankedJourney extends Urgency {
  readonly view: JourneyView;
}

/** A record that the headline names. */
interface HeadlineRecord {
  readonly id: number;
  readonly name: string;
  readonly isAlarm: boolean;
}

/** The unfinished interventions of a headline that are shown, alarms first, each in the order of the headline. */
export function unfinishedOf(headline: Headline): readonly HeadlineRecord[] {
  return GROUPS.flatMap(([code, isAlarm]) =>
    (headline.reasons.find((reason) => reason.code === code)?.items ?? []).flatMap((item) =>
      item.about === "intervention" ? [{ id: item.id, name: item.name, isAlarm }] : [],
    ),
  ).slice(0, JOURNEYS_MAX);
}

/** @param known the objective in the lists; undefined if they do not have it */
export function journeyObjective(
  ref: ObjectiveRef,
  known: { readonly name: string; readonly address?: string | null } | undefined,
): JourneyObjectiveView {
  return { ...ref, name: known?.name ?? refText(ref), address: known?.address ?? null };
}

const GROUPS = [
  ["alarm-unfinished", true],
  ["work-unfinished", false],
] as const;

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
