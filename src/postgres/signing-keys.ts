import type { PostgresConnections, Queries } from "./connection.ts";
import { SERVER_NOW } from "./server-clock.ts";

/**
 * Time until a new key signs, milliseconds: each process looks for new keys more often than that, so none receives a token
 * whose key it does not know yet.
 */
const ANNOUNCED_MS = 30_000;
/** Whether a key may sign. */
const SIGNS = `created_at <= ${SERVER_NOW} - ${ANNOUNCED_MS}`;

/** The keys that sign tokens, in hexadecimal. */
export interface SharedKeys {
  readonly current: string;
  /** Other accepted keys: the previous one, and one that signs soon. */
  readonly others: readonly string[];
  /** Wall clock of the server when it read them, milliseconds since 1970. */
  readonly nowMs: number;
}

interface KeyRow {
  readonly key: string;
  readonly signs: boolean;
  readonly now: number;
}

/** The signing keys that all processes of a centre share. */
export class PostgresSigningKeys {
  readonly #connections: PostgresConnections;

  constructor(connections: PostgresConnections) {
    this.#connections = connections;
  }

  /** Reads the keys; the first process creates one. @param newKey returns a random key in hexadecimal */
  async read(newKey: () => string): Promise<SharedKeys> {
    const found = await this.#find();
    if (found) return found;
    // Of two processes that start at once, one inserts its key and the other reads it.
    await this.#connections.writes.query(
      `INSERT INTO signing_keys(id, key, created_at) SELECT 1, $1, ${SERVER_NOW} - ${ANNOUNCED_MS}
       WHERE NOT EXISTS (SELECT FROM signing_keys) ON CONFLICT DO NOTHING`,
      [newKey()],
    );
    const created = await this.#find();
    if (!created) throw new Error("the signing key was not stored");
    return created;
  }

  /**
   * Stores the keys of a centre that had them in files. No process runs that does not know them: the last one signs at once.
   * @param keys in hexadecimal, the current one last
   */
  static async adopt(queries: Queries, keys: readonly string[]): Promise<void> {
    await queries.query(
      `INSERT INTO signing_keys(id, key, created_at)
       SELECT n, key, 0 FROM unnest($1::text[]) WITH ORDINALITY AS given(key, n)`,
      [keys],
    );
  }

  /**
   * Adds a key that signs from half a minute later. The current one becomes the previous one; older ones are deleted. Those that
   * do not sign yet stay: a second rotation within that time would otherwise revoke the tokens in use.
   */
  async rotate(key: string): Promise<void> {
    await this.#connections.transaction(async (queries) => {
      await keepFrom(queries, `SELECT max(id) FROM signing_keys WHERE ${SIGNS}`);
      await queries.query(
        `INSERT INTO signing_keys(id, key, created_at) SELECT coalesce(max(id), 0) + 1, $1, ${SERVER_NOW} FROM signing_keys`,
        [key],
      );
    });
  }

  /** Deletes all keys but the newest, which signs at once. */
  async revokePrevious(): Promise<void> {
    await this.#connections.transaction((queries) => keepFrom(queries, "SELECT max(id) FROM signing_keys"));
  }

  async #find(): Promise<SharedKeys | undefined> {
    const rows = await this.#connections.query<KeyRow>(
      `SELECT key, ${SIGNS} AS signs, ${SERVER_NOW} AS now FROM signing_keys ORDER BY id DESC`,
    );
    const current = rows.find(({ signs }) => signs) ?? rows.at(-1);
    if (!current) return undefined;
    const others = rows.filter((row) => row !== current).map(({ key }) => key);
    return { current: current.key, others, nowMs: current.now };
  }
}

/** Deletes the keys before one. @param first selects its id */
async function keepFrom(queries: Queries, first: string): Promise<void> {
  await queries.query("LOCK TABLE signing_keys");
  await queries.query(`DELETE FROM signing_keys WHERE id < (${first})`);
}
