import { AppError } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { READING_MS_MAX, tooLong, type ListPage, type ListReader } from "../store/intervention-lists.ts";
import type { InterventionQuery } from "../store/intervention-query.ts";
import {
  AT_ONE_MOMENT,
  PostgresConnections,
  sqlStateOf,
  type Queries,
  type ServerAddress,
  type SqlParameter,
} from "./connection.ts";
import { conditionOf, isCounted, orderOf } from "./intervention-query.ts";
import { STORED, storedOf, type StoredRow } from "./record-rows.ts";

/** Lists read at once; further ones wait. They have connections of their own, so that alarms never wait for a search. */
const CONNECTIONS_MAX = 4;
/** How much later than the server the client gives up: then the server is gone, and the list may be read elsewhere. */
const NO_ANSWER_MS = 5_000;
/** SQLSTATE of a statement that its time limit or `pg_cancel_backend` has ended. */
const QUERY_CANCELED = "57014";

/** Reads the lists of records of a centre. Whether they can be read tells nothing about the database: others report that. */
export class PostgresLists implements ListReader {
  readonly #connections: PostgresConnections;
  readonly #others: Queries;
  readonly #readingMsMax: number;

  /** @param options `connections`: others than those of lists; `readingMsMax`: time limit of a list, milliseconds */
  constructor(
    address: ServerAddress,
    log: Log,
    options: { readonly connections: Queries; readonly readingMsMax?: number },
  ) {
    const { connections, readingMsMax = READING_MS_MAX } = options;
    this.#others = connections;
    this.#readingMsMax = readingMsMax;
    const limits = { connectionsMax: CONNECTIONS_MAX, queryMs: readingMsMax + NO_ANSWER_MS };
    this.#connections = new PostgresConnections(address, log, undefined, limits);
  }

  async read(query: InterventionQuery, signal: AbortSignal): Promise<ListPage> {
    try {
      return await this.#connections.transaction(async (queries) => {
        const pid = await begin(queries, this.#readingMsMax);
        return this.#cancellable(pid, signal, () => readPage(queries, query));
      }, AT_ONE_MOMENT);
    } catch (error) {
      throw listError(error, signal, this.#readingMsMax);
    }
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  /** Ends the statement in the server when the client no longer needs the list. */
  async #cancellable<T>(pid: number, signal: AbortSignal, read: () => Promise<T>): Promise<T> {
    let cancelled: Promise<unknown> | undefined;
    const cancel = (): void => {
      cancelled = this.#others.query("SELECT pg_cancel_backend($1)", [pid]).catch(() => {});
    };
    signal.throwIfAborted();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      return await read();
    } finally {
      signal.removeEventListener("abort", cancel);
      // Before the connection reads another list: the cancellation must not end that one.
      await cancelled;
    }
  }
}

/**
 * Sets the time limit. Only for what is read: ended while it waits for a synchronous standby, a commit would succeed without it.
 * @returns the process of the server that reads the list
 */
async function begin(queries: Queries, limitMs: number): Promise<number> {
  const [row] = await queries.query<{ pid: number }>(
    "SELECT pg_backend_pid() AS pid, set_config('statement_timeout', $1, true)",
    [String(limitMs)],
  );
  return row?.pid ?? 0;
}

async function readPage(queries: Queries, query: InterventionQuery): Promise<ListPage> {
  const { total, slice } = listStatements(query);
  const [counted] = await queries.query<{ total: number }>(...total);
  const rows = await queries.query<StoredRow>(...slice);
  return {
    records: rows.map((row) => JSON.stringify(storedOf(row).record)),
    total: counted?.total ?? 0,
  };
}

type Statement = readonly [text: string, values: readonly SqlParameter[]];

/** The statements of a list with their parameters. */
export function listStatements(query: InterventionQuery): {
  readonly total: Statement;
  readonly slice: Statement;
} {
  const { where, values } = conditionOf(query);
  const order = orderOf(query);
  const [offsetAt, limitAt] = [`$${values.length + 1}`, `$${values.length + 2}`];
  const counted = isCounted(query)
    ? `SELECT coalesce(sum(records), 0) AS total FROM intervention_counts WHERE ${where}`
    : `SELECT count(*) AS total FROM interventions WHERE deleted_at IS NULL AND ${where}`;
  // Only ids are sorted and skipped; full records are read for the slice alone.
  const slice = `SELECT ${STORED} FROM (SELECT id FROM interventions WHERE deleted_at IS NULL AND ${where}
       ORDER BY ${order} OFFSET ${offsetAt} LIMIT ${limitAt}) AS slice
     JOIN interventions USING (id) ORDER BY ${order}`;
  const range = [query.start, Math.max(0, query.end - query.start)];
  return { total: [counted, values], slice: [slice, [...values, ...range]] };
}

/** A list that its time limit has ended is refused as in SQLite: the same request would take as long again. */
function listError(error: unknown, signal: AbortSignal, limitMs: number): unknown {
  if (signal.aborted) return new AppError("unavailable", "the list is no longer needed", { retryAfterS: 10 });
  if (error instanceof AppError && sqlStateOf(error.cause) === QUERY_CANCELED) return tooLong(limitMs);
  return error;
}
