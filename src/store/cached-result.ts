import { Store, type Database } from "./database.ts";

/** The result of a read that is kept until something changes in the database, by this connection or another. */
export class CachedResult<T> extends Store {
  readonly #read: () => T;
  readonly #otherChanges = this.prepare<number>("PRAGMA data_version").pluck();
  readonly #ownChanges = this.prepare<number>("SELECT total_changes()").pluck();
  #kept: { readonly version: string; readonly result: T } | undefined;

  /** @param read reads this database and nothing else */
  constructor(database: Database, read: () => T) {
    super(database);
    this.#read = read;
  }

  /** The result for the present state of the database. */
  get(): T {
    // A change that is rolled back stays counted, so nothing is kept within a transaction.
    if (this.database.inTransaction) return this.#read();
    const version = `${this.#otherChanges.get()} ${this.#ownChanges.get()}`;
    if (this.#kept?.version !== version) this.#kept = { version, result: this.#read() };
    return this.#kept.result;
  }
}
