import type pg from "pg";
import { AppError, messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { Places } from "../service/places.ts";
import { newPool, onConnection, QUERY_TIMEOUT_MS, type ServerAddress } from "./pool.ts";
import {
  HELD_UP,
  IS_READ_ONLY,
  isPoolFull,
  isUnanswered,
  isUnavailable,
  isUnusable,
  notAvailable,
  operatingError,
  READ_ONLY,
  sqlStateOf,
} from "./server-errors.ts";

/** Few: a turn's requests share a round trip, and more than this only wait for each other in the server. */
const READS_AT_ONCE_MAX = 4;
/** Apart from the reads, so that these and sign-ins have a connection while commits wait for a synchronous standby. */
const WRITES_AT_ONCE_MAX = 6;

/**
 * Transactions at once that wait for the lock of the audit trail, besides the events of two batches: a transaction that holds it
 * and does not end must leave connections for new records and reports.
 */
const AUDITED_AT_ONCE_MAX = 2;

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

/** What is read, and what is written. */
export interface ReadsAndWrites extends Queries {
  /** Sends statements that change something, each a transaction of its own. */
  readonly writes: Queries;
}

/**
 * The connections to PostgreSQL. A write that the client gives up may still wait in the server for its standby, and keeps a
 * session there: until it is over, no further write is sent, so that these sessions never fill the server.
 */
export class PostgresConnections implements ReadsAndWrites {
  readonly #reads: pg.Pool;
  readonly #writes: pg.Pool;
  readonly #onState: (reason: string | null) => void;
  readonly writes: Queries = {
    query: (statement, values = []) =>
      this.#noted(() => this.#write((client) => send(client, statement, values))),
  };
  /** Places for deletions of records and sites, and for changes of accounts and enrolments. */
  readonly audited = new Places(AUDITED_AT_ONCE_MAX);
  /** Whether the server has refused a write as a standby does. */
  #isReadOnly = false;
  /** Whether a write had no answer, and may still wait in the server. */
  #isHeldUp = false;
  #looking: Promise<void> | undefined;

  /**
   * @param onState called after each query: null, or why the primary could not be reached; after a write that a standby has
   *   refused, or that had no answer, null only once the server can write
   * @param limits `queryMs`: time after which a query is given up, milliseconds; `acceptsStandby`: whether reads may be answered
   *   by a server that lacks the newest writes
   */
  constructor(
    address: ServerAddress,
    log: Log,
    onState: (reason: string | null) => void = () => {},
    {
      readsMax = READS_AT_ONCE_MAX,
      writesMax = WRITES_AT_ONCE_MAX,
      queryMs = QUERY_TIMEOUT_MS,
      acceptsStandby = false,
    } = {},
  ) {
    this.#onState = onState;
    this.#reads = newPool(address, log, { max: readsMax, queryMs, acceptsStandby });
    this.#writes = newPool(address, log, { max: writesMax, queryMs, acceptsStandby });
  }

  /** Sends a statement that changes nothing. */
  query<Row>(statement: Statement, values: readonly SqlParameter[] = []): Promise<Row[]> {
    return this.#noted(() => onConnection(this.#reads, (client) => send<Row>(client, statement, values)));
  }

  /**
   * Runs `work` in one transaction on one connection.
   * @param characteristics of the transaction: `AT_ONE_MOMENT` for one that changes nothing
   * @throws as `query`, and what `work` throws
   */
  async transaction<T>(
    work: (queries: Queries) => Promise<T>,
    characteristics: typeof AT_ONE_MOMENT | "" = "",
  ): Promise<T> {
    const run: Work<T> = (client, spoil) => inTransaction(client, work, { characteristics, spoil });
    try {
      return await (characteristics === "" ? this.#write(run) : onConnection(this.#reads, run));
    } catch (error) {
      if (error instanceof AppError && isUnusable(error)) this.#noteFailure(error);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#reads.end();
    await this.#writes.end();
  }

  async #write<T>(work: Work<T>): Promise<T> {
    await this.#assertNotHeldUp();
    return onConnection(this.#writes, async (client, spoil) => {
      // Another write may have had no answer while this one waited for its connection.
      await this.#assertNotHeldUp();
      try {
        return await work(client, spoil);
      } catch (error) {
        this.#isHeldUp ||= isUnanswered(error);
        throw error;
      }
    });
  }

  /** @throws AppError `unavailable` while a write that was given up waits in the server */
  async #assertNotHeldUp(): Promise<void> {
    if (!this.#isHeldUp) return;
    await this.#look();
    if (this.#isHeldUp) throw notAvailable(new Error(HELD_UP));
  }

  /** Notes what the outcome of a query says about the database. */
  async #noted<T>(query: () => Promise<T>): Promise<T> {
    try {
      const result = await query();
      // A standby answers reads too, and so does a primary without its standby.
      if (this.#isReadOnly || this.#isHeldUp) this.#look().catch(() => {});
      else this.#onState(null);
      return result;
    } catch (error) {
      if (isUnavailable(error) && !isPoolFull(error)) this.#noteFailure(error);
      throw error;
    }
  }

  #noteFailure({ cause }: AppError): void {
    this.#isReadOnly ||= sqlStateOf(cause) === READ_ONLY;
    this.#onState(messageOf(cause));
  }

  /** Looks whether the server can write. @throws as `query` */
  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const [row] = await onConnection(this.#reads, (client) => send<WriteState>(client, WRITE_STATE, []));
    this.#isReadOnly = row?.isReadOnly !== false;
    this.#isHeldUp = row?.isHeldUp !== false;
    if (!this.#isReadOnly) this.#onState(this.#isHeldUp ? HELD_UP : null);
  }
}

type Work<T> = (client: pg.PoolClient, spoil: (reason: Error) => void) => Promise<T>;

async function inTransaction<T>(
  client: pg.PoolClient,
  work: (queries: Queries) => Promise<T>,
  { characteristics, spoil }: { readonly characteristics: string; readonly spoil: (reason: Error) => void },
): Promise<T> {
  try {
    await send(client, `BEGIN ${characteristics}`, []);
    const result = await work({ query: (statement, values = []) => send(client, statement, values) });
    await send(client, "COMMIT", []);
    return result;
  } catch (error) {
    // A server that does not answer would not answer this either; any other connection that cannot be used is closed too.
    if (!(error instanceof AppError) || !isUnusable(error))
      await client.query("ROLLBACK").catch((reason: unknown) => {
        spoil(reason instanceof Error ? reason : new Error(messageOf(reason)));
      });
    throw error;
  }
}

async function send<Row>(
  to: pg.PoolClient,
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

interface WriteState {
  readonly isReadOnly: boolean;
  readonly isHeldUp: boolean;
}

/**
 * Commits of this role that have waited for nearly as long as a query may take: for the standby, or for the disk. A later commit
 * would wait as long, because they end in the order of the log. At the disk, a statement of minutes may wait for moments: only
 * transactions of this program that write count there.
 */
const WRITE_STATE = `SELECT ${IS_READ_ONLY} AS "isReadOnly", EXISTS(
    SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND usename = session_user AND state = 'active'
      AND query_start < clock_timestamp() - interval '${QUERY_TIMEOUT_MS - 1_000} ms'
      AND (lower(wait_event) = 'syncrep' OR (lower(wait_event) IN ('walsync', 'walwrite') AND backend_xid IS NOT NULL
        AND application_name = current_setting('application_name')))) AS "isHeldUp"`;
