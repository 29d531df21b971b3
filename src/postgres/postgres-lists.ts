import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { FairLists, notNeeded } from "../service/fair-lists.ts";
import {
  isCounted,
  READING_MS_MAX,
  tooLong,
  type ListPage,
  type ListReader,
} from "../store/intervention-lists.ts";
import { comparable, type InterventionQuery } from "../store/intervention-query.ts";
import {
  AT_ONE_MOMENT,
  PostgresConnections,
  sqlStateOf,
  type Queries,
  type ServerAddress,
  type SqlParameter,
} from "./connection.ts";
import { conditionOf, orderOf } from "./intervention-query.ts";
import { isAccepted, partsOf } from "./list-parts.ts";
import { STORED_COLUMNS, toStoredIntervention, type StoredRow } from "./record-rows.ts";
import { isShort, readSitePage } from "./short-lists.ts";

/** Slow lists read at once; further ones wait. They have connections of their own, so that alarms never wait for a search. */
const CONNECTIONS_MAX = 4;
/** Short lists read at once, each for milliseconds: a site reads one before it sends an alarm. */
const SHORT_CONNECTIONS_MAX = 4;
/** How much later than the server the client gives up: then the server is gone, and the list may be read elsewhere. */
const NO_ANSWER_MS = 5_000;
/** SQLSTATE of a statement that its time limit or `pg_cancel_backend` has ended. */
const QUERY_CANCELED = "57014";

/** Reads the lists of records of a centre. Whether they can be read tells nothing about the database: others report that. */
export class PostgresLists implements ListReader {
  readonly #connections: PostgresConnections;
  readonly #short: PostgresConnections;
  readonly #others: Queries;
  readonly #readingMsMax: number;
  readonly #slowLists: FairLists;

  /** @param options `connections`: others than those of lists; `readingMsMax`: time limit of a list, milliseconds */
  constructor(
    address: ServerAddress,
    log: Log,
    options: {
      readonly connections: Queries;
      readonly clock: Pick<Clock, "after">;
      readonly readingMsMax?: number;
    },
  ) {
    const { connections, clock, readingMsMax = READING_MS_MAX } = options;
    this.#others = connections;
    this.#readingMsMax = readingMsMax;
    const opened = (connectionsMax: number): PostgresConnections =>
      new PostgresConnections(address, log, undefined, {
        connectionsMax,
        queryMs: readingMsMax + NO_ANSWER_MS,
      });
    this.#connections = opened(CONNECTIONS_MAX);
    this.#short = opened(SHORT_CONNECTIONS_MAX);
    const read: ListReader["read"] = (query, signal) => this.#read(this.#connections, query, signal);
    this.#slowLists = new FairLists({ read }, clock);
  }

  async read(query: InterventionQuery, signal: AbortSignal): Promise<ListPage> {
    if (!isShort(query)) return this.#slowLists.read(query, signal);
    const { scope } = query;
    return scope ? readSitePage(this.#short, { ...query, scope }) : this.#read(this.#short, query, signal);
  }

  async #read(
    connections: PostgresConnections,
    query: InterventionQuery,
    signal: AbortSignal,
  ): Promise<ListPage> {
    try {
      return await connections.transaction(async (queries) => {
        const pid = await begin(queries, this.#readingMsMax);
        return this.#cancellable(pid, signal, () => readPage(queries, query));
      }, AT_ONE_MOMENT);
    } catch (error) {
      throw listError(error, signal, this.#readingMsMax);
    }
  }

  async close(): Promise<void> {
    await this.#connections.close();
    await this.#short.close();
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
  const found = counted?.total ?? 0;
  const rows = await queries.query<StoredRow>(...slice(found));
  return { records: rows.map((row) => JSON.stringify(toStoredIntervention(row).record)), total: found };
}

type Statement = readonly [text: string, values: readonly SqlParameter[]];

/**
 * Maximum number of open records that are found first and then sorted. The server would rather read an index of the order until
 * the page is full, and because the open ones are the newest, that would first read all that are done.
 */
const OPEN_MAX = 100_000;

/** The statements of a list with their parameters; the one of the slice depends on the total. */
export function listStatements(query: InterventionQuery): {
  readonly total: Statement;
  readonly slice: (total: number) => Statement;
} {
  const { where, values } = conditionOf(query);
  const listed = `interventions WHERE deleted_at IS NULL AND ${where}`;
  const hasCounts = isCounted(query);
  const isOpenOnly = hasCounts && !isAccepted(query.filters, "status", "done");
  const counted = hasCounts
    ? `SELECT coalesce(sum(records), 0) AS total FROM intervention_counts WHERE ${where}`
    : `SELECT count(*) AS total FROM ${listed}`;
  const order = orderOf(query);
  const columns = sortedOf(query);
  const [offset, limit] = [`$${values.length + 1}::bigint`, `$${values.length + 2}::bigint`];
  const range = [query.start, Math.max(0, query.end - query.start)];
  const slice = (total: number): Statement => {
    // To fill such a page, each of them has to be found anyway.
    const isFew = total <= (isOpenOnly ? OPEN_MAX : query.end);
    const found = isFew ? `WITH found AS MATERIALIZED (SELECT ${columns} FROM ${listed}) ` : "";
    const parts = (hasCounts ? partsOf(query) : []).map(
      (part) =>
        `(SELECT ${columns} FROM ${listed} AND ${part.where} ORDER BY ${orderOf(part)} LIMIT ${offset} + ${limit})`,
    );
    const joined = parts.length > 0 ? `(${parts.join(" UNION ALL ")}) AS parts` : listed;
    // Only ids are sorted and skipped; full records are read for the slice alone.
    const ids = `SELECT id FROM ${isFew ? "found" : joined} ORDER BY ${order} OFFSET ${offset} LIMIT ${limit}`;
    const text = `${found}SELECT ${STORED_COLUMNS} FROM (${ids}) AS slice JOIN interventions USING (id) ORDER BY ${order}`;
    return [text, [...values, ...range]];
  };
  return { total: [counted, values], slice };
}

/** The columns by which a list is sorted. */
function sortedOf({ sort }: InterventionQuery): string {
  const columns = sort.map(({ field }) => `"${comparable(field)}"`);
  return [...new Set(["id", ...columns.filter((column) => column !== `"id"`)])].join(", ");
}

/** A list that its time limit has ended is refused as in SQLite: the same request would take as long again. */
function listError(error: unknown, signal: AbortSignal, limitMs: number): unknown {
  if (signal.aborted) return notNeeded();
  if (error instanceof AppError && sqlStateOf(error.cause) === QUERY_CANCELED) return tooLong(limitMs);
  return error;
}
