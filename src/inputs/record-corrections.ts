import { formatLocal } from "../domain/calendar.ts";
import { changedZones, isUnfinished, redated } from "../domain/incident.ts";
import { withZoneLines } from "../domain/incident-notes.ts";
import { withTime } from "../domain/intervention-text.ts";
import { isOrWillBeRecorded, unrecordedReason, type Trip, type TripSite } from "../domain/trip.ts";
import type { Journal } from "../store/journal.ts";
import type { LocalApiResult, LocalApi } from "./local-api.ts";
import type { RecordVersions } from "./record-versions.ts";

export interface RecordCorrectionsOptions {
  readonly journal: Journal;
  readonly api: LocalApi;
  readonly site: TripSite;
  /** Latest versions of records, as written by this process. */
  readonly versions: RecordVersions;
}

/** Result of a correction. `early`: the opening is not in a record yet. `again`: to be retried. */
export type Corrected =
  | { readonly type: "resolved"; readonly interventionId: number }
  | { readonly type: "early" }
  | Extract<LocalApiResult, { type: "again" }>;

/** Attempts for a record that changes between reading and writing. */
const ATTEMPTS_MAX = 3;

/** Adds later facts to the records of trips: that a zone was restored, and the time of an opening. */
export class RecordCorrections {
  readonly #options: RecordCorrectionsOptions;

  constructor(options: RecordCorrectionsOptions) {
    this.#options = options;
  }

  /** Notes the restore of a zone in the record of its opening. */
  async noteRestore(restore: Trip): Promise<Corrected> {
    const { journal, api } = this.#options;
    const opening = journal.restores.openingBefore(restore.zoneId, restore.seq);
    if (opening?.state === "waiting" || opening?.state === "refused") return { type: "early" };
    const incident = journal.incidents.find(opening?.incident ?? "");
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
        this.#options.versions.remember(answer);
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

  #restoreRecorded(restore: Trip, reason: string, interventionId: number | null = null): Corrected {
    this.#options.journal.restores.markRecorded(restore.key, reason, interventionId);
    return { type: "resolved", interventionId: interventionId ?? 0 };
  }

  /**
   * Corrects times in a record that were unknown or read from a clock that was set later: its start, the time in its
   * description, and the line of a zone.
   * @param wallMs time of the trip by the clock that is trusted now
   */
  async date(trip: Trip, wallMs: number): Promise<Corrected> {
    const { api, site } = this.#options;
    const interventionId = trip.interventionId ?? 0;
    const found = await api.find(interventionId);
    if (found.type === "again") return found;
    if (found.type !== "record") return { type: "resolved", interventionId };
    const { record, etag } = found;
    const incident = this.#options.journal.incidents.find(trip.incident ?? "");
    const { bootId, monotonicMs } = trip.moment;
    const zones = incident?.zones.map((zone) => redated(zone, bootId, wallMs - monotonicMs)) ?? [];
    const zonesWithLine = zones.filter((zone) => zone.line !== null && !incident?.zones.includes(zone));
    const noted = withZoneLines(record.notes, zones, zonesWithLine, site);
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
