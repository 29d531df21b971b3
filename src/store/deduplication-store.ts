import type { Database } from "./database.ts";
import { transaction } from "./transaction.ts";

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
  readonly #unwritten = new Set<DeduplicationEntry>();
  readonly #written = new Set<DeduplicationEntry>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Loads the messages of an earlier run. */
  load(): readonly DeduplicationEntry[] {
    const rows = this.#database
      .prepare(
        `SELECT session, packet_id AS packetId, zone_id AS zoneId, hash, at_wall AS atWallMs
         FROM taken_messages ORDER BY at_wall`,
      )
      .all() as DeduplicationEntry[];
    for (const row of rows) this.#written.add(row);
    return rows;
  }

  /** Queues a message for the next change. */
  add(message: DeduplicationEntry): void {
    this.#unwritten.add(message);
  }

  /**
   * Deletes messages.
   * @throws if the disk rejects it; stored messages then remain
   */
  remove(messages: readonly DeduplicationEntry[]): void {
    for (const message of messages) this.#unwritten.delete(message);
    const written = messages.filter((message) => this.#written.has(message));
    if (written.length === 0) return;
    const statement = this.#database.prepare(
      "DELETE FROM taken_messages WHERE session = ? AND packet_id = ? AND zone_id = ? AND hash = ?",
    );
    transaction(this.#database, () => {
      for (const { session, packetId, zoneId, hash } of written)
        statement.run(session, packetId, zoneId, hash);
    });
    for (const message of written) this.#written.delete(message);
  }

  /**
   * Writes the queued messages in the caller's transaction.
   * @returns a function to call after the commit; its result undoes that if the commit is lost after all
   */
  write(): () => () => void {
    const messages = [...this.#unwritten];
    const statement = this.#database.prepare(
      "INSERT OR REPLACE INTO taken_messages(session, packet_id, zone_id, hash, at_wall) VALUES(?, ?, ?, ?, ?)",
    );
    for (const { session, packetId, zoneId, hash, atWallMs } of messages)
      statement.run(session, packetId, zoneId, hash, Math.round(atWallMs));
    return () => {
      for (const message of messages) {
        this.#unwritten.delete(message);
        this.#written.add(message);
      }
      return () => {
        for (const message of messages) if (this.#written.delete(message)) this.#unwritten.add(message);
      };
    };
  }
}
