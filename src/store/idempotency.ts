import { Store } from "./database.ts";

/**
 * The time of a key whose response has expired: it stays with its record, so that another body is still rejected, and never gets
 * old again. In either database.
 */
export const EXPIRED_AT = Number.MAX_SAFE_INTEGER;

/** Responses to requests with an idempotency key, so that a repeated request gets the first response. */
export class IdempotencyStore extends Store {
  readonly #find = this.prepare<StoredResponse>(
    "SELECT fingerprint, body, created_at FROM idempotency_keys WHERE account_id = ? AND key = ?",
  );
  readonly #put = this.prepare(
    "INSERT OR REPLACE INTO idempotency_keys(account_id, key, fingerprint, body, created_at) VALUES(?, ?, ?, ?, ?)",
  );
  readonly #isAnyOlder = this.prepare("SELECT 1 FROM idempotency_keys WHERE created_at < ? LIMIT 1");
  readonly #expire = this.prepare(
    `UPDATE idempotency_keys SET created_at = ${EXPIRED_AT},
       body = CASE WHEN json_valid(body) THEN json_object('id', json_extract(body, '$.id')) ELSE '{}' END
     WHERE (account_id, key) IN (SELECT account_id, key FROM idempotency_keys WHERE created_at < ? LIMIT ?)`,
  );

  readonly #forget = this.prepare(
    `DELETE FROM idempotency_keys WHERE created_at = ${EXPIRED_AT} AND (account_id, key) IN
       (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?))`,
  );

  /** The response to an account's request with a key. */
  find(accountId: number, key: string): StoredResponse | undefined {
    return this.#find.get(accountId, key);
  }

  /** Keeps a response, in place of one whose record is gone. */
  remember(
    accountId: number,
    key: string,
    { fingerprint, body }: Pick<StoredResponse, "fingerprint" | "body">,
    nowMs: number,
  ): void {
    this.#put.run(accountId, key, fingerprint, body, nowMs);
  }

  /** Reduces up to `rows` responses older than `beforeMs` to the id of their record. */
  expire(beforeMs: number, rows: number): void {
    // Nearly always there is none, and asking takes a fiftieth of the time of a change that finds nothing.
    if (this.#isAnyOlder.get(beforeMs) !== undefined) this.#expire.run(beforeMs, rows);
  }

  /** Frees the keys of records that were removed, unless these still have a response. */
  forget(keys: readonly (readonly [accountId: number, key: string])[]): void {
    this.#forget.run(JSON.stringify(keys));
  }
}

interface StoredResponse {
  /** Hash of the request body: the same key with another body is a client error. */
  readonly fingerprint: string;
  /** The response body as sent; of an expired one the id alone. */
  readonly body: string;
  /** Wall clock, milliseconds since 1970, or `EXPIRED_AT`. */
  readonly created_at: number;
}
