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
 * After a restart a trip that is younger than this has its whole pulse, even if it may have had it before: a dialler that is
 * triggered twice is better than one that was never triggered.
 */
const REPEATED_MS = 60_000;

/** How long ago each dispatched trip began to count, from the journal, so that a restart does not end a pulse. */
export class AlarmPulses {
  readonly #options: AlarmPulsesOptions;
  /** When each of the newest trips was first seen, by the monotonic clock; those before the start when they happened. */
  readonly #begun = new Map<number, { readonly zoneId: string; readonly atMs: number }>();
  #isFirst = true;

  constructor(options: AlarmPulsesOptions) {
    this.#options = options;
  }

  /** Reads the new trips. @throws Error if the journal cannot be read */
  read(): void {
    const { trips, clock } = this.#options;
    const nowMs = clock.monotonicMs();
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

  /** The monotonic time of a trip before the start of the daemon; in an earlier boot by the wall clock. */
  #before({ bootId, monotonicMs, wallMs }: DispatchedTrip, nowMs: number): number {
    const { clock } = this.#options;
    const isThisBoot = bootId === this.#options.bootId;
    const agoMs = isThisBoot ? nowMs - monotonicMs : clock.wallMs() - wallMs;
    // A clock that was set back gives a trip in the future.
    return Math.abs(agoMs) < REPEATED_MS ? nowMs : nowMs - Math.abs(agoMs);
  }
}
