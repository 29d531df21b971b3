import type { Database } from "./database.ts";

/** The trips of the journal that are no intervention yet, although they are to be dispatched. */
export class UnrecordedTrips {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The zone of each, first those that wait, then those that the local API rejected; at most `limit` of each. */
  zones(limit: number): string[] {
    // A state at a time: each has an index of its own.
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
