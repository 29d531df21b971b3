import { Store } from "./database.ts";

/** Responses to requests with an idempotency key, so that a repeated request gets the first response. */
export class IdempotencyStore extends Store {
  readonly #find = this.prepare<StoredResponse>(
    "SELECT fingerprint, body FROM idempotency_keys WHERE account_id = ? AND key = ?",
  );
  readonly #insert = this.prepare(
    "INSERT INTO idempotency_keys(account_id, key, fingerprint, body, created_at) VALUES(?, ?, ?, ?, ?)",
  );
  readonly #isAnyOlder = this.prepare("SELECT 1 FROM idempotency_keys WHERE created_at < ? LIMIT 1");
  readonly #prune = this.prepare(
    `DELETE FROM idempotency_keys WHERE (account_id, key) IN
       (SELECT account_id, key FROM idempotency_keys WHERE created_at < ? LIMIT ?)`,
  );

  /** The response to an account's request with a key. */
  find(accountId: number, key: string): StoredResponse | undefined {
    return this.#find.get(accountId, key);
  }

  remember(accountId: number, key: string, { fingerprint, body }: StoredResponse, nowMs: number): void {
    this.#insert.run(accountId, key, fingerprint, body, nowMs);
  }

  /**
   * Deletes up to `rows` responses older than `beforeMs`.
   * @returns the number of deleted rows
   */
  prune(beforeMs: number, rows: number): number {
    // Nearly always there is none, and asking takes a fiftieth of the time of a DELETE that finds nothing.
    return this.#isAnyOlder.get(beforeMs) === undefined ? 0 : this.#prune.run(beforeMs, rows).changes;
  }
}

interface StoredResponse {
  /** Hash of the request body: the same key with another body is a client error. */
  readonly fingerprint: string;
  /** The response body as sent. */
  readonly body: string;
}
