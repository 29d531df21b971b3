import type Sqlite from "better-sqlite3";
import type { Database } from "./database.ts";

/** Statements whose text depends on the request, such as its filters. */
export class StatementCache {
  static readonly #MAX = 100;
  readonly #database: Database;
  readonly #statements = new Map<string, Sqlite.Statement>();

  constructor(database: Database) {
    this.#database = database;
  }

  prepare(sql: string): Sqlite.Statement {
    const cached = this.#statements.get(sql);
    if (cached) return cached;
    const statement = this.#database.prepare(sql);
    if (this.#statements.size >= StatementCache.#MAX) this.#statements.clear();
    this.#statements.set(sql, statement);
    return statement;
  }
}
