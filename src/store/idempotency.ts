import type { Database } from "./database.ts";

/** The answers to keyed requests, so that a repeated request gets the first answer again. */
export class IdempotencyStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** What was answered to this account under this key. */
  find(accountId: number, key: string): StoredResponse | undefined {
    return this.#database
      .prepare("SELECT fingerprint, body FROM idempotency_keys WHERE account_id = ? AND key = ?")
      .get(accountId, key) as StoredResponse | undefined;
  }

  remember(accountId: number, key: string, answer: StoredResponse, nowMs: number): void {
    this.#database
      .prepare(
        "INSERT INTO idempotency_keys(account_id, key, fingerprint, body, created_at) VALUES(?, ?, ?, ?, ?)",
      )
      .run(accountId, key, answer.fingerprint, answer.body, nowMs);
  }

  /** Forgets up to `rows` answers older than `beforeMs`. */
  prune(beforeMs: number, rows: number): number {
    return this.#database
      .prepare(
        `DELETE FROM idempotency_keys WHERE (account_id, key) IN
           (SELECT account_id, key FROM idempotency_keys WHERE created_at < ? LIMIT ?)`,
      )
      .run(beforeMs, rows).changes;
  }
}

export interface StoredResponse {
  /** Hash of the request's body: the same key with another body is a client's mistake. */
  readonly fingerprint: string;
  /** The body that was answered, as sent. */
  readonly body: string;
}
