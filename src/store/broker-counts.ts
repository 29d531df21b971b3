import type { Database } from "./database.ts";

/** Migration: the last known number of messages dropped by each broker. */
export function createBrokerCounts(database: Database): void {
  database.exec(
    "CREATE TABLE broker_counts(broker TEXT PRIMARY KEY, dropped INTEGER NOT NULL) STRICT, WITHOUT ROWID",
  );
}

/** Stores the counter of a broker, so that messages dropped while the daemon was stopped are noticed. */
export class BrokerCountStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The last counter of a broker (host and port); undefined for an unknown one. */
  find(broker: string): number | undefined {
    const row = this.#database.prepare("SELECT dropped FROM broker_counts WHERE broker = ?").pluck();
    return row.get(broker) as number | undefined;
  }

  keep(broker: string, dropped: number): void {
    // A site has one broker; counters of earlier ones are useless.
    this.#database.prepare("DELETE FROM broker_counts WHERE broker <> ?").run(broker);
    this.#database.prepare("INSERT OR REPLACE INTO broker_counts VALUES(?, ?)").run(broker, dropped);
  }
}
