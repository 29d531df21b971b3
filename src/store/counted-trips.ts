import type { TripState } from "../domain/trip.ts";
import { Store } from "./database.ts";

/** The number of trips of a zone in a state. */
interface TripCount {
  readonly zoneId: string;
  readonly state: TripState;
  readonly count: number;
}

interface CountedTrips {
  readonly counts: readonly TripCount[];
  /** The `seq` up to which it has counted. */
  readonly last: number;
  readonly isNewest: boolean;
  /** The `seq` of trips up to `last` that are in their entry delay. */
  readonly delayed: readonly number[];
}

/** Counts the trips of the journal in parts. A trip in its entry delay may still be cancelled: it is counted afterwards. */
export class CountedTripStore extends Store {
  readonly #lastSeq = this.prepare<number>("SELECT coalesce(max(seq), 0) FROM trips").pluck();
  readonly #counts = this.prepare<TripCount>(
    `SELECT zone_id AS zoneId, state, count(*) AS count FROM trips
     WHERE seq > ? AND seq <= ? AND about = 'trip'
       AND NOT EXISTS(SELECT 1 FROM entry_delays WHERE entry_delays.key = trips.key)
     GROUP BY zone_id, state`,
  );
  readonly #delayed = this.prepare<number>(
    "SELECT seq FROM entry_delays JOIN trips USING(key) WHERE seq <= ?",
  ).pluck();
  readonly #ended = this.prepare<TripCount>(
    `SELECT zone_id AS zoneId, state, count(*) AS count FROM trips
     WHERE seq IN (SELECT value FROM json_each(?)) AND about = 'trip' GROUP BY zone_id, state`,
  );

  /**
   * The trips after `seq`, and those whose entry delay has ended since the last call.
   * @param rows maximum that are read
   * @param wereDelayed `delayed` of the last call
   */
  after(seq: number, rows: number, wereDelayed: readonly number[]): CountedTrips {
    const newest = this.#lastSeq.get() ?? 0;
    const last = Math.min(newest, seq + rows);
    const delayed = this.#delayed.all(last);
    const ended = wereDelayed.filter((one) => !delayed.includes(one));
    const counts = [...this.#counts.all(seq, last), ...this.#ended.all(JSON.stringify(ended))];
    return { counts, last, isNewest: last === newest, delayed };
  }
}
