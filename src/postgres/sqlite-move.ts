import { AppError, messageOf } from "../domain/errors.ts";
import type { TrailReport } from "../store/trail-check.ts";
import { verifyTrail } from "../store/audit-trail.ts";
import type { Database } from "../store/database.ts";
import { lastNumbers } from "../store/sequence-gaps.ts";
import { trailReport } from "./audit-trail.ts";
import type { PostgresConnections, Queries } from "./connection.ts";
import { lockSchema } from "./migrations.ts";
import {
  MOVED_TABLES,
  REBUILT_TABLE,
  TABLES_LEFT_BEHIND,
  TABLES_OF_POSTGRES,
  type MovedTable,
} from "./moved-tables.ts";
import { PostgresSigningKeys } from "./signing-keys.ts";
import { batchesOf, insertOf } from "./sqlite-rows.ts";

/** How long the server waits for the next batch: reading one from a slow disk takes a moment, a machine without power is gone. */
const NEXT_BATCH_S = 60;

export interface MoveOptions {
  /** A reading connection to `santinela.db` of a stopped centre, in a transaction: all reads show one moment. */
  readonly source: Database;
  /** The keys that sign tokens, in hexadecimal, the current one last. */
  readonly signingKeys: readonly string[];
  /** Called after each batch with the rows of its table so far. */
  readonly onProgress: (progress: TableRows & { readonly of: number }) => void;
}

export interface TableRows {
  readonly table: string;
  readonly rows: number;
}

/** What a move has stored. */
export interface MoveReport {
  /** The rows in SQLite and in PostgreSQL, which are the same number. */
  readonly tables: readonly { readonly table: string; readonly before: number; readonly after: number }[];
  /** Rows with the character U+0000, by table and key; U+FFFD replaces it. */
  readonly replaced: readonly string[];
  /** Rows of tables that do not move, and why. */
  readonly leftBehind: readonly (TableRows & { readonly why: string })[];
  /** The audit trail in PostgreSQL, with the hashes of SQLite. */
  readonly trail: TrailReport;
}

/**
 * Moves everything of a centre on SQLite to a database with the schema of this release and without rows, in one transaction: all
 * of it is there, or nothing. The source is only read.
 * @throws AppError `conflict` if the database has rows, `storage` if it does not store what SQLite has, `unavailable` as `Queries`,
 *   and if the connection was lost at the end, so that the result is unknown
 */
export async function moveFromSqlite(
  connections: PostgresConnections,
  options: MoveOptions,
): Promise<MoveReport> {
  const trail = verifyTrail(options.source);
  // Before the locks as well, which would hold up a centre that works on this database.
  await assertEmpty(connections, options.source, trail);
  let isStored = false;
  try {
    return await connections.transaction(async (queries) => {
      await takeAlone(queries);
      await assertEmpty(queries, options.source, trail);
      const report = await move(queries, options, trail);
      isStored = true;
      return report;
    });
  } catch (error) {
    if (!isStored) throw error;
    throw new AppError("unavailable", "the end of the move was not confirmed", {
      hint: "Repeat the command: it reports whether everything was moved.",
      cause: error instanceof AppError ? error.cause : error,
    });
  }
}

/** Tables that are to be empty before. */
const FILLED_TABLES = [
  ...MOVED_TABLES.filter(({ hasRows }) => hasRows !== true).map(({ name }) => name),
  REBUILT_TABLE,
  ...Object.keys(TABLES_OF_POSTGRES).filter((table) => table !== "schema_steps"),
];

const IS_ANY_ROW = `SELECT ${FILLED_TABLES.map((table) => `EXISTS (SELECT FROM ${table})`).join(" OR ")} AS "isAny"`;

/** Keeps processes that start, and other moves, out of the database until the end of the transaction. */
async function takeAlone(queries: Queries): Promise<void> {
  await queries.query(`SET LOCAL idle_in_transaction_session_timeout = '${NEXT_BATCH_S}s'`);
  await lockSchema(queries);
  const all = [...FILLED_TABLES, ...MOVED_TABLES.map(({ name }) => name)];
  await queries.query(`LOCK TABLE ${[...new Set(all)].join(", ")}`);
}

/** @param trail the audit trail of the source */
async function assertEmpty(queries: Queries, source: Database, trail: TrailReport): Promise<void> {
  const [{ isAny } = { isAny: false }] = await queries.query<{ isAny: boolean }>(IS_ANY_ROW);
  if (!isAny) return;
  const found = (await countsIn(queries, FILLED_TABLES)).filter(({ rows }) => rows > 0);
  const rows = new Map(found.map((each) => [each.table, each.rows]));
  const isMoved =
    MOVED_TABLES.every(
      ({ name, hasRows }) => hasRows === true || (rows.get(name) ?? 0) === countIn(source, name),
    ) && (await trailReport(queries)).head === trail.head;
  if (isMoved)
    throw new AppError("conflict", "everything was moved to this database before", {
      hint: "Start the centre with the option database.",
    });
  const counts = found.map(({ table, rows: count }) => `${table} ${count}`).join(", ");
  throw new AppError("conflict", `the database is not empty; it has rows: ${counts}`, {
    hint: "Move to a new database. A centre that was started on this one has created its own accounts and keys.",
  });
}

async function move(
  queries: Queries,
  { source, signingKeys, onProgress }: MoveOptions,
  trail: TrailReport,
): Promise<MoveReport> {
  const numbers = lastNumbers(source);
  const replaced: string[] = [];
  const before: TableRows[] = [];
  for (const table of MOVED_TABLES) {
    const { name, key, restart } = table;
    const rows = countIn(source, name);
    before.push({ table: name, rows });
    const onRows = (done: TableRows): void => onProgress({ ...done, of: rows });
    replaced.push(...(await copyRows(queries, source, table, onRows)));
    // Not with setval, which stays if the transaction ends without a commit.
    if (restart !== undefined) {
      const last = Math.max(numbers[name] ?? 0, highestIn(source, name, key[0] ?? ""));
      await queries.query(`${restart} ${last + 1}`);
    }
  }
  await PostgresSigningKeys.adopt(queries, signingKeys);
  await queries.query(REBUILD_COUNTS);
  // Without it the lists would be planned for empty tables during the first minute.
  await queries.query(`ANALYZE ${MOVED_TABLES.map(({ name }) => name).join(", ")}`);
  return {
    tables: await comparedCounts(queries, before),
    replaced,
    leftBehind: leftBehindIn(source),
    trail: await comparedTrail(queries, trail),
  };
}

/** @returns the rows in which a character was replaced */
async function copyRows(
  queries: Queries,
  source: Database,
  table: MovedTable,
  onRows: (done: TableRows) => void,
): Promise<string[]> {
  const { name, hasRows } = table;
  const insert = insertOf(table);
  const replaced: string[] = [];
  let rows = 0;
  if (hasRows === true) await queries.query(`DELETE FROM ${name}`);
  for (const batch of batchesOf(source, table)) {
    await queries.query(insert, [...batch.columns]).catch((cause: unknown) => {
      if (cause instanceof AppError) throw cause;
      throw new AppError("storage", `PostgreSQL rejects rows of ${name}: ${messageOf(cause)}`, {
        hint: "Nothing was moved.",
        cause,
      });
    });
    rows += batch.rows;
    replaced.push(...batch.replaced.map((key) => `${name} ${key}`));
    onRows({ table: name, rows });
  }
  return replaced;
}

/** @throws AppError `storage` if a table has another number of rows than in SQLite */
async function comparedCounts(queries: Queries, before: readonly TableRows[]): Promise<MoveReport["tables"]> {
  const counted = await countsIn(
    queries,
    before.map(({ table }) => table),
  );
  const after = new Map(counted.map(({ table, rows }) => [table, rows]));
  return before.map(({ table, rows }) => {
    const stored = after.get(table) ?? 0;
    if (stored !== rows)
      throw new AppError("storage", `${table} has ${rows} rows in SQLite and ${stored} in PostgreSQL`, {
        hint: "Nothing was moved.",
      });
    return { table, before: rows, after: stored };
  });
}

/** @throws AppError `storage` if the audit trail does not end as in SQLite */
async function comparedTrail(queries: Queries, before: TrailReport): Promise<TrailReport> {
  const after = await trailReport(queries);
  if (after.head !== before.head)
    throw new AppError("storage", `the audit trail ends with ${after.head} instead of ${before.head}`, {
      hint: "Nothing was moved.",
    });
  return after;
}

function leftBehindIn(source: Database): MoveReport["leftBehind"] {
  return Object.entries(TABLES_LEFT_BEHIND)
    .map(([table, why]) => ({ table, rows: countIn(source, table), why }))
    .filter(({ rows }) => rows > 0);
}

async function countsIn(queries: Queries, tables: readonly string[]): Promise<TableRows[]> {
  return queries.query<TableRows>(
    tables.map((table) => `SELECT '${table}' AS "table", count(*) AS rows FROM ${table}`).join(" UNION ALL "),
  );
}

function countIn(source: Database, table: string): number {
  return source.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
}

function highestIn(source: Database, table: string, key: string): number {
  return source.prepare(`SELECT coalesce(max(${key}), 0) FROM ${table}`).pluck().get() as number;
}

const REBUILD_COUNTS = `
  INSERT INTO ${REBUILT_TABLE}("status", "priority", "type", slot, records)
  SELECT "status", "priority", "type", 0, count(*) FROM interventions WHERE deleted_at IS NULL GROUP BY 1, 2, 3`;
