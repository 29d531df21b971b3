import pg from "pg";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import {
  IS_READ_ONLY,
  isMixedUp,
  isPoolFull,
  isUnanswered,
  isUnavailable,
  operatingError,
  READ_ONLY,
  sqlStateOf,
} from "./server-errors.ts";

/** A query that takes longer is given up: its server may be gone without closing the connection. */
const QUERY_TIMEOUT_MS = 5_000;
/**
 * The server gives up a wait for a lock before the client gives up the query: the connection stays usable, and no session of a
 * client that is gone waits in the server. A synchronous commit that waits for its standby is no such wait.
 */
const LOCK_TIMEOUT_MS = QUERY_TIMEOUT_MS - 1_000;
/** The server ends a transaction without a statement: a machine that lost its power would keep its locks for hours. */
const IDLE_IN_TRANSACTION_MS = QUERY_TIMEOUT_MS;
/**
 * Includes the wait for one of the connections: thousands of sites sign in within seconds after a power cut. A primary in
 * reach answers in milliseconds, so it is not longer than a query may take.
 */
const CONNECTION_TIMEOUT_MS = 5_000;
/** Few: a turn's requests share a round trip, and more than this only wait for each other in the server. */
const CONNECTIONS_MAX = 8;
/** OIDs of `bigint` and `numeric` (pg_type.dat), which the client returns as texts. */
const LONG_NUMBERS: ReadonlySet<number> = new Set([20, 1700]);

/** A value that is sent as a parameter. */
export type SqlParameter = string | number | boolean | null | readonly (string | number | boolean | null)[];

/** The values of some columns of rows, each as a parameter for `unnest`. */
export function columnsOf<Name extends string>(
  rows: readonly Readonly<Record<Name, string | number | boolean | null>>[],
  ...names: readonly Name[]
): SqlParameter[] {
  return names.map((name) => rows.map((row) => row[name]));
}

/** A statement of a fixed text; each connection prepares it once under its name. */
export interface NamedStatement {
  readonly name: string;
  readonly text: string;
}

/** A statement that may take longer than others. */
export interface LongStatement {
  readonly text: string;
  /** Time after which it is given up, milliseconds; the client's name for it. */
  readonly query_timeout: number;
}

/** Any statement; a text alone is prepared for this time only. */
export type Statement = NamedStatement | LongStatement | string;

/** Sends statements: the pool, or one connection within a transaction. */
export interface Queries {
  /** @throws AppError `unavailable` while there is no primary; other errors of the server as they are */
  query<Row>(statement: Statement, values?: readonly SqlParameter[]): Promise<Row[]>;
}

/** Characteristics of a transaction whose statements all see the database at one moment, such as a page and its total. */
export const AT_ONE_MOMENT = "ISOLATION LEVEL REPEATABLE READ, READ ONLY";

/** How the server is reached: a URL, or what libpq's environment says. */
export interface ServerAddress {
  /** `postgres://…`; undefined to use PGHOST, PGUSER and the others. */
  readonly url: string | undefined;
  /** Undefined for one in the URL, or for none. */
  readonly password?: string | undefined;
  /** PEM of the only authority accepted for the server, with which TLS is required; undefined: as the URL or the environment says. */
  readonly ca?: string | undefined;
}

/** The connections to PostgreSQL. */
export class PostgresConnections implements Queries {
  readonly #pool: pg.Pool;
  readonly #onState: (reason: string | null) => void;
  /** Whether the server has refused a write as a standby does. */
  #isReadOnly = false;
  #isLooking = false;

  /**
   * @param onState called after each query: null, or why the primary could not be reached; after a write that a standby has
   *   refused null only once the server can write
   * @param limits `queryMs`: time after which a query is given up, milliseconds
   */
  constructor(
    address: ServerAddress,
    log: Log,
    onState: (reason: string | null) => void = () => {},
    { connectionsMax = CONNECTIONS_MAX, queryMs = QUERY_TIMEOUT_MS } = {},
  ) {
    this.#onState = onState;
    this.#pool = new pg.Pool({
      ...addressOf(address),
      max: connectionsMax,
      connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
      query_timeout: queryMs,
      lock_timeout: LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      keepAlive: true,
      application_name: "santinela",
      types: numberTypes(),
    });
    // An idle connection that the server closed; the next query opens another.
    // The pool listens to idle connections only: one lost within a transaction would end the process. Its query fails.
    this.#pool.on("connect", (client) => client.on("error", () => {}));
    this.#pool.on("error", (error) => log.warn("database-connection-lost", { reason: messageOf(error) }));
  }

  async query<Row>(statement: Statement, values: readonly SqlParameter[] = []): Promise<Row[]> {
    try {
      const rows = await send<Row>(this.#pool, statement, values);
      if (this.#isReadOnly) void this.#lookForPrimary();
      else this.#onState(null);
      return rows;
    } catch (error) {
      if (isUnavailable(error) && !isPoolFull(error)) {
        this.#isReadOnly ||= sqlStateOf(error.cause) === READ_ONLY;
        this.#onState(messageOf(error.cause));
      }
      throw error;
    }
  }

  /** A standby answers reads too. */
  async #lookForPrimary(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const [row] = await send<{ readonly: boolean }>(this.#pool, `SELECT ${IS_READ_ONLY} AS readonly`, []);
      this.#isReadOnly = row?.readonly !== false;
      if (!this.#isReadOnly) this.#onState(null);
    } catch {
      // The next query reports it.
    } finally {
      this.#isLooking = false;
    }
  }

  /**
   * Runs `work` in one transaction on one connection.
   * @param characteristics of the transaction, such as `AT_ONE_MOMENT`
   * @throws as `query`, and what `work` throws
   */
  async transaction<T>(work: (queries: Queries) => Promise<T>, characteristics = ""): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw operatingError(error);
    });
    let failure: Error | undefined;
    try {
      await send(client, `BEGIN ${characteristics}`, []);
      const result = await work({ query: (statement, values = []) => send(client, statement, values) });
      await send(client, "COMMIT", []);
      return result;
    } catch (error) {
      // A server that does not answer would not answer this either.
      if (isUnanswered(error) || isMixedUp(error)) failure = error;
      else
        await client.query("ROLLBACK").catch((reason: unknown) => {
          failure = reason instanceof Error ? reason : new Error(messageOf(reason));
        });
      throw error;
    } finally {
      // A connection that cannot roll back is closed instead of used again.
      client.release(failure);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** The password belongs into the URL: the client takes an empty one from a URL without, and ignores its option `password`. */
function addressOf({ url, password, ca }: ServerAddress): pg.ClientConfig {
  // The client checks the host name too, and ends a connection to a server that does not offer TLS.
  const tls = ca === undefined ? {} : { ssl: { ca } };
  if (password === undefined) return url === undefined ? tls : { ...tls, connectionString: url };
  if (url === undefined) return { ...tls, password };
  const separator = url.includes("?") ? "&" : "?";
  return { ...tls, connectionString: `${url}${separator}password=${encodeURIComponent(password)}` };
}

/** Numbers beyond 2^53 do not occur: ids and times in milliseconds are smaller. */
function numberTypes(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides();
  for (const oid of LONG_NUMBERS) types.setTypeParser(oid, Number);
  return types;
}

async function send<Row>(
  to: pg.Pool | pg.PoolClient,
  statement: Statement,
  values: readonly SqlParameter[],
): Promise<Row[]> {
  const named = typeof statement === "string" ? { text: statement } : statement;
  try {
    const { rows } = await to.query({ ...named, values: [...values] });
    return rows as Row[];
  } catch (error) {
    throw operatingError(error);
  }
}
