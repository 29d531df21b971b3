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
  type Queries,
  type ServerAddress,
  type SqlParameter,
} from "./connection.ts";
import { sqlStateOf } from "./server-errors.ts";
import { conditionOf, orderOf } from "./intervention-query.ts";
import { isAccepted, partsOf } from "./list-parts.ts";
import { STORED_COLUMNS, toStoredIntervention, type StoredRow } from "./record-rows.ts";
import { isShort, readSitePage } from "./short-lists.ts";

/** Slow lists read at once; further ones wait. They have connections of their own, so that alarms never wait for a search. */
const CONNECTIONS_MAX = 4;
/** Short lists read at once, each for milliseconds: a site reads one before it sends an alarm. */
const SHORT_CONNECTIONS_MAX = 4;
/** Lists of few records read at once: one of these connections is left to those that are always short. */
const FEW_AT_ONCE_MAX = SHORT_CONNECTIONS_MAX - 1;
/** How much later than the server the client gives up a slow list: then the server is gone, and the list may be read elsewhere. */
const NO_ANSWER_MS = 5_000;
/**
 * Of so few records, deleted ones aside, every list is short: none reads more than SQLite reads without another thread. Those
 * that are deleted stay in the table: as long as they are about as few, they do not matter.
 */
const RECORDS_FEW_MAX = 10_000;
const HAS_FEW = `
  SELECT reltuples <= 2 * $1::bigint AND (SELECT coalesce(sum(records), 0) FROM intervention_counts) <= $1::bigint AS few
  FROM pg_class WHERE oid = 'interventions'::regclass`;
/** SQLSTATE of a statement that its time limit or `pg_cancel_backend` has ended. */
const QUERY_CANCELED = "57014";

/** Reads the lists of records of a centre. Whether they can be read tells nothing about the database: others report that. */
export class PostgresLists implements ListReader {
  readonly #connections: PostgresConnections;
  readonly #short: PostgresConnections;
  readonly #others: Queries;
  readonly #readingMsMax: number;
  readonly #recordsFewMax: number;
  readonly #slowLists: FairLists;
  /** Those of few records: so many that one account asks for at once must not hold up those before alarms either. */
  readonly #fewLists: FairLists;

  /**
   * @param options `connections`: others than those of lists; `readingMsMax`: time limit of a slow list, milliseconds;
   *   `recordsFewMax`: of so many records every list is short
   */
  constructor(
    address: ServerAddress,
    log: Log,
    options: {
      readonly connections: Queries;
      readonly clock: Pick<Clock, "after" | "monotonicMs">;
      readonly readingMsMax?: number;
      readonly recordsFewMax?: number;
    },
  ) {
    const { connections, clock, readingMsMax = READING_MS_MAX, recordsFewMax = RECORDS_FEW_MAX } = options;
    this.#others = connections;
    this.#readingMsMax = readingMsMax;
    this.#recordsFewMax = recordsFewMax;
    const queryMs = readingMsMax + NO_ANSWER_MS;
    this.#connections = new PostgresConnections(address, log, undefined, {
      connectionsMax: CONNECTIONS_MAX,
      queryMs,
    });
    // A site waits for them before an alarm: given up as early as any other query.
    this.#short = new PostgresConnections(address, log, undefined, { connectionsMax: SHORT_CONNECTIONS_MAX });
    const slow: ListReader = { read: (query, signal) => this.#readSlow(query, signal) };
    this.#slowLists = new FairLists(slow, clock, CONNECTIONS_MAX);
    this.#fewLists = new FairLists({ read: (query) => this.#readShort(query) }, clock, FEW_AT_ONCE_MAX);
  }

  async read(query: InterventionQuery, signal: AbortSignal): Promise<ListPage> {
    if (!isShort(query))
      return ((await this.#hasFew()) ? this.#fewLists : this.#slowLists).read(query, signal);
    const { scope } = query;
    return scope ? readSitePage(this.#short, { ...query, scope }) : this.#readShort(query);
  }

  async #hasFew(): Promise<boolean> {
    const [row] = await this.#short.query<{ few: boolean }>(HAS_FEW, [this.#recordsFewMax]);
    return row?.few === true;
  }

  #readShort(query: InterventionQuery): Promise<ListPage> {
    return this.#short.transaction((queries) => readPage(queries, query), AT_ONE_MOMENT);
  }

  async #readSlow(query: InterventionQuery, signal: AbortSignal): Promise<ListPage> {
    try {
      return await this.#connections.transaction(async (queries) => {
        const backend = await begin(queries, this.#readingMsMax);
        return this.#cancellable(backend, signal, () => readPage(queries, query));
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
  async #cancellable<T>({ pid, since }: Backend, signal: AbortSignal, read: () => Promise<T>): Promise<T> {
    let cancelled: Promise<unknown> | undefined;
    const cancel = (): void => {
      cancelled = this.#others.query(CANCEL, [pid, since]).catch(() => {});
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

/** The process of the server that reads a list. */
interface Backend {
  readonly pid: number;
  /** When it was started, as the server writes it: after a failover, another one may have the same number. */
  readonly since: string;
}

const CANCEL =
  "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND backend_start = $2::timestamptz";

/**
 * Sets the time limit. Only for what is read: ended while it waits for a synchronous standby, a commit would succeed without it.
 * @returns the process of the server that reads the list
 */
async function begin(queries: Queries, limitMs: number): Promise<Backend> {
  const [row] = await queries.query<Backend>(
    `SELECT pid, backend_start::text AS since, set_config('statement_timeout', $1, true)
     FROM pg_stat_activity WHERE pid = pg_backend_pid()`,
    [String(limitMs)],
  );
  return { pid: row?.pid ?? 0, since: row?.since ?? "infinity" };
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
