import type { CancelTimer, Clock } from "../domain/clock.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { TripState } from "../domain/trip.ts";
import { isStorageError } from "../store/database.ts";
import type { CountedTripStore } from "../store/counted-trips.ts";

/** States of dispatched trips; trips with other states were suppressed. */
const DISPATCHED: ReadonlySet<string> = new Set(["waiting", "posted", "merged", "refused"] as const);
/** Rows of the journal counted per batch, with pauses so that readings are not delayed. */
const BATCH_ROWS = 5_000;
const PAUSE_MS = 50;

interface TripCountsParts {
  readonly countedTrips: CountedTripStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** The trips in the journal, counted incrementally, because a full journal is too large for each request. */
export class TripCounts {
  readonly #parts: TripCountsParts;
  readonly #byZone = new Map<string, number>();
  readonly #suppressed = new Map<string, { zone: string; reason: TripState; count: number }>();
  #last = 0;
  /** Trips in their entry delay, which are counted at its end. */
  #delayed: readonly number[] = [];
  #isComplete = false;
  #cancel: CancelTimer = () => {};

  constructor(parts: TripCountsParts) {
    this.#parts = parts;
  }

  /** Whether all trips have been counted: a partial count would look like new trips later. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  of(zoneId: string): number {
    return this.#byZone.get(zoneId) ?? 0;
  }

  /** Trips that were not dispatched, by zone and reason. */
  get suppressed(): readonly { readonly zone: string; readonly reason: TripState; readonly count: number }[] {
    return [...this.#suppressed.values()];
  }

  /** Counts the trips since the last call. */
  update(): void {
    this.stop();
    const { clock, countedTrips, log } = this.#parts;
    let part: ReturnType<CountedTripStore["after"]>;
    try {
      part = countedTrips.after(this.#last, BATCH_ROWS, this.#delayed);
    } catch (error) {
      // A storage error is handled where the data is needed; metrics must not stop the monitoring.
      if (!isStorageError(error)) throw error;
      this.#isComplete = false;
      return log.debug("trip-count-failed", { reason: messageOf(error) });
    }
    this.#last = part.last;
    this.#delayed = part.delayed;
    this.#isComplete = part.isNewest;
    if (!part.isNewest) this.#cancel = clock.after(PAUSE_MS, () => this.update());
    for (const { zoneId, state, count } of part.counts) {
      this.#byZone.set(zoneId, this.of(zoneId) + count);
      if (DISPATCHED.has(state)) continue;
      const key = `${zoneId}/${state}`;
      const known = this.#suppressed.get(key)?.count ?? 0;
      this.#suppressed.set(key, { zone: zoneId, reason: state, count: known + count });
    }
  }

  stop(): void {
    this.#cancel();
  }
}
