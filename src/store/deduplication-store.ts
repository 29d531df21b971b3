import type { Database } from "./database.ts";
import type { GroupCommit } from "./group-commit.ts";
import { transaction } from "./transaction.ts";
import { TransactionalMap } from "./transactional-map.ts";

/** A processed message, identified in a way that a redelivery matches. */
export interface DeduplicationEntry {
  /** The MQTT client id that numbers the messages: the sensor's, or ours at an external broker. */
  readonly session: string;
  readonly packetId: number;
  readonly zoneId: string;
  /** Hash of topic and payload, because packet ids are reused. */
  readonly hash: string;
  /** Wall clock, milliseconds since 1970. */
  readonly atWallMs: number;
}

/** Migration: processed messages that may be redelivered because their acknowledgement is unconfirmed. */
export function createTakenMessages(database: Database): void {
  database.exec(`
    CREATE TABLE taken_messages(
      session TEXT NOT NULL,
      packet_id INTEGER NOT NULL,
      zone_id TEXT NOT NULL,
      hash TEXT NOT NULL,
      at_wall INTEGER NOT NULL,
      PRIMARY KEY(session, packet_id, zone_id)
    ) STRICT, WITHOUT ROWID;
  `);
}

/**
 * Stores processed messages in the transaction of the next zone change. Until then a redelivered message changes
 * nothing, and most messages change nothing.
 */
export class DeduplicationStore {
  readonly #database: Database;
  readonly #unwritten: TransactionalMap<DeduplicationEntry, "unwritten">;

  constructor(database: Database, commits: Pick<GroupCommit, "onRollback">) {
    this.#database = database;
    this.#unwritten = new TransactionalMap(commits);
  }

  /** Loads the messages of an earlier run. */
  load(): readonly DeduplicationEntry[] {
    return this.#database
      .prepare(
        `SELECT session, packet_id AS packetId, zone_id AS zoneId, hash, at_wall AS atWallMs
         FROM taken_messages ORDER BY at_wall`,
      )
      .all() as DeduplicationEntry[];
  }

  /** Queues a message for the next change. */
  add(message: DeduplicationEntry): void {
    this.#unwritten.set(message, "unwritten");
  }

  /**
   * Deletes messages.
   * @throws if the disk rejects it; stored messages then remain
   */
  remove(messages: readonly DeduplicationEntry[]): void {
    const written = messages.filter((message) => !this.#unwritten.delete(message));
    if (written.length === 0) return;
    const statement = this.#database.prepare(
      "DELETE FROM taken_messages WHERE session = ? AND packet_id = ? AND zone_id = ? AND hash = ?",
    );
    transaction(this.#database, () => {
      for (const { session, packetId, zoneId, hash } of written)
        statement.run(session, packetId, zoneId, hash);
    });
  }

  /** Writes the queued messages in the caller's transaction; `written` is to be called after it. */
  write(): void {
    const statement = this.#database.prepare(
      "INSERT OR REPLACE INTO taken_messages(session, packet_id, zone_id, hash, at_wall) VALUES(?, ?, ?, ?, ?)",
    );
    for (const { session, packetId, zoneId, hash, atWallMs } of this.#unwritten.keys())
      statement.run(session, packetId, zoneId, hash, Math.round(atWallMs));
  }

  /** Empties the queue, which the caller has committed. */
  written(): void {
    this.#unwritten.clear();
  }
}
