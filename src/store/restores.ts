import type { Trip } from "../domain/trip.ts";
import type { Database } from "./database.ts";
import { toTrip } from "./trip-row.ts";

/** Restores of zones among the trips of the journal, and those still to be added to a record. */
export class RestoreStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The newest opening of a zone before `seq`, with any disposition, including contacts found open at the start. */
  openingBefore(zoneId: string, seq = Number.MAX_SAFE_INTEGER): Trip | undefined {
    return this.#one(
      `SELECT * FROM trips WHERE zone_id = ? AND seq < ? AND about IN ('trip','standing')
       ORDER BY seq DESC LIMIT 1`,
      zoneId,
      seq,
    );
  }

  /** The opening of a zone that is open now; undefined if none was recorded since its last restore. */
  currentOpening(zoneId: string): Trip | undefined {
    const newest = this.#one(
      `SELECT * FROM trips WHERE zone_id = ? AND about IN ('trip','standing','restore')
       ORDER BY seq DESC LIMIT 1`,
      zoneId,
    );
    return newest?.type === "restore" ? undefined : newest;
  }

  /** Queues a restore to be added to the record of its opening. Call it in the transaction of the restore. */
  addPending(key: string): void {
    this.#database.prepare("INSERT INTO pending_restores(key) VALUES(?)").run(key);
  }

  /** The oldest queued restore after `seq`. */
  nextPending(seq: number): Trip | undefined {
    return this.#one(
      `SELECT trips.* FROM pending_restores JOIN trips USING(key) WHERE trips.seq > ? ORDER BY trips.seq LIMIT 1`,
      seq,
    );
  }

  countPending(): number {
    return this.#database.prepare("SELECT count(*) FROM pending_restores").pluck().get() as number;
  }

  /** The restore was added to the text of an intervention. */
  markNoted(key: string, interventionId: number): void {
    this.#database.prepare("DELETE FROM pending_restores WHERE key = ?").run(key);
    this.#database
      .prepare("UPDATE trips SET state = 'merged', intervention_id = ?, reason = NULL WHERE key = ?")
      .run(interventionId, key);
  }

  /**
   * The restore stays in the journal only.
   * @param reason why it is in no record
   */
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
