import type { Database } from "./database.ts";

/** The trips that are to be dispatched and are not interventions yet. */
export class UnrecordedTrips {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The zone ids of waiting trips, then of rejected ones; at most `limit` of each. */
  zones(limit: number): string[] {
    // One query per state, because each has its own index.
    return (["waiting", "refused"] as const).flatMap(
      (state) =>
        this.#database
          .prepare(
            `SELECT zone_id FROM trips WHERE state = '${state}' AND about = 'trip' ORDER BY seq LIMIT ?`,
          )
          .pluck()
          .all(limit) as string[],
    );
  }
}
