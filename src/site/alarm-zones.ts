import type { HeadlineZone } from "../domain/headline.ts";
import type { AlarmFacts } from "../domain/output.ts";
import type { ZoneKind } from "../domain/zone.ts";
import type { EntryDelays } from "../inputs/entry-delays.ts";
import type { AlarmTrips } from "../store/alarm-trips.ts";
import type { OffDiskChanges } from "../store/journal-changes.ts";
import type { UnfinishedRecord } from "../store/unfinished-records.ts";
import type { AlarmZoneView } from "./status-view.ts";

/** Records of which the zones are known: several times as many as are unfinished at a site. */
const RECORDS_MAX = 10_000;

interface AlarmZonesParts {
  readonly trips: AlarmTrips;
  /** The trips that the journal does not have yet. */
  readonly offDisk: Pick<OffDiskChanges, "dispatched">;
  readonly entryDelays: Pick<EntryDelays, "zones" | "overZones">;
}

/** Which zones have an alarm that is not done. */
export class AlarmZones {
  readonly #trips: AlarmTrips;
  readonly #parts: AlarmZonesParts;
  /** The zones whose trips are in a record, by its id. */
  readonly #ofRecord = new Map<number, Set<string>>();
  #nextSeq = 0;

  constructor(parts: AlarmZonesParts) {
    this.#trips = parts.trips;
    this.#parts = parts;
  }

  /**
   * The zones that take part in an alarm.
   * @param records the alarm records that are not done
   * @throws Error if a database cannot be read
   */
  unfinished(records: readonly Pick<UnfinishedRecord, "id">[]): readonly AlarmZoneView[] {
    const newest = new Map<string, number | null>(this.#pendingZones().map((zone) => [zone, null]));
    this.#readTrips();
    for (const { id } of records)
      for (const zone of this.#ofRecord.get(id) ?? []) newest.set(zone, Math.max(newest.get(zone) ?? 0, id));
    return [...newest].map(([id, interventionId]) => ({ id, interventionId }));
  }

  /**
   * Reads the alarms for the outputs, which leave out entry delays and can ask for kinds.
   * @param zones all zones with their state now
   * @param hasRecord whether any alarm record is not done
   * @param records those records; read only if an output asks for kinds
   * @throws Error if a database cannot be read
   */
  read(
    zones: readonly HeadlineZone[],
    hasRecord: boolean,
    records: () => readonly Pick<UnfinishedRecord, "id">[],
  ): Omit<AlarmFacts, "isComplete"> {
    const delayed = new Set(this.#parts.entryDelays.zones);
    const isOpen = ({ id, contact, disposition }: HeadlineZone): boolean =>
      contact === "open" && disposition === "waiting" && !delayed.has(id);
    const now = new Set([...this.#pendingZones(), ...zones.filter(isOpen).map(({ id }) => id)]);
    let kinds: ReadonlySet<ZoneKind> | undefined;
    return {
      isGiven: hasRecord || now.size > 0,
      kinds: () =>
        (kinds ??= kindsOf(zones, new Set([...now, ...(hasRecord ? this.#zonesOf(records()) : [])]))),
    };
  }

  /** Zones with a dispatched trip that is not recorded yet. */
  #pendingZones(): string[] {
    const { offDisk, entryDelays } = this.#parts;
    const unstored = offDisk.dispatched().filter(({ isDelayed }) => !isDelayed);
    return [...this.#trips.pendingZones(), ...unstored.map(({ zoneId }) => zoneId), ...entryDelays.overZones];
  }

  #zonesOf(records: readonly Pick<UnfinishedRecord, "id">[]): string[] {
    this.#readTrips();
    return records.flatMap(({ id }) => [...(this.#ofRecord.get(id) ?? [])]);
  }

  /** Reads the trips that may have got their record since the last time. */
  #readTrips(): void {
    // Read first: a trip that is recorded between the two reads is then read again.
    const nextSeq = this.#trips.settledBefore();
    for (const { zoneId, interventionId } of this.#trips.recordedFrom(this.#nextSeq).toReversed()) {
      const zones = this.#ofRecord.get(interventionId) ?? new Set();
      // The newest at the end.
      this.#ofRecord.delete(interventionId);
      this.#ofRecord.set(interventionId, zones.add(zoneId));
    }
    for (const id of this.#ofRecord.keys()) {
      if (this.#ofRecord.size <= RECORDS_MAX) break;
      this.#ofRecord.delete(id);
    }
    this.#nextSeq = nextSeq;
  }
}

function kindsOf(zones: readonly HeadlineZone[], ids: ReadonlySet<string>): ReadonlySet<ZoneKind> {
  return new Set(zones.filter(({ id }) => ids.has(id)).map(({ kind }) => kind));
}
