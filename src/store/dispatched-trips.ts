import type { Timestamp } from "../domain/trip.ts";
import { Store } from "./database.ts";

/** A trip that is not suppressed, and when its zone opened. */
export interface DispatchedTrip extends Timestamp {
  readonly seq: number;
  readonly zoneId: string;
}

/** The newest trips of the journal that are dispatched, for the outputs. */
export class DispatchedTrips extends Store {
  readonly #newest = this.prepare<DispatchedTrip>(
    `SELECT seq, zone_id AS zoneId, at_wall AS wallMs, boot AS bootId, at_monotonic AS monotonicMs FROM trips
     WHERE seq > (SELECT coalesce(max(seq), 0) FROM trips) - ? AND about IN ('trip','standing')
       AND state IN ('waiting','posted','merged','refused')
       AND NOT EXISTS(SELECT 1 FROM entry_delays WHERE entry_delays.key = trips.key)
     ORDER BY seq`,
  );

  /** Those among the newest rows of the journal, the oldest first; without those in their entry delay. */
  newest(rows: number): DispatchedTrip[] {
    return this.#newest.all(rows);
  }
}
