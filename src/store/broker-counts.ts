import type { Database } from "./database.ts";

/** The table of how many dropped messages each broker had counted when it was last heard. */
export function createBrokerCounts(database: Database): void {
  database.exec(
    "CREATE TABLE broker_counts(broker TEXT PRIMARY KEY, dropped INTEGER NOT NULL) STRICT, WITHOUT ROWID",
  );
}

/** Remembers a broker's count, so that what it drops while the daemon is away is known afterwards. */
export class BrokerCountStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The last count of a broker (its host and port); undefined for one that was never heard. */
  find(broker: string): number | undefined {
    const row = this.#database.prepare("SELECT dropped FROM broker_counts WHERE broker = ?").pluck();
    return row.get(broker) as number | undefined;
  }

  keep(broker: string, dropped: number): void {
    // A site has one broker; what an earlier configuration had is of no use.
    this.#database.prepare("DELETE FROM broker_counts WHERE broker <> ?").run(broker);
    this.#database.prepare("INSERT OR REPLACE INTO broker_counts VALUES(?, ?)").run(broker, dropped);
  }
}
