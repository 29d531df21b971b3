import type { Log } from "../domain/log.ts";
import {
  confirms,
  isOpen,
  isWithinWindow,
  raised,
  withLine,
  zonesWith,
  type Incident,
} from "../domain/incident.ts";
import type { Intervention } from "../domain/intervention.ts";
import { cleanBody, plainestBody } from "../domain/intervention-text.ts";
import type { Trip } from "../domain/trip.ts";
import type { Journal } from "../store/journal.ts";
import type { Answer, LocalApi } from "./local-api.ts";

export interface IncidentDeskOptions {
  readonly journal: Journal;
  readonly api: LocalApi;
  /** Trips at one objective so long after the last one belong together. */
  readonly incidentWindowMs: number;
  readonly log: Log;
  readonly failpoint?: (name: string) => void;
}

/** How a trip's way went on. `again` leaves it waiting. */
export type Settled =
  | { readonly type: "settled"; readonly interventionId: number }
  | { readonly type: "refused"; readonly reason: string }
  | Extract<Answer, { type: "again" }>;

/** A record that somebody else keeps changing is tried so often before the trip has to wait. */
const READINGS_MAX = 3;
/** Records that are kept in mind as they were last written: the open incidents of a large site. */
const REMEMBERED_MAX = 512;

/** A record as the API answered it, and the version that this is. */
type Version = Pick<Extract<Answer, { type: "record" }>, "record" | "etag">;

/**
 * Makes an intervention of a trip, or lets it join the one that is open at its objective. What it decides is written
 * down first, so that after a crash the same is done again: a POST under the same key, or the very same notes.
 */
export class IncidentDesk {
  readonly #options: IncidentDeskOptions;
  /** As we left them. A change made for such a version is refused if anybody has changed the record since. */
  readonly #remembered = new Map<number, Version>();

  constructor(options: IncidentDeskOptions) {
    this.#options = options;
  }

  async settle(trip: Trip): Promise<Settled> {
    const { journal } = this.#options;
    const decided = trip.incident ?? journal.incidents.latest(trip.subject)?.key ?? trip.key;
    const incident = decided === trip.key ? undefined : journal.incidents.find(decided);
    const isStillDecided = trip.incident !== null;
    if (!incident || (!isStillDecided && !isWithinWindow(incident, trip, this.#options.incidentWindowMs)))
      return this.#open(trip);
    return this.#join(trip, incident);
  }

  /**
   * Gives an intervention the start that was not known, or was read from a clock that has been set since.
   * @param dateStart `from`: what stands there if nobody has changed it, local time. `to`: what it was
   */
  async date(trip: Trip, dateStart: { readonly from: string; readonly to: string }): Promise<Settled> {
    const { api } = this.#options;
    const interventionId = trip.interventionId ?? 0;
    const found = await api.find(interventionId);
    if (found.type === "again") return found;
    // Gone, or dated by a person meanwhile.
    const isOurs = found.type === "record" && [null, dateStart.from].includes(found.record.dateStart ?? null);
    if (found.type !== "record" || !isOurs) return { type: "settled", interventionId };
    const answer = await api.change(interventionId, { dateStart: dateStart.to }, found.etag);
    if (answer.type === "again") return answer;
    if (answer.type === "changed")
      return { type: "again", reason: "the record was changed meanwhile", isBusy: false };
    return { type: "settled", interventionId };
  }

  async #open(trip: Trip): Promise<Settled> {
    const { journal, api, log, failpoint } = this.#options;
    // The end of a fault has nothing to be noted on before the fault has become work.
    if (trip.about === "fault-over")
      return journal.trips.isWaiting(trip.subject, trip.seq)
        ? { type: "again", reason: "its fault has not become an intervention yet", isBusy: false }
        : { type: "refused", reason: "its fault has no intervention" };
    if (trip.incident !== trip.key) await journal.decided(trip, trip.key);
    const body = cleanBody(trip.body);
    let answer = await api.create(trip.key, body);
    // Refused: a crew with a poor text is better than none. It goes under the same key, which only what was taken has
    // used up, so that whichever of the two comes first is the only one. A key that is known with another body is
    // therefore mostly the poor text's, sent before and not answered; it gets that record's answer.
    const first = answer;
    if (answer.type === "refused" || answer.type === "known")
      answer = await api.create(trip.key, plainestBody(body));
    if (answer.type === "again") return answer;
    if (answer.type !== "record")
      return { type: "refused", reason: "reason" in first ? first.reason : "without a reason" };
    failpoint?.("trip-posted");
    this.#remember(answer);
    const { id: interventionId, notes } = answer.record;
    await journal.opened(trip, {
      key: trip.key,
      subject: trip.subject,
      interventionId,
      last: trip.moment,
      zones: zonesWith([], trip),
      notes: notes ?? null,
      next: null,
    });
    log.info("trip-posted", { zone: trip.zoneId, key: trip.key, interventionId });
    return { type: "settled", interventionId };
  }

  async #join(trip: Trip, incident: Incident): Promise<Settled> {
    const { api } = this.#options;
    for (let reading = 0; reading < READINGS_MAX; reading += 1) {
      const found = this.#recalled(trip, incident) ?? (await api.find(incident.interventionId));
      if (found.type === "again") return found;
      const record = found.type === "record" ? found.record : undefined;
      if (record && isTold(trip, incident, record)) return this.#joined(trip, incident, record.notes);
      if (found.type !== "record" || !isOpen(record)) return this.#comesTooLate(trip, incident);
      const answer = await this.#note(trip, incident, record, found.etag);
      if (answer.type === "again") return answer;
      if (answer.type === "record") {
        this.#remember(answer);
        return this.#joined(trip, incident, notesAfter(incident, record, trip));
      }
      // The intervention does not take what this trip has to say: then it gets its own.
      if (answer.type !== "changed" && answer.type !== "missing") return this.#open(trip);
    }
    return { type: "again", reason: "the record is changed all the time", isBusy: false };
  }

  #remember({ record, etag }: Version): void {
    this.#remembered.delete(record.id);
    if (etag !== "") this.#remembered.set(record.id, { record, etag });
    if (this.#remembered.size > REMEMBERED_MAX)
      this.#remembered.delete(this.#remembered.keys().next().value ?? 0);
  }

  /**
   * The record as we left it, once, which spares the reading; only where there is something to be written, so that the API
   * says whether it is still so. A trip that has been tried before looks what has become of that.
   */
  #recalled(trip: Trip, incident: Incident): Extract<Answer, { type: "record" }> | undefined {
    const version = this.#remembered.get(incident.interventionId);
    this.#remembered.delete(incident.interventionId);
    const isSure = version && trip.attempts === 0 && notesAfter(incident, version.record, trip) !== null;
    return isSure ? { type: "record", ...version } : undefined;
  }

  /** Raises what the trip raises and adds its line, as long as the notes are ours. */
  async #note(trip: Trip, incident: Incident, record: Intervention, etag: string): Promise<Answer> {
    const { journal, api } = this.#options;
    const changes = raised(record, trip, confirms(incident, trip));
    const notes = notesAfter(incident, record, trip);
    if (notes === null) {
      if (trip.incident !== incident.key) await journal.decided(trip, incident.key);
    } else {
      // What is there now is ours, also where it was written just before a crash.
      await journal.noting(trip, { ...incident, notes: record.notes, next: { key: trip.key, notes } });
      const answer = await api.change(record.id, { ...changes, notes }, etag);
      this.#options.failpoint?.("trip-noted");
      if (answer.type !== "refused") return answer;
    }
    if (Object.keys(changes).length === 0) return { type: "record", record, etag };
    return api.change(record.id, changes, etag);
  }

  async #joined(trip: Trip, incident: Incident, notes: string | null): Promise<Settled> {
    const { journal, log } = this.#options;
    const { interventionId } = incident;
    await journal.joined(trip, {
      ...incident,
      last: trip.moment,
      zones: zonesWith(incident.zones, trip),
      notes: notes ?? incident.notes,
      next: null,
    });
    log.info("trip-merged", { zone: trip.zoneId, key: trip.key, interventionId });
    return { type: "settled", interventionId };
  }

  /** The intervention is done or gone: a trip opens another one; the end of a fault has nothing left to say. */
  #comesTooLate(trip: Trip, incident: Incident): Promise<Settled> | Settled {
    if (trip.about !== "fault-over") return this.#open(trip);
    const { interventionId } = incident;
    this.#options.journal.trips.settle(trip.key, "merged", interventionId, "its work was done already");
    return { type: "settled", interventionId };
  }
}

/**
 * Whether an earlier attempt has told the record of this trip although it was not answered well: it has the very notes
 * that were to be written, or, where others have joined since, the trip's line.
 */
function isTold(trip: Trip, { next }: Incident, { notes }: Intervention): boolean {
  if (next?.key === trip.key && notes === next.notes) return true;
  return trip.attempts > 0 && (notes ?? "").split("\n").includes(trip.line);
}

/** The notes with the trip's line; null when a person has written there since and they are not ours any more. */
function notesAfter({ notes, next }: Incident, record: Intervention, trip: Trip): string | null {
  const isOurs = record.notes === notes || (next !== null && record.notes === next.notes);
  return isOurs ? withLine(record.notes, trip.line) : null;
}
