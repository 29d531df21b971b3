import { formatLocal } from "../domain/calendar.ts";
import type { Clock, TrustedTime } from "../domain/clock.ts";
import { changedZones, isUnfinished, redated, type Incident } from "../domain/incident.ts";
import { withZoneLines } from "../domain/incident-notes.ts";
import { withTime } from "../domain/intervention-text.ts";
import { isOrWillBeRecorded, unrecordedReason, type Trip, type TripSite } from "../domain/trip.ts";
import type { Journal } from "../store/journal.ts";
import type { LocalApiResult, LocalApi } from "./local-api.ts";

interface RecordCorrectionsOptions {
  readonly journal: Journal;
  readonly api: LocalApi;
  readonly site: TripSite;
  /** The current boot, for trips that were seen while the clock was not trusted. */
  readonly bootId: string;
  readonly time: TrustedTime;
  readonly clock: Clock;
}

/** Result of a correction. `early`: the opening is not in a record yet. `again`: to be retried. */
type Corrected =
  | { readonly type: "resolved"; readonly interventionId: number }
  | { readonly type: "early" }
  | Extract<LocalApiResult, { type: "again" }>;

/** Attempts for a record that changes between reading and writing. */
const ATTEMPTS_MAX = 3;

/**
 * Trips seen this long before the clock was set get a corrected time. Older ones have long been dispatched, and the
 * difference may only be due to a suspended machine.
 */
const REDATED_MS = 900_000;
/** Clock difference from which dates are checked: half of the difference that makes a date wrong. */
const MIN_CLOCK_STEP_MS = 15_000;

/** Adds later facts to the records of trips: that a zone was restored, and the time of an opening. */
export class RecordCorrections {
  readonly #options: RecordCorrectionsOptions;
  /** Offset between wall and monotonic clock when dates were last checked. */
  #wallMinusMonotonicMs = Number.NEGATIVE_INFINITY;

  constructor(options: RecordCorrectionsOptions) {
    this.#options = options;
  }

  /** Notes the restore of a zone in the record of its opening. */
  async noteRestore(restore: Trip): Promise<Corrected> {
    const { journal, api } = this.#options;
    const opening = journal.restores.openingBefore(restore.zoneId, restore.seq);
    if (opening?.state === "waiting" || opening?.state === "refused") return { type: "early" };
    const incident = opening && this.#incidentOfOpening(opening);
    const zone = incident?.zones.find(({ zoneId }) => zoneId === restore.zoneId);
    if (!incident || !zone) return this.#restoreRecorded(restore, unrecordedReason(opening));
    if (this.#hasOpenedAgain(restore)) return this.#restoreRecorded(restore, "the zone opened again");
    const closed = { ...zone, closed: { ...restore.moment, isDated: restore.isDated } };
    const { interventionId } = incident;
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const found = await api.find(interventionId);
      if (found.type === "again") return found;
      if (found.type !== "record" || !isUnfinished(found.record))
        return this.#restoreRecorded(
          restore,
          `intervention ${interventionId} is done or deleted`,
          interventionId,
        );
      const noted = withZoneLines(found.record.notes, incident.zones, [closed], this.#options.site);
      if (!noted) break;
      const isNoted = noted.notes === found.record.notes;
      const answer = isNoted ? found : await api.change(interventionId, { notes: noted.notes }, found.etag);
      if (answer.type === "again") return answer;
      if (answer.type === "record" && answer.record.notes === noted.notes) {
        const { zones } = noted;
        await journal.restoreNoted(restore, { ...incident, zones }, changedZones(incident.zones, zones));
        return { type: "resolved", interventionId };
      }
      if (answer.type !== "changed") break;
    }
    return this.#restoreRecorded(
      restore,
      `the notes of intervention ${interventionId} could not take it`,
      interventionId,
    );
  }

  /** Whether the zone has tripped again: then its line already shows it as open. */
  #hasOpenedAgain({ zoneId, seq }: Trip): boolean {
    const newest = this.#options.journal.restores.openingBefore(zoneId);
    return newest !== undefined && newest.seq > seq && isOrWillBeRecorded(newest);
  }

  async #restoreRecorded(
    restore: Trip,
    reason: string,
    interventionId: number | null = null,
  ): Promise<Corrected> {
    await this.#options.journal.restoreKept(restore, reason, interventionId);
    return { type: "resolved", interventionId: interventionId ?? 0 };
  }

  /**
   * Sets the start of this boot's interventions once the clock is trusted; of one at least, so that all get theirs.
   * @param isInterrupted called after each; whether to leave the rest to the next call
   * @returns why an intervention has to be tried again; undefined if there is none
   */
  async dateUndated(isInterrupted: () => boolean): Promise<string | undefined> {
    const { journal, time, clock, bootId } = this.#options;
    const { trips } = journal;
    if (!time.isTrusted()) return undefined;
    this.#clearDatesAfterClockStep();
    let failure: string | undefined;
    for (let trip = trips.nextUndated(bootId, 0); trip; trip = trips.nextUndated(bootId, trip.seq)) {
      const wallMs = Math.round(clock.wallMs() - (clock.monotonicMs() - trip.moment.monotonicMs));
      const dated = await this.#date(trip, wallMs);
      if (dated.type !== "again") trips.markDated(trip.key, wallMs);
      // One record that cannot be changed does not delay the others; a busy API would respond the same to them.
      else failure ??= `the start of intervention ${trip.interventionId} cannot be set (${dated.reason})`;
      if (isInterrupted() || (dated.type === "again" && dated.isBusy)) break;
    }
    return failure;
  }

  /** Clears dates that were read from a clock that has been set since. */
  #clearDatesAfterClockStep(): void {
    const { journal, clock, bootId } = this.#options;
    const wallMinusMonotonicMs = clock.wallMs() - clock.monotonicMs();
    if (Math.abs(wallMinusMonotonicMs - this.#wallMinusMonotonicMs) < MIN_CLOCK_STEP_MS) return;
    const sinceMs = clock.monotonicMs() - REDATED_MS;
    journal.trips.clearDate({ id: bootId, wallMinusMonotonicMs, sinceMs });
    this.#wallMinusMonotonicMs = wallMinusMonotonicMs;
  }

  /** The incident whose lines have the time of a trip; a restore is in that of its opening. */
  #incidentOf({ type, incident, zoneId, seq }: Trip): Incident | undefined {
    const { incidents, restores } = this.#options.journal;
    if (type !== "restore") return incidents.find(incident ?? "");
    const opening = restores.openingBefore(zoneId, seq);
    return opening && this.#incidentOfOpening(opening);
  }

  /** The incident of an opening. For a contact that the description of its record listed, earlier versions stored none. */
  #incidentOfOpening({ incident, subject, interventionId }: Trip): Incident | undefined {
    const { incidents } = this.#options.journal;
    if (incident !== null) return incidents.find(incident);
    const newest = interventionId === null ? [] : incidents.newest(subject);
    return newest
      .map(({ key }) => incidents.find(key))
      .find((found) => found?.interventionId === interventionId);
  }

  /**
   * Corrects times in a record that were unknown or read from a clock that was set later: its start, the time in its
   * description, and the line of a zone.
   * @param wallMs time of the trip by the clock that is trusted now
   */
  async #date(trip: Trip, wallMs: number): Promise<Corrected> {
    const { api, site } = this.#options;
    const interventionId = trip.interventionId ?? 0;
    const found = await api.find(interventionId);
    if (found.type === "again") return found;
    if (found.type !== "record") return { type: "resolved", interventionId };
    const { record, etag } = found;
    const incident = this.#incidentOf(trip);
    const { bootId, monotonicMs } = trip.moment;
    const zones = incident?.zones.map((zone) => redated(zone, bootId, wallMs - monotonicMs)) ?? [];
    const zonesWithLine = zones.filter((zone) => zone.line !== null && !incident?.zones.includes(zone));
    const noted = withZoneLines(
      withFaultTime(record.notes ?? null, trip, wallMs, site),
      zones,
      zonesWithLine,
      site,
    );
    // A start set by a user, or by another trip, is kept.
    const from = formatLocal(trip.moment.wallMs, site.timezone);
    const isStartFromTrip = trip.state === "posted" && [null, from].includes(record.dateStart ?? null);
    const described =
      trip.state === "posted" && withTime(record.description, trip.moment.wallMs, wallMs, site);
    const changes = {
      ...(isStartFromTrip ? { dateStart: formatLocal(wallMs, site.timezone) } : {}),
      ...(described && described !== record.description ? { description: described } : {}),
      ...(noted && noted.notes !== (record.notes ?? "") ? { notes: noted.notes } : {}),
    };
    if (Object.keys(changes).length > 0) {
      const answer = await api.change(interventionId, changes, etag);
      if (answer.type === "again") return answer;
      if (answer.type === "changed")
        return { type: "again", reason: "the record was changed in the meantime", isBusy: false };
    }
    if (incident && noted)
      await this.#options.journal.zonesNoted(
        { ...incident, zones: noted.zones },
        changedZones(incident.zones, noted.zones),
      );
    return { type: "resolved", interventionId };
  }
}

/** The notes with the corrected time in the line of a fault, or of its end; a line that a user has changed stays as it is. */
function withFaultTime(
  notes: string | null,
  { line, moment }: Trip,
  wallMs: number,
  site: TripSite,
): string | null {
  const dated = withTime(line, moment.wallMs, wallMs, site) ?? line;
  if (line === "" || dated === line || notes === null) return notes;
  return notes
    .split("\n")
    .map((one) => (one === line ? dated : one))
    .join("\n");
}
