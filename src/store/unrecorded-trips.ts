import type { Trip } from "../domain/trip.ts";
import { Store } from "./database.ts";
import { toTrip, TRIP, type TripRow } from "./trip-row.ts";

/** The trips that have no record yet: waiting for the local API, or rejected by it. */
export class UnrecordedTrips extends Store {
  // One query per state, because each has its own index.
  readonly #newest = ["waiting", "refused"].map((state) =>
    this.prepare<TripRow>(
      `SELECT ${TRIP} FROM trips WHERE state = '${state}' AND about = 'trip' ORDER BY seq DESC LIMIT ?`,
    ),
  );

  /** Waiting trips, then rejected ones, each newest first; at most `limit` together. */
  newest(limit: number): Trip[] {
    return this.#newest.flatMap((trips) => trips.all(limit).map(toTrip)).slice(0, limit);
  }
}
