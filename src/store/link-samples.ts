import type { LinkSample } from "../domain/link-history.ts";
import type { Database } from "./database.ts";
import { transaction } from "./transaction.ts";

/** A month and a day at one sample in five minutes, with room for an unstable link. */
const RETENTION_MS = 31 * 86_400_000;
const ROWS_MAX = 20_000;

/** Migration: samples of the link state, kept for a month or twenty thousand rows. */
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

/** Samples of the link state and of the age of the oldest unsent record. */
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
        .run(atMs - RETENTION_MS, ROWS_MAX);
    });
  }

  /** The samples between two wall clock times, in order. */
  between(sinceMs: number, untilMs: number): LinkSample[] {
    return this.#database
      .prepare(
        `SELECT at_wall AS atMs, state, oldest_unsent_s AS oldestUnsentS FROM link_samples
         WHERE at_wall BETWEEN ? AND ? ORDER BY at_wall, seq`,
      )
      .all(sinceMs, untilMs) as LinkSample[];
  }
}
