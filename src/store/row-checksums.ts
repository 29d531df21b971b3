import { crc32 } from "node:zlib";
import type { Database } from "./database.ts";

/** The column that holds a row's checksum; null in a row that a release without checksums has written. */
export const SUM_COLUMN = "checksum";

/** Rows that are given their checksum at one start: more would hold up the alarms of a site that has just been upgraded. */
const FILLED_MAX = 20_000;
const NAMED_MAX = 1_000;

/**
 * The checksum of a row: of its table, and of each column that has a value, by name. So a column that a later release adds
 * changes no checksum until it has one.
 * @param pairs column and value in turn, without the checksum itself
 * @returns CRC-32, which finds every flipped bit and every run of wrong bits up to 32
 */
export function rowSum(table: string, ...pairs: readonly unknown[]): number {
  const present: unknown[] = [table];
  for (let at = 0; at < pairs.length; at += 2) {
    const value = pairs[at + 1];
    if (value !== null) present.push(pairs[at], value);
  }
  return crc32(JSON.stringify(present));
}

/**
 * Adds the column to a table as a schema step. A release that does not know checksums changes rows without them: then
 * the old one is taken away in the same statement, by a trigger of which every release is capable.
 */
export function addRowSums(database: Database, table: string): void {
  database.exec(`
    ALTER TABLE ${table} ADD COLUMN ${SUM_COLUMN} INTEGER;
    CREATE TRIGGER ${table}_changed AFTER UPDATE ON ${table}
      WHEN NEW.${SUM_COLUMN} IS NOT NULL AND NEW.${SUM_COLUMN} IS OLD.${SUM_COLUMN}
      BEGIN UPDATE ${table} SET ${SUM_COLUMN} = NULL WHERE rowid = NEW.rowid; END;
  `);
}

/**
 * Has each row that this connection writes carry its checksum, and gives one to rows that have none. The triggers are
 * temporary: in the file they would name a function that an earlier release does not have.
 */
export function keepRowSums(database: Database): void {
  defineSum(database);
  database.pragma("temp_store = MEMORY");
  for (const table of summedTables(database)) {
    const set = `UPDATE main.${table} SET ${SUM_COLUMN} = ${sumOf(database, table)}`;
    database.exec(`
      CREATE TEMP TRIGGER ${table}_inserted AFTER INSERT ON main.${table}
        BEGIN UPDATE ${table} SET ${SUM_COLUMN} = ${sumOf(database, table)} WHERE rowid = NEW.rowid; END;
      CREATE TEMP TRIGGER ${table}_unsummed AFTER UPDATE OF ${SUM_COLUMN} ON main.${table} WHEN NEW.${SUM_COLUMN} IS NULL
        BEGIN UPDATE ${table} SET ${SUM_COLUMN} = ${sumOf(database, table)} WHERE rowid = NEW.rowid; END;
    `);
    const unsummed = `SELECT rowid FROM main.${table} WHERE ${SUM_COLUMN} IS NULL`;
    // Only where there are any: a full disk must not keep the daemon from starting.
    if (database.prepare(`${unsummed} LIMIT 1`).get() !== undefined)
      database.exec(`${set} WHERE rowid IN (${unsummed} ORDER BY rowid DESC LIMIT ${FILLED_MAX})`);
  }
}

/** Rows that are not what was written, by their rowids. @returns tables without such rows are left out */
export function alteredRows(database: Database): { table: string; ids: number[] }[] {
  defineSum(database);
  return summedTables(database).flatMap((table) => {
    const ids = database
      .prepare(
        `SELECT rowid FROM main.${table}
         WHERE ${SUM_COLUMN} IS NOT NULL AND ${SUM_COLUMN} <> ${sumOf(database, table)} LIMIT ${NAMED_MAX}`,
      )
      .pluck()
      .all() as number[];
    return ids.length === 0 ? [] : [{ table, ids }];
  });
}

/** Takes rows for what they are from now on: their loss is reported, and would be again at each start. */
export function acceptRows(database: Database, table: string, ids: readonly number[]): void {
  const accept = database.prepare(`UPDATE main.${table} SET ${SUM_COLUMN} = NULL WHERE rowid = ?`);
  for (const id of ids) accept.run(id);
}

function defineSum(database: Database): void {
  database.function("row_sum", { varargs: true, deterministic: true }, (table: string, ...pairs: unknown[]) =>
    rowSum(table, ...pairs),
  );
}

function summedTables(database: Database): string[] {
  const names = database
    .prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table' ORDER BY rowid")
    .pluck()
    .all() as string[];
  return names.filter((name) => columnsOf(database, name).includes(SUM_COLUMN));
}

function sumOf(database: Database, table: string): string {
  const pairs = columnsOf(database, table)
    .filter((name) => name !== SUM_COLUMN)
    .map((name) => `'${name}', ${name}`);
  return `row_sum('${table}', ${pairs.join(", ")})`;
}

function columnsOf(database: Database, table: string): string[] {
  return (database.pragma(`main.table_info(${table})`) as { name: string }[]).map(({ name }) => name);
}
