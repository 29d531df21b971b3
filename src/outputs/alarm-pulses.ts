import type { Clock } from "../domain/clock.ts";
import type { ZoneKind } from "../domain/zone.ts";
import type { DispatchedTrip } from "../store/dispatched-trips.ts";

interface AlarmPulsesOptions {
  readonly clock: Clock;
  /** The current boot, in which the monotonic clock of a trip counts. */
  readonly bootId: string;
  readonly trips: { newest(rows: number): DispatchedTrip[] };
  /** Kind of a zone now; undefined for a zone that was removed. */
  readonly kindOf: (zoneId: string) => ZoneKind | undefined;
}

/** Rows in which dispatched trips are searched: more than one commit of the journal adds. */
const ROWS = 200;
/**
 * After a restart, or a time without a pulsed output, a trip that is younger than this has its whole pulse, even if it may have
 * had it before: a dialler that is triggered twice is better than one that was never triggered.
 */
const REPEATED_MS = 60_000;
/** Reads are a second apart. What happened in a longer pause is old: no output waited for it. */
const PAUSE_MS = REPEATED_MS;

/** How long ago each dispatched trip began to count, from the journal, so that a restart does not end a pulse. */
export class AlarmPulses {
  readonly #options: AlarmPulsesOptions;
  /**
   * When each of the newest trips was first seen, by the monotonic clock; those before the start or in a pause when they
   * happened.
   */
  readonly #begun = new Map<number, { readonly zoneId: string; readonly atMs: number }>();
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
    const { trips, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#readMs > PAUSE_MS) {
      this.#sinceMs = nowMs;
      this.#isFirst = true;
    }
    this.#readMs = nowMs;
    const rows = trips.newest(ROWS);
    for (const trip of rows)
      if (!this.#begun.has(trip.seq))
        this.#begun.set(trip.seq, {
          zoneId: trip.zoneId,
          atMs: this.#isFirst ? this.#before(trip, nowMs) : nowMs,
        });
    const kept = new Set(rows.map(({ seq }) => seq));
    for (const seq of this.#begun.keys()) if (!kept.has(seq)) this.#begun.delete(seq);
    this.#isFirst = false;
  }

  /**
   * The end of the last pulse, by the monotonic clock in milliseconds; undefined if there was none.
   * @param kinds of the zones that count; null for all
   */
  endMs(pulseMs: number, kinds: readonly ZoneKind[] | null): number | undefined {
    const begun = [...this.#begun.values()].filter(({ zoneId }) => {
      const kind = this.#options.kindOf(zoneId);
      return kinds === null || (kind !== undefined && kinds.includes(kind));
    });
    return begun.length === 0 ? undefined : Math.max(...begun.map(({ atMs }) => atMs)) + pulseMs;
  }

  /** The monotonic time of a trip before the start or in a pause; in an earlier boot by the wall clock. */
  #before({ bootId, monotonicMs, wallMs }: DispatchedTrip, nowMs: number): number {
    const { clock } = this.#options;
    const isThisBoot = bootId === this.#options.bootId;
    // An output waits for it since then: a journal that cannot be read delays a pulse, and does not shorten it.
    if (isThisBoot && monotonicMs >= this.#sinceMs) return nowMs;
    const agoMs = isThisBoot ? nowMs - monotonicMs : clock.wallMs() - wallMs;
    // A clock that was set back gives a trip in the future.
    return Math.abs(agoMs) < REPEATED_MS ? nowMs : nowMs - Math.abs(agoMs);
  }
}
