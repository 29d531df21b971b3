import type { Clock } from "../domain/clock.ts";
import type { Zone, ZoneKind } from "../domain/zone.ts";
import type { EntryDelays } from "../inputs/entry-delays.ts";
import type { DispatchedTrip, DispatchedTrips } from "../store/dispatched-trips.ts";
import type { OffDiskChanges } from "../store/journal-changes.ts";

interface AlarmPulsesOptions {
  readonly clock: Clock;
  /** The current boot, in which the monotonic clock of a trip counts. */
  readonly bootId: string;
  readonly trips: Pick<DispatchedTrips, "newestSeq" | "after">;
  /** The trips that the disk has rejected: they sound now, and not once it can be written. */
  readonly offDisk: Pick<OffDiskChanges, "dispatched">;
  readonly entryDelays: Pick<EntryDelays, "isOver" | "endedAtStartMs">;
  /** A zone as it is now; undefined for one that was removed. */
  readonly zoneOf: (zoneId: string) => Pick<Zone, "kind" | "entryDelayMs"> | undefined;
}

/** Rows that are searched after a start or a pause: those of an hour in a busy building, in a few milliseconds. */
const ROWS_MAX = 10_000;
/**
 * After a restart, or a time without a pulsed output, a trip that is younger than this has its whole pulse, even if it may have
 * had it before: a dialler that is triggered twice is better than one that was never triggered.
 */
const REPEATED_MS = 60_000;
/** Reads are a second apart. What happened in a longer pause is old: no output waited for it. */
const PAUSE_MS = REPEATED_MS;

/** How long ago the newest dispatched trip of each zone began to count, from the journal, so that a restart does not end a pulse. */
export class AlarmPulses {
  readonly #options: AlarmPulsesOptions;
  /**
   * When the newest trip of each zone was first seen, by the monotonic clock; one before the start or in a pause when it
   * happened.
   */
  readonly #begunMs = new Map<string, number>();
  /** The newest row that was read, and the older trips that were in their entry delay then. */
  #readSeq = 0;
  #delayed: ReadonlySet<number> = new Set();
  /** The keys of trips that have counted before the journal had them. */
  readonly #early = new Set<string>();
  /** The last read and the first one since the start or a pause, monotonic; also reads that failed. */
  #readMs = -Infinity;
  #sinceMs = -Infinity;
  /** Whether no read since then has succeeded. */
  #isFirst = true;

  constructor(options: AlarmPulsesOptions) {
    this.#options = options;
  }

  /** Reads the new trips. @throws Error if the journal cannot be read */
  read(): void {
    const { trips, clock, offDisk } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#readMs > PAUSE_MS) {
      this.#sinceMs = nowMs;
      this.#isFirst = true;
    }
    this.#readMs = nowMs;
    const unstored = offDisk.dispatched();
    for (const trip of unstored)
      if (!this.#early.has(trip.key) && !this.#isDelayed(trip)) {
        this.#early.add(trip.key);
        this.#begin(trip, nowMs);
      }
    const newestSeq = trips.newestSeq();
    const fromSeq = Math.max(
      Math.min(this.#readSeq, ...[...this.#delayed].map((seq) => seq - 1)),
      newestSeq - ROWS_MAX,
    );
    const rows = trips.after(fromSeq);
    for (const trip of rows) {
      if (this.#isDelayed(trip) || (trip.seq <= this.#readSeq && !this.#delayed.has(trip.seq))) continue;
      if (!this.#early.has(trip.key)) this.#begin(trip, nowMs);
      else if (!unstored.some(({ key }) => key === trip.key)) this.#early.delete(trip.key);
    }
    this.#delayed = new Set(rows.filter((trip) => this.#isDelayed(trip)).map(({ seq }) => seq));
    this.#readSeq = Math.max(newestSeq, rows.at(-1)?.seq ?? 0);
    this.#isFirst = false;
  }

  #isDelayed({ key, isDelayed }: DispatchedTrip): boolean {
    return isDelayed && !this.#options.entryDelays.isOver(key);
  }

  #begin(trip: DispatchedTrip, nowMs: number): void {
    const atMs = this.#isFirst ? this.#before(trip, nowMs) : nowMs;
    this.#begunMs.set(trip.zoneId, Math.max(atMs, this.#begunMs.get(trip.zoneId) ?? -Infinity));
  }

  /**
   * The end of the last pulse, by the monotonic clock in milliseconds; undefined if there was none.
   * @param kinds of the zones that count; null for all
   */
  endMs(pulseMs: number, kinds: readonly ZoneKind[] | null): number | undefined {
    const begunMs = [...this.#begunMs].flatMap(([zoneId, atMs]) => {
      const kind = this.#options.zoneOf(zoneId)?.kind;
      return kinds === null || (kind !== undefined && kinds.includes(kind)) ? [atMs] : [];
    });
    return begunMs.length === 0 ? undefined : Math.max(...begunMs) + pulseMs;
  }

  /**
   * The monotonic time at which a trip before the start or in a pause began to count, in an earlier boot by the wall clock: its
   * opening and the entry delay of its zone.
   */
  #before({ key, zoneId, bootId, monotonicMs, wallMs }: DispatchedTrip, nowMs: number): number {
    const { clock, entryDelays, zoneOf } = this.#options;
    const endedMs = entryDelays.endedAtStartMs(key);
    if (endedMs !== undefined) return endedMs;
    const isThisBoot = bootId === this.#options.bootId;
    // An output waits for it since then: a journal that cannot be read delays a pulse, and does not shorten it.
    if (isThisBoot && monotonicMs >= this.#sinceMs) return nowMs;
    const agoMs = isThisBoot ? nowMs - monotonicMs : clock.wallMs() - wallMs;
    // A clock that was set back gives a trip in the future.
    const begunAgoMs = Math.max(0, Math.abs(agoMs) - (zoneOf(zoneId)?.entryDelayMs ?? 0));
    return begunAgoMs < REPEATED_MS ? nowMs : nowMs - begunAgoMs;
  }
}
