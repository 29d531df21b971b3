import type { Clock } from "../domain/clock.ts";
import type { Zone, ZoneKind } from "../domain/zone.ts";
import type { EntryDelays } from "../inputs/entry-delays.ts";
import type { ZoneOverrides } from "../inputs/zone-overrides.ts";
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
  readonly zoneOf: (zoneId: string) => Zone | undefined;
  readonly zoneOverrides: Pick<ZoneOverrides, "isSilenced" | "isSwitchedSince">;
}

/** The last pulse of a zone, by the monotonic clock. */
interface Pulse {
  /** When its newest trip was first seen; for one before the start or in a pause when it began to count. */
  readonly atMs: number;
  /** When a person disarmed, bypassed or tested the zone; undefined before that. */
  readonly silencedMs: number | undefined;
}

/** Rows that are searched after a start or a pause: those of an hour in a busy building, in a few milliseconds. */
const ROWS_MAX = 10_000;
/**
 * After a restart, or a time without a pulsed output, a trip that is younger than this has its whole pulse, even if it may have
 * had it before: a dialler that is triggered twice is better than one that was never triggered.
 */
const REPEATED_MS = 60_000;
/** Of a pulse that a person ends: a dialler is triggered all the same. */
const SILENCED_MS_MIN = 10_000;
/** Reads are a second apart. What happened in a longer pause is old: no output waited for it. */
const PAUSE_MS = REPEATED_MS;

/** How long ago the newest dispatched trip of each zone began to count, from the journal, so that a restart does not end a pulse. */
export class AlarmPulses {
  readonly #options: AlarmPulsesOptions;
  /** By zone. */
  readonly #pulses = new Map<string, Pulse>();
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
    this.#silence(nowMs);
    const unstored = offDisk.dispatched();
    for (const trip of unstored)
      if (!this.#early.has(trip.key) && !this.#isDelayed(trip)) {
        this.#begin(trip, nowMs);
        this.#early.add(trip.key);
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
    if (atMs < (this.#pulses.get(trip.zoneId)?.atMs ?? -Infinity)) return;
    const { zoneOf, zoneOverrides } = this.#options;
    const zone = this.#isFirst ? zoneOf(trip.zoneId) : undefined;
    const silencedMs = zone && zoneOverrides.isSwitchedSince(zone, trip) ? nowMs : undefined;
    this.#pulses.set(trip.zoneId, { atMs, silencedMs });
  }

  /** Ends the pulses of zones whose trips a person suppresses now. */
  #silence(nowMs: number): void {
    const { zoneOf, zoneOverrides } = this.#options;
    for (const [zoneId, { atMs, silencedMs }] of this.#pulses) {
      const zone = zoneOf(zoneId);
      if (silencedMs === undefined && zone && zoneOverrides.isSilenced(zone))
        this.#pulses.set(zoneId, { atMs, silencedMs: nowMs });
    }
  }

  /**
   * The end of the last pulse, by the monotonic clock in milliseconds; undefined if there was none.
   * @param kinds of the zones that count; null for all
   */
  endMs(pulseMs: number, kinds: readonly ZoneKind[] | null): number | undefined {
    const endsMs = [...this.#pulses].flatMap(([zoneId, { atMs, silencedMs = Infinity }]) => {
      const kind = this.#options.zoneOf(zoneId)?.kind;
      if (kinds !== null && (kind === undefined || !kinds.includes(kind))) return [];
      return [Math.min(atMs + pulseMs, Math.max(silencedMs, atMs + SILENCED_MS_MIN))];
    });
    return endsMs.length === 0 ? undefined : Math.max(...endsMs);
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
