import type { LinkSample } from "../domain/link-history.ts";
import type { Database } from "./database.ts";
import { transaction } from "./transaction.ts";

/** A month and a day at a sample every five minutes, and room for a link that comes and goes. */
const KEPT_MS = 31 * 86_400_000;
const ROWS_MAX = 20_000;

/** The table of how the link to the centre has stood; rows beyond a month or twenty thousand go. */
export function createLinkSamples(database: Database): void {
  database.exec(`
    CREATE TABLE link_samples(
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      at_wall INTEGER NOT NULL,
      state TEXT NOT NULL CHECK(state IN ('unknown','up','down')),
      oldest_unsent_s INTEGER
    ) STRICT;
    CREATE INDEX link_samples_by_time ON link_samples(at_wall);
  `);
}

/** How the link to the centre has stood, and how long records have waited. */
export class LinkSampleStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  add({ atMs, state, oldestUnsentS }: LinkSample): void {
    transaction(this.#database, () => {
      this.#database
        .prepare("INSERT INTO link_samples(at_wall, state, oldest_unsent_s) VALUES(?, ?, ?)")
        .run(atMs, state, oldestUnsentS);
      this.#database
        .prepare(
          "DELETE FROM link_samples WHERE at_wall < ? OR seq <= (SELECT max(seq) FROM link_samples) - ?",
        )
        .run(atMs - KEPT_MS, ROWS_MAX);
    });
  }

  /** Those of a time, in its order. */
  between(sinceMs: number, untilMs: number): LinkSample[] {
    return this.#database
      .prepare(
        `SELECT at_wall AS atMs, state, oldest_unsent_s AS oldestUnsentS FROM link_samples
         WHERE at_wall BETWEEN ? AND ? ORDER BY at_wall, seq`,
      )
      .all(sinceMs, untilMs) as LinkSample[];
  }
}
