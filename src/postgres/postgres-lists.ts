import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { FairLists, notNeeded } from "../service/fair-lists.ts";
import { READING_MS_MAX, tooLong, type ListPage, type ListReader } from "../store/intervention-lists.ts";
import type { InterventionQuery } from "../store/intervention-query.ts";
import { AT_ONE_MOMENT, PostgresConnections, type Queries } from "./connection.ts";
import type { ServerAddress } from "./pool.ts";
import { sqlStateOf } from "./server-errors.ts";
import { FOUND_MAX, listStatements, sliceOfFound } from "./list-statements.ts";
import { toStoredIntervention, type StoredRow } from "./record-rows.ts";
import { isShort, readSitePage } from "./short-lists.ts";

/** Slow lists read at once; further ones wait. They have connections of their own, so that alarms never wait for a search. */
const CONNECTIONS_MAX = 4;
/** Short lists read at once, each for milliseconds: a site reads one before it sends an alarm. */
const SHORT_CONNECTIONS_MAX = 4;
/** Lists of few records read at once: one of these connections is left to those that are always short. */
const FEW_AT_ONCE_MAX = SHORT_CONNECTIONS_MAX - 1;
/** For parts of long lists of objectives, each for milliseconds: a person who chooses one never waits for slow lists of records. */
const OBJECTIVE_CONNECTIONS_MAX = 2;
/** Long lists of objectives read at once: their parts take turns on these connections. */
const OBJECTIVE_LISTS_MAX = 4;
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
  readonly #objectives: PostgresConnections;
  readonly #others: Queries;
  readonly #readingMsMax: number;
  readonly #recordsFewMax: number;
  readonly #slowLists: FairLists;
  /** Those of few records: so many that one account asks for at once must not hold up those before alarms either. */
  readonly #fewLists: FairLists;
  readonly #objectiveLists: FairLists;

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
    this.#connections = new PostgresConnections(address, log, undefined, { readsMax: CONNECTIONS_MAX });
    // A site waits for them before an alarm: given up as early as any other query.
    this.#short = new PostgresConnections(address, log, undefined, { readsMax: SHORT_CONNECTIONS_MAX });
    this.#objectives = new PostgresConnections(address, log, undefined, {
      readsMax: OBJECTIVE_CONNECTIONS_MAX,
    });
    const slow: ListReader = { read: (query, signal) => this.#readSlow(query, signal) };
    this.#slowLists = new FairLists(slow, clock, CONNECTIONS_MAX);
    this.#fewLists = new FairLists({ read: (query) => this.#readShort(query) }, clock, FEW_AT_ONCE_MAX);
    this.#objectiveLists = new FairLists(slow, clock, OBJECTIVE_LISTS_MAX);
  }

  async read(query: InterventionQuery, signal: AbortSignal): Promise<ListPage> {
    if (!isShort(query))
      return ((await this.#hasFew()) ? this.#fewLists : this.#slowLists).read(query, signal);
    const { scope } = query;
    return scope ? readSitePage(this.#short, { ...query, scope }) : this.#readShort(query);
  }

  /**
   * Reads a long list of objectives, with connections of their own and in the turn of its account.
   * @throws AppError as `FairLists.inTurn`
   */
  inTurn<T>(
    asked: { readonly account: number | undefined; readonly remedy: string },
    signal: AbortSignal,
    read: (queries: Queries) => Promise<T>,
  ): Promise<T> {
    return this.#objectiveLists.inTurn(asked, signal, () => read(this.#objectives));
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
        return this.#cancellable(backend, signal, () =>
          readPage(longer(queries, this.#readingMsMax + NO_ANSWER_MS), query, () =>
            limitRest(queries, this.#readingMsMax),
          ),
        );
      }, AT_ONE_MOMENT);
    } catch (error) {
      throw listError(error, signal, this.#readingMsMax);
    }
  }

  async close(): Promise<void> {
    await this.#connections.close();
    await this.#short.close();
    await this.#objectives.close();
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

/** Sets the time limit of the next statement: that of the list is for all of its statements together. */
async function limitRest(queries: Queries, limitMs: number): Promise<void> {
  const restMs = "$1 - extract(epoch FROM clock_timestamp() - transaction_timestamp()) * 1000";
  await queries.query(`SELECT set_config('statement_timeout', greatest(1, ${restMs})::integer::text, true)`, [
    limitMs,
  ]);
}

/** Gives up statements later than other queries. Whether the server answers at all shows sooner. */
function longer(queries: Queries, queryMs: number): Queries {
  return {
    query: (statement, values) =>
      queries.query(
        { ...(typeof statement === "string" ? { text: statement } : statement), query_timeout: queryMs },
        values,
      ),
  };
}

/** @param limitNext called before each further statement */
async function readPage(
  queries: Queries,
  query: InterventionQuery,
  limitNext: () => Promise<void> = async () => {},
): Promise<ListPage> {
  const { found, total, slice } = listStatements(query);
  const pageOf = async (count: number, statement: ReturnType<typeof slice>): Promise<ListPage> => {
    await limitNext();
    const rows = await queries.query<StoredRow>(...statement);
    return { records: rows.map((row) => JSON.stringify(toStoredIntervention(row).record)), total: count };
  };
  if (found) {
    const ids = (await queries.query<{ id: number }>(...found)).map(({ id }) => id);
    if (ids.length <= FOUND_MAX) return pageOf(ids.length, sliceOfFound(query, ids));
    await limitNext();
  }
  const [counted] = await queries.query<{ total: number }>(...total);
  const count = counted?.total ?? 0;
  return pageOf(count, slice(count));
}

/** A list that its time limit has ended is refused as in SQLite: the same request would take as long again. */
function listError(error: unknown, signal: AbortSignal, limitMs: number): unknown {
  if (signal.aborted) return notNeeded();
  if (error instanceof AppError && sqlStateOf(error.cause) === QUERY_CANCELED) return tooLong(limitMs);
  return error;
}
