import type { SwingerCounters } from "../domain/swinger.ts";
import type { Database } from "./database.ts";

/** Swinger counters: how often each zone has tripped since its last quiet period. */
export class SwingerStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The counters of all zones that have any, by zone id. */
  all(): Map<string, SwingerCounters> {
    const rows = this.#database
      .prepare("SELECT zone_id AS zoneId, incidents, trips, counted, last_wall AS lastWallMs FROM swingers")
      .all() as (SwingerCounters & { zoneId: string })[];
    return new Map(rows.map(({ zoneId, ...counters }) => [zoneId, counters]));
  }

  find(zoneId: string): SwingerCounters | undefined {
    return this.#database
      .prepare("SELECT incidents, trips, counted, last_wall AS lastWallMs FROM swingers WHERE zone_id = ?")
      .get(zoneId) as SwingerCounters | undefined;
  }

  save(zoneId: string, { incidents, trips, counted, lastWallMs }: SwingerCounters): void {
    this.#database
      .prepare(
        "INSERT OR REPLACE INTO swingers(zone_id, incidents, trips, counted, last_wall) VALUES(?, ?, ?, ?, ?)",
      )
      .run(zoneId, incidents, trips, counted, lastWallMs);
  }

  /** Counts an incident opened by a trip of this zone. */
  countIncident(zoneId: string): void {
    this.#database.prepare("UPDATE swingers SET incidents = incidents + 1 WHERE zone_id = ?").run(zoneId);
  }

  forget(zoneId: string): void {
    this.#database.prepare("DELETE FROM swingers WHERE zone_id = ?").run(zoneId);
  }
}
