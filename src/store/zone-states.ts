import type { Database } from "./database.ts";

export interface StoredZoneState {
  readonly contact: "normal" | "open";
  /** Wall clock of the change, milliseconds since 1970. */
  readonly sinceWallMs: number;
}

/** What each zone last settled on. */
export class ZoneStateStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  find(zoneId: string): StoredZoneState | undefined {
    return this.#database
      .prepare("SELECT contact, since_wall AS sinceWallMs FROM zone_states WHERE zone_id = ?")
      .get(zoneId) as StoredZoneState | undefined;
  }

  save(zoneId: string, state: StoredZoneState): void {
    this.#database
      .prepare(
        `INSERT INTO zone_states(zone_id, contact, since_wall) VALUES(?, ?, ?)
         ON CONFLICT(zone_id) DO UPDATE SET contact = excluded.contact, since_wall = excluded.since_wall`,
      )
      .run(zoneId, state.contact, state.sinceWallMs);
  }
}
