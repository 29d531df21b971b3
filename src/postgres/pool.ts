import pg from "pg";
import { AppError, messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { isUnusable, operatingError, STANDBY } from "./server-errors.ts";

/** A query that takes longer is given up: its server may be gone without closing the connection. */
export const QUERY_TIMEOUT_MS = 5_000;
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
/** The first question on a new connection is answered at once, or never; requests wait for both. */
const CHECK_TIMEOUT_MS = 2_000;
/** OIDs of `bigint` and `numeric` (pg_type.dat), which the client returns as texts. */
const LONG_NUMBERS: ReadonlySet<number> = new Set([20, 1700]);

/** How the server is reached: a URL, or what libpq's environment says. */
export interface ServerAddress {
  /** `postgres://…`; undefined to use PGHOST, PGUSER and the others. */
  readonly url: string | undefined;
  /** Undefined for one in the URL, or for none. */
  readonly password?: string | undefined;
  /** PEM of the only authority accepted for the server, with which TLS is required; undefined: as the URL or the environment says. */
  readonly ca?: string | undefined;
}

/** Connections of one purpose; none is opened before it is needed. */
export function newPool(
  address: ServerAddress,
  log: Log,
  {
    max,
    queryMs,
    acceptsStandby,
  }: { readonly max: number; readonly queryMs: number; readonly acceptsStandby: boolean },
): pg.Pool {
  const pool = new pg.Pool({
    ...addressOf(address),
    max,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: queryMs,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    application_name: "santinela",
    types: numberTypes(),
    // The pool waits for the promise, which its types do not name.
    ...(acceptsStandby ? {} : { onConnect: (client: pg.ClientBase): unknown => assertPrimary(client) }),
  });
  // An idle connection that the server closed; the next query opens another.
  // The pool listens to idle connections only: one lost within a transaction would end the process. Its query fails.
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("error", (error) => log.warn("database-connection-lost", { reason: messageOf(error) }));
  return pool;
}

/** While the address still leads to a former leader, its reads would lack acknowledged records, and know disabled accounts. */
async function assertPrimary(client: pg.ClientBase): Promise<void> {
  const check = { text: "SELECT pg_is_in_recovery() AS standby", query_timeout: CHECK_TIMEOUT_MS };
  const { rows } = await client.query<{ standby: boolean }>(check);
  if (rows[0]?.standby !== false) throw new Error(STANDBY);
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

/**
 * Does `work` on one connection, which is closed afterwards if it can no longer be used.
 * @param work calls `spoil` when it leaves the connection in a state that is not known
 */
export async function onConnection<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient, spoil: (reason: Error) => void) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw operatingError(error);
  });
  let failure: Error | undefined;
  try {
    return await work(client, (reason) => (failure = reason));
  } catch (error) {
    if (error instanceof AppError && isUnusable(error)) failure ??= error;
    throw error;
  } finally {
    client.release(failure);
  }
}
