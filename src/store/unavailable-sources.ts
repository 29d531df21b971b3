import type { Timestamp } from "../domain/trip.ts";
import type { Database } from "./database.ts";

/** Migration: unavailable sensors and bridges, so that a restart does not restart their grace period. */
export function createLosses(database: Database): void {
  database.exec(`
    CREATE TABLE losses(
      of TEXT PRIMARY KEY,
      since_wall INTEGER NOT NULL,
      since_boot TEXT NOT NULL,
      since_monotonic REAL NOT NULL
    ) STRICT, WITHOUT ROWID;
  `);
}

/** A sensor (by its zone id) or bridge (by its name) that is unavailable, and since when. */
export interface Loss {
  readonly of: string;
  readonly since: Timestamp;
}

export class LossStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  list(): Loss[] {
    const rows = this.#database
      .prepare(
        "SELECT of, since_wall AS wallMs, since_boot AS bootId, since_monotonic AS monotonicMs FROM losses",
      )
      .all() as (Timestamp & { of: string })[];
    return rows.map(({ of, ...since }) => ({ of, since }));
  }

  add({ of, since }: Loss): void {
    this.#database
      .prepare("INSERT OR IGNORE INTO losses(of, since_wall, since_boot, since_monotonic) VALUES(?, ?, ?, ?)")
      .run(of, since.wallMs, since.bootId, since.monotonicMs);
  }

  remove(of: string): void {
    this.#database.prepare("DELETE FROM losses WHERE of = ?").run(of);
  }
}
