import type { Trip } from "../domain/trip.ts";
import type { Database } from "./database.ts";
import { toTrip } from "./trip-row.ts";

/** Closings of zones, among the trips of the journal, and which of them still have to be noted in a record. */
export class RestoreStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The newest opening of a zone before `seq`, whatever became of it; one that was found standing counts as well. */
  openingBefore(zoneId: string, seq = Number.MAX_SAFE_INTEGER): Trip | undefined {
    return this.#one(
      `SELECT * FROM trips WHERE zone_id = ? AND seq < ? AND about IN ('trip','standing')
       ORDER BY seq DESC LIMIT 1`,
      zoneId,
      seq,
    );
  }

  /** The opening of a zone that is open now; undefined where none was recorded since it last closed. */
  currentOpening(zoneId: string): Trip | undefined {
    const newest = this.#one(
      `SELECT * FROM trips WHERE zone_id = ? AND about IN ('trip','standing','restore')
       ORDER BY seq DESC LIMIT 1`,
      zoneId,
    );
    return newest?.type === "restore" ? undefined : newest;
  }

  /** Has a closing noted in the record of its opening; to be written in the transaction of the closing itself. */
  addPending(key: string): void {
    this.#database.prepare("INSERT INTO pending_restores(key) VALUES(?)").run(key);
  }

  /** The oldest closing behind `seq` that is to be noted. */
  nextPending(seq: number): Trip | undefined {
    return this.#one(
      `SELECT trips.* FROM pending_restores JOIN trips USING(key) WHERE trips.seq > ? ORDER BY trips.seq LIMIT 1`,
      seq,
    );
  }

  countPending(): number {
    return this.#database.prepare("SELECT count(*) FROM pending_restores").pluck().get() as number;
  }

  /** The closing is in the text of an intervention. */
  markNoted(key: string, interventionId: number): void {
    this.#database.prepare("DELETE FROM pending_restores WHERE key = ?").run(key);
    this.#database
      .prepare("UPDATE trips SET state = 'merged', intervention_id = ?, reason = NULL WHERE key = ?")
      .run(interventionId, key);
  }

  /** The closing stays in the journal alone. @param reason why it is in no record */
  markRecorded(key: string, reason: string, interventionId: number | null): void {
    this.#database.prepare("DELETE FROM pending_restores WHERE key = ?").run(key);
    this.#database
      .prepare("UPDATE trips SET reason = ?, intervention_id = ? WHERE key = ?")
      .run(reason, interventionId, key);
  }

  #one(sql: string, ...parameters: readonly (string | number)[]): Trip | undefined {
    const row = this.#database.prepare(sql).get(...parameters);
    return row === undefined ? undefined : toTrip(row);
  }
}
