import type { LinkSample } from "../domain/link-history.ts";
import { Store } from "./database.ts";
import { transaction } from "./transaction.ts";

/** A month and a day at one sample in five minutes, with room for an unstable link. */
const RETENTION_MS = 31 * 86_400_000;
const ROWS_MAX = 20_000;
/** Old samples removed with each new one: a clock that is years ahead for an hour costs some of them, not all. */
const REMOVED_MAX = 2;

/** Samples of the link state and of the age of the oldest unsent record. */
export class LinkSampleStore extends Store {
  readonly #insert = this.prepare(
    "INSERT INTO link_samples(at_wall, state, oldest_unsent_s) VALUES(?, ?, ?)",
  );
  readonly #removeOld = this.prepare(
    `DELETE FROM link_samples WHERE seq <= (SELECT max(seq) FROM link_samples) - ${ROWS_MAX}
       OR seq IN (SELECT seq FROM link_samples WHERE at_wall < ? ORDER BY at_wall LIMIT ${REMOVED_MAX})`,
  );
  readonly #between = this.prepare<LinkSample>(
    `SELECT at_wall AS atMs, state, oldest_unsent_s AS oldestUnsentS FROM link_samples
     WHERE at_wall BETWEEN ? AND ? ORDER BY at_wall, seq`,
  );

  add({ atMs, state, oldestUnsentS }: LinkSample): void {
    transaction(this.database, () => {
      this.#insert.run(atMs, state, oldestUnsentS);
      this.#removeOld.run(atMs - RETENTION_MS);
    });
  }

  /** The samples between two wall clock times, in order. */
  between(sinceMs: number, untilMs: number): LinkSample[] {
    return this.#between.all(sinceMs, untilMs);
  }
}
