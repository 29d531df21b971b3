import type { Database } from "./database.ts";
import { transaction } from "./transaction.ts";

/** A message of which a zone has taken what it says, named as its sender will name it when it comes again. */
export interface DeduplicationEntry {
  /** The MQTT client id under which messages are numbered: a sensor's, or at an external broker our own. */
  readonly session: string;
  readonly packetId: number;
  readonly zoneId: string;
  /** Of topic and payload, because packet ids are used again. */
  readonly hash: string;
  /** Wall clock, milliseconds since 1970. */
  readonly atWallMs: number;
}

/** The table of the messages that may come again although they were taken, because nobody knows of their acknowledgement yet. */
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
 * Messages go to the disk together with the next change of a zone, in the same transaction: before any change a message
 * that is read once more changes nothing, and most messages change nothing.
 */
export class DeduplicationStore {
  readonly #database: Database;
  readonly #unwritten = new Set<DeduplicationEntry>();
  readonly #written = new Set<DeduplicationEntry>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Those of an earlier run. */
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

  /** Has a message written with the next change. */
  add(message: DeduplicationEntry): void {
    this.#unwritten.add(message);
  }

  /**
   * Forgets messages for good.
   * @throws when the disk does not take it; those that were written are then still there
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
   * Writes what waits, inside the transaction of the caller.
   * @returns to be called once that is committed; what this returns is to be called should it be lost after all
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
