import { retentionTime } from "../domain/retention-clock.ts";
import type { Database } from "./database.ts";

/** Oldest rows that are looked at: age has no index, and numbers are given in the order of time. */
const ROWS_MAX = 1_000;

/** A table whose rows expire. */
export interface ExpiringTable {
  readonly table: string;
  readonly key: string;
  /** Column with the time from which the age counts. */
  readonly at: string;
  /** Whether a row would be removed with age, as an expression over its columns. */
  readonly isOver: string;
  readonly keptMs: number;
}

/** The time of retention in a database, kept across restarts. */
export const RETENTION_CLOCK = `
  -- How far retention has come, wall clock in milliseconds since 1970; null before its first run.
  CREATE TABLE retention_clock(one INTEGER PRIMARY KEY CHECK(one = 1), at INTEGER) STRICT;
  INSERT INTO retention_clock(one) VALUES(1);
`;

/**
 * Advances the time of retention and stores it.
 * @param tables everything that expires in this database
 * @returns the time to measure age by, wall clock; never later than `clockMs`
 */
export function advanceRetention(
  database: Database,
  tables: readonly ExpiringTable[],
  { clockMs, uptimeMs }: { readonly clockMs: number; readonly uptimeMs: number },
): number {
  const reachedMs = database.prepare("SELECT at FROM retention_clock").pluck().get() as number | null;
  const oldestExpiresMs = Math.min(...tables.map((table) => oldestExpiryMs(database, table)));
  const nextMs = Math.floor(retentionTime({ reachedMs, clockMs, oldestExpiresMs, uptimeMs }));
  if (nextMs !== reachedMs) database.prepare("UPDATE retention_clock SET at = ?").run(nextMs);
  return Math.min(nextMs, clockMs);
}

function oldestExpiryMs(database: Database, { table, key, at, isOver, keptMs }: ExpiringTable): number {
  const { rows, oldest, over } = database
    .prepare(
      `SELECT count(*) AS rows, min(${at}) AS oldest, min(CASE WHEN ${isOver} THEN ${at} END) AS over
       FROM (SELECT * FROM ${table} ORDER BY ${key} LIMIT ${ROWS_MAX}) AS seen`,
    )
    .get() as { rows: number; oldest: number | null; over: number | null };
  // If none of many old rows can be removed, later ones may be: the oldest one stands for them.
  return (over ?? (rows < ROWS_MAX ? Infinity : (oldest ?? Infinity))) + keptMs;
}
