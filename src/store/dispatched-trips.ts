import type { Timestamp } from "../domain/trip.ts";
import { Store } from "./database.ts";

/** A trip that is not suppressed, and when its zone opened. */
export interface DispatchedTrip extends Timestamp {
  readonly key: string;
  readonly zoneId: string;
  /** Whether it is in its entry delay, in which it can still be cancelled. */
  readonly isDelayed: boolean;
}

/** Such a trip in the journal. */
export interface JournalTrip extends DispatchedTrip {
  readonly seq: number;
}

/** The trips of the journal that are dispatched, for the outputs. */
export class DispatchedTrips extends Store {
  readonly #newestSeq = this.prepare<number>("SELECT coalesce(max(seq), 0) FROM trips").pluck();
  readonly #after = this.prepare<Omit<JournalTrip, "isDelayed"> & { readonly isDelayed: 0 | 1 }>(
    `SELECT seq, key, zone_id AS zoneId, at_wall AS wallMs, boot AS bootId, at_monotonic AS monotonicMs,
       EXISTS(SELECT 1 FROM entry_delays WHERE entry_delays.key = trips.key) AS isDelayed
     FROM trips
     WHERE seq > ? AND about IN ('trip','standing') AND state IN ('waiting','posted','merged','refused')
     ORDER BY seq`,
  );

  /** The number of the newest row of any kind; 0 in an empty journal. */
  newestSeq(): number {
    return this.#newestSeq.get() ?? 0;
  }

  /** Those with a higher number, the oldest first. Reads every row since then. */
  after(seq: number): JournalTrip[] {
    return this.#after.all(seq).map((row) => ({ ...row, isDelayed: row.isDelayed === 1 }));
  }
}
