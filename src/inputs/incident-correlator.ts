import {
  changedZones,
  confirmedBody,
  confirms,
  isUnfinished,
  escalation,
  withOpening,
  withZone,
  type Incident,
  type IncidentZone,
} from "../domain/incident.ts";
import { incidentNear, isTimeUnknown, laterOf } from "../domain/incident-window.ts";
import { hasZoneLine, NOTES_LENGTH_MAX, withLine, withZoneLines } from "../domain/incident-notes.ts";
import { cleanBody, clip, minimalBody, referenceTo } from "../domain/intervention-text.ts";
import type { Intervention, InterventionCreate } from "../domain/intervention.ts";
import type { Log } from "../domain/log.ts";
import type { Trip, TripSite } from "../domain/trip.ts";
import type { Journal } from "../store/journal.ts";
import type { LocalApi, LocalApiResult, RecordVersion } from "./local-api.ts";

export interface IncidentCorrelatorOptions {
  readonly journal: Journal;
  readonly api: LocalApi;
  /** `incidentWindowS`: trips of one class at one objective within this time of the last one form one incident. */
  readonly site: TripSite & { readonly incidentWindowS: number };
  readonly log: Log;
  readonly failpoint?: (name: string) => void;
}

/** Outcome of a trip. `again` leaves it waiting. */
type Resolved =
  | { readonly type: "resolved"; readonly interventionId: number }
  | { readonly type: "refused"; readonly reason: string }
  | Extract<LocalApiResult, { type: "again" }>;

/** If the record changes between reading and writing this many times, the trip opens its own record. */
const UPDATE_ATTEMPTS_MAX = 3;

/** After this many attempts, a record that cannot be read or written no longer delays the trip. */
const ATTEMPTS_MAX = 3;

/** What a trip adds to the notes of a record, and the zones of the incident that change. */
interface Addition {
  readonly notes: string;
  readonly changed: readonly IncidentZone[];
}

/**
 * Creates an intervention for a trip, or adds the trip to the unfinished one of its class at its objective. A trip has
 * joined only when a response of the API contains its line. If the record cannot take the line, or was moved to another
 * objective, the trip opens its own record with a reference to the other. Each decision is stored first, so that it is repeated after a crash.
 */
export class IncidentCorrelator {
  readonly #options: IncidentCorrelatorOptions;

  constructor(options: IncidentCorrelatorOptions) {
    this.#options = options;
  }

  /** Dispatches a trip or fault to a record. */
  async resolve(trip: Trip): Promise<Resolved> {
    const { journal, site } = this.#options;
    const windowMs = site.incidentWindowS * 1000;
    const near = incidentNear(journal.incidents.newest(trip.subject), trip, windowMs);
    const decided = trip.incident ?? near?.key ?? trip.key;
    const incident = decided === trip.key ? undefined : journal.incidents.find(decided);
    const isDecided = trip.incident !== null;
    const opening = trip.isRedelivered && decided !== trip.key ? journal.trips.find(decided) : undefined;
    // Until then the incident has the id of the record that was lost.
    if (opening?.state === "waiting")
      return { type: "again", reason: "its incident does not have an intervention yet", isBusy: false };
    if (opening?.state === "refused") return this.#open(trip);
    if (!incident) return this.#open(trip);
    // In doubt one crew too many: it may be days since. If it was only a short reboot, the trip confirms the other zone.
    if (!isDecided && isTimeUnknown(incident, trip))
      return this.#open(trip, undefined, confirms(incident, trip));
    return this.#join(trip, incident);
  }

  async #open(trip: Trip, continued?: Intervention, isConfirming = false): Promise<Resolved> {
    const { journal, api, log, failpoint } = this.#options;
    // The end of a fault cannot be noted until the fault has an intervention.
    if (trip.type === "fault-over") return this.#endWithoutWork(trip);
    const own = isConfirming ? confirmedBody(trip) : trip.body;
    const body = cleanBody(continued ? this.#continuing(own, continued) : own);
    if (trip.incident !== trip.key)
      await journal.decided(trip, trip.key, continued || isConfirming ? body : undefined);
    let answer = await api.create(trip.key, body);
    // If the text is rejected, retry with a minimal text: a crew with little information is better than none. The same
    // key guarantees one record, because only an accepted request uses the key up. A key that is known with another
    // body mostly belongs to an earlier minimal text without a response; the retry returns that record.
    let first = answer;
    if (answer.type === "refused" || answer.type === "known")
      answer = await api.create(trip.key, minimalBody(body));
    if (answer.type === "again") return answer;
    // The key has created a record: the trip must not join another one later.
    if (answer.type === "known") first = answer;
    if (answer.type !== "record")
      return { type: "refused", reason: "reason" in first ? first.reason : "no reason given" };
    failpoint?.("trip-posted");
    const interventionId = answer.record.id;
    await journal.opened(trip, {
      key: trip.key,
      subject: trip.subject,
      interventionId,
      last: trip.moment,
      zones: isOpening(trip) ? [withOpening(undefined, trip)] : [],
    });
    log.info("trip-posted", { zone: trip.zoneId, key: trip.key, interventionId });
    return { type: "resolved", interventionId };
  }

  /** The body of a record that continues another one, with a reference to it. */
  #continuing(body: InterventionCreate, first: Intervention): InterventionCreate {
    const reference = referenceTo(first, this.#options.site.locale);
    return { ...body, description: clip(`${reference}\n${body.description ?? ""}`, 4000) };
  }

  #endWithoutWork(trip: Trip): Resolved {
    const { trips } = this.#options.journal;
    return trips.isWaiting(trip.subject, trip.seq)
      ? { type: "again", reason: "its fault does not have an intervention yet", isBusy: false }
      : { type: "refused", reason: "its fault has no intervention" };
  }

  async #join(trip: Trip, incident: Incident): Promise<Resolved> {
    const { api, journal, failpoint } = this.#options;
    const { interventionId } = incident;
    let last: Intervention | undefined;
    for (let attempt = 0; attempt < UPDATE_ATTEMPTS_MAX; attempt += 1) {
      const found = this.#cachedVersion(trip, interventionId) ?? (await api.find(interventionId));
      if (found.type === "again") {
        if (isWorthWaiting(found, trip)) return found;
        break;
      }
      const record = found.type === "record" ? found.record : undefined;
      const addition = record && this.#additionOf(trip, incident, record);
      // A line written by an earlier attempt may be there, whatever the response to that attempt was.
      const isRetry = trip.incident !== null;
      if (record && addition && (isRetry || isUnfinished(record)) && containsLine(record, trip, addition))
        return this.#joined(trip, incident, addition);
      if (found.type !== "record" || !isUnfinished(record))
        return this.#resolveAfterClose(trip, incident, record);
      last = record;
      // A crew goes to the objective of its record: an alarm of another place must not end there.
      if (!addition || (trip.type !== "fault-over" && isMoved(record, trip))) break;
      if (trip.incident !== incident.key) await journal.decided(trip, incident.key);
      const changes = escalation(record, trip, confirms(incident, trip));
      // The end of a fault, and an alarm that a dispatcher may have finished long ago, reopen no record.
      const joining = trip.type === "fault-over" || trip.isRedelivered ? undefined : trip.key;
      const answer = await api.change(record.id, { ...changes, notes: addition.notes }, found.etag, joining);
      failpoint?.("trip-noted");
      if (answer.type === "again" && isWorthWaiting(answer, trip)) return answer;
      if (answer.type === "record" && answer.record.notes === addition.notes)
        return this.#joined(trip, incident, addition);
      if (answer.type !== "changed" && answer.type !== "missing") break;
    }
    // The record cannot take the line, was moved, or changes all the time: the trip opens its own.
    if (trip.type === "fault-over") return this.#endWithoutNote(trip, interventionId);
    return this.#open(trip, last, confirms(incident, trip));
  }

  /** The record as this process last wrote it, which saves a read; used once, and only in the first attempt of a trip. */
  #cachedVersion(trip: Trip, interventionId: number): RecordVersion | undefined {
    const version = this.#options.api.takeCached(interventionId);
    return trip.attempts === 0 && trip.incident === null ? version : undefined;
  }

  /** @returns undefined if the notes are full */
  #additionOf(trip: Trip, { zones }: Incident, record: Intervention): Addition | undefined {
    if (!isOpening(trip)) {
      const notes = withLine(record.notes ?? "", null, trip.line);
      return [...notes].length > NOTES_LENGTH_MAX ? undefined : { notes, changed: [] };
    }
    const known = zones.find(({ zoneId }) => zoneId === trip.zoneId);
    const opened = withOpening(known, trip);
    // The record's description already lists a zone found open, unless the minimal text was used.
    if (isDescribed(record, trip)) return { notes: record.notes ?? "", changed: [opened] };
    const noted = withZoneLines(record.notes, zones, [opened], this.#options.site);
    return noted && { notes: noted.notes, changed: changedZones(zones, noted.zones) };
  }

  async #joined(trip: Trip, incident: Incident, { changed }: Addition): Promise<Resolved> {
    const { journal, log } = this.#options;
    const { interventionId } = incident;
    const zones = changed.reduce(withZone, incident.zones);
    const last = laterOf(incident.last, trip.moment);
    await journal.joined(trip, { ...incident, last, zones }, changed);
    log.info("trip-merged", { zone: trip.zoneId, key: trip.key, interventionId });
    return { type: "resolved", interventionId };
  }

  /**
   * The intervention is done or deleted (undefined): a trip opens another one. The end of a fault is not noted anywhere, and
   * neither is a trip that the database had lost and the intervention names: its alarm is over.
   */
  #resolveAfterClose(
    trip: Trip,
    { key, interventionId }: Incident,
    done: Intervention | undefined,
  ): Promise<Resolved> | Resolved {
    const isNamed = (): boolean =>
      done === undefined || this.#isZoneOf(key, trip) || hasZoneLine(done.notes, trip.signal.name);
    const isOver = trip.type === "fault-over" || (trip.isRedelivered && isNamed());
    if (!isOver) return this.#open(trip);
    this.#options.journal.trips.resolve(
      trip.key,
      "recorded",
      interventionId,
      "its intervention was already done",
    );
    return { type: "resolved", interventionId };
  }

  /** Whether the zone has opened the incident, so that its name and description are about it. */
  #isZoneOf(incident: string, { zoneId }: Trip): boolean {
    return this.#options.journal.trips.find(incident)?.zoneId === zoneId;
  }

  #endWithoutNote(trip: Trip, interventionId: number): Resolved {
    const reason = `the notes of intervention ${interventionId} could not take it`;
    this.#options.journal.trips.resolve(trip.key, "recorded", interventionId, reason);
    return { type: "resolved", interventionId };
  }
}

/** A busy API delays every trip. A single unreadable record must not delay an alarm for longer than a few attempts. */
function isWorthWaiting({ isBusy }: Extract<LocalApiResult, { type: "again" }>, { attempts }: Trip): boolean {
  return isBusy || attempts < ATTEMPTS_MAX;
}

/** Whether a user has moved the record to another objective. */
function isMoved(record: Intervention, { body }: Trip): boolean {
  return record.objectiveType !== body.objectiveType || record.objectiveId !== body.objectiveId;
}

function isOpening({ type }: Trip): boolean {
  return type === "trip" || type === "standing";
}

/** Whether the record already contains the trip's line. */
function containsLine(record: Intervention, trip: Trip, { notes }: Addition): boolean {
  return isDescribed(record, trip) || record.notes === notes;
}

function isDescribed({ description }: Intervention, { type, line }: Trip): boolean {
  return type === "standing" && (description ?? "").split("\n").includes(line);
}
