import type { Database } from "./database.ts";

/** Responses to requests with an idempotency key, so that a repeated request gets the first response. */
export class IdempotencyStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The response to an account's request with a key. */
  find(accountId: number, key: string): StoredResponse | undefined {
    return this.#database
      .prepare("SELECT fingerprint, body FROM idempotency_keys WHERE account_id = ? AND key = ?")
      .get(accountId, key) as StoredResponse | undefined;
  }

  remember(accountId: number, key: string, response: StoredResponse, nowMs: number): void {
    this.#database
      .prepare(
        "INSERT INTO idempotency_keys(account_id, key, fingerprint, body, created_at) VALUES(?, ?, ?, ?, ?)",
      )
      .run(accountId, key, response.fingerprint, response.body, nowMs);
  }

  /**
   * Deletes up to `rows` responses older than `beforeMs`.
   * @returns the number of deleted rows
   */
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
  /** Hash of the request body: the same key with another body is a client error. */
  readonly fingerprint: string;
  /** The response body as sent. */
  readonly body: string;
}
