import type { Queries } from "./connection.ts";

/** Whether this database has what a centre on SQLite had: its records and accounts move with their ids. */
export class PostgresMovedRows {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  hasRecord(uid: string): Promise<boolean> {
    return this.#isAny("SELECT FROM interventions WHERE uid = $1", [uid]);
  }

  hasAccount({ id, createdAt }: { readonly id: number; readonly createdAt: number }): Promise<boolean> {
    return this.#isAny("SELECT FROM accounts WHERE id = $1 AND created_at = $2", [id, createdAt]);
  }

  /** Whether the database is in use. */
  hasSignInAccounts(): Promise<boolean> {
    return this.#isAny("SELECT FROM accounts WHERE password_hash IS NOT NULL LIMIT 1", []);
  }

  async #isAny(statement: string, values: (string | number)[]): Promise<boolean> {
    return (await this.#queries.query(statement, values)).length > 0;
  }
}
