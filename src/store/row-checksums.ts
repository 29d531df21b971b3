import { crc32 } from "node:zlib";
import type { Statement } from "better-sqlite3";
import type { Database } from "./database.ts";
import { columnInfosOf, hasRowId, tableNames, type ColumnInfo } from "./tables.ts";

/** The column of the row checksum; null in a row written by a release without checksums. */
const SUM_COLUMN = "checksum";
/** The same in a table without a rowid: an earlier release finds the rows of each table with a `checksum` by their rowid. */
const KEYED_SUM_COLUMN = "keyed_checksum";

/** Rows that get a checksum per start: more would delay alarms after an upgrade. */
const BACKFILL_MAX = 20_000;
const REPORTED_MAX = 1_000;
/** What identifies a row: its rowid, or its key in a table without one. */
export type RowKey = number | string;

/** Whether a column has the row checksum. */
export function isSumColumn(name: string): boolean {
  return name === SUM_COLUMN || name === KEYED_SUM_COLUMN;
}

/** How `JSON.stringify` writes half a surrogate pair. */
const LONE_SURROGATE = "\\ud";

/**
 * The checksum of a row, over its table name and each non-null column by name. So a new column changes no checksum
 * until it has a value.
 * @param pairs column and value in turn, without the checksum itself
 * @returns CRC-32, which detects any single flipped bit and any run of wrong bits up to 32
 */
export function rowSum(table: string, ...pairs: readonly unknown[]): number {
  const present: unknown[] = [table];
  for (let at = 0; at < pairs.length; at += 2) {
    const value = pairs[at + 1];
    if (value !== null) present.push(pairs[at], value);
  }
  return crc32(JSON.stringify(present));
}

type Row = readonly (string | number | null)[];

/** Computes the checksums of rows with the same columns, outside SQLite. */
class SumOfColumns {
  readonly #isComplete: boolean;
  readonly #head: string;
  /** The position of each given value in the order of the table, which the checksum has, and the JSON before it. */
  readonly #parts: readonly { readonly at: number; readonly name: string }[];

  /** @param isNullElse whether columns without a value are null and need none */
  constructor(infos: readonly ColumnInfo[], table: string, given: readonly string[], isNullElse: boolean) {
    this.#isComplete = infos.every(
      ({ name, dflt_value: value }) =>
        given.includes(name) || isSumColumn(name) || (isNullElse && value === null),
    );
    this.#head = `[${JSON.stringify(table)}`;
    this.#parts = infos
      .map(({ name }) => ({ at: given.indexOf(name), name: `,${JSON.stringify(name)},` }))
      .filter(({ at }) => at >= 0);
  }

  /** As `rowSum`; null if the row will have other values, such as those of half a surrogate pair. */
  of(row: Row): number | null {
    if (!this.#isComplete) return null;
    let text = this.#head;
    for (const { at, name } of this.#parts) {
      const value = row[at] ?? null;
      if (value !== null) text += name + (typeof value === "number" ? value : JSON.stringify(value));
    }
    return text.includes(LONE_SURROGATE) ? null : crc32(`${text}]`);
  }
}

/**
 * Inserts rows with their checksum. The trigger of `maintainRowSums` would write each row a second time and pass every
 * name and value from SQLite to JavaScript, which takes longer than the insert itself.
 */
export class SummedInsert {
  readonly #statement: Statement;
  readonly #nextId: Statement | undefined;
  readonly #sum: SumOfColumns;

  /**
   * @param columns those that are given, with every column that has a default; the others are null. Without the
   * INTEGER PRIMARY KEY of an AUTOINCREMENT table its rows get the next number. Where a newer release has added a
   * column with a default, the trigger adds the checksum
   * @param replacedBy the column by which a row replaces an earlier one; then all columns are given
   */
  constructor(database: Database, table: string, columns: readonly string[], replacedBy?: string) {
    const infos = columnInfosOf(database, table);
    const key = infos.find(({ name, pk }) => pk === 1 && !columns.includes(name))?.name;
    const given = key === undefined ? columns : [key, ...columns];
    this.#nextId = key === undefined ? undefined : database.prepare(nextIdOf(table, key)).pluck();
    this.#sum = new SumOfColumns(infos, table, given, replacedBy === undefined);
    const names = [...given, infos.find(({ name }) => isSumColumn(name))?.name ?? SUM_COLUMN];
    const changes = names.map((name) => `${name} = excluded.${name}`).join(", ");
    const replace = replacedBy === undefined ? "" : `ON CONFLICT(${replacedBy}) DO UPDATE SET ${changes}`;
    this.#statement = database.prepare(
      `INSERT INTO ${table}(${names.join(", ")}) VALUES(${names.map(() => "?").join(", ")}) ${replace}`,
    );
  }

  /**
   * Inserts a row, in a transaction if the table numbers its rows.
   * @param values of `columns`, as SQLite will return them
   * @returns the row number
   */
  run(values: Row): number {
    const row = this.#nextId ? [this.#nextId.get() as number, ...values] : values;
    return Number(this.#statement.run(row, this.#sum.of(row)).lastInsertRowid);
  }
}

/** Replaces all values of a row and its checksum in one statement, where the triggers would write it three times. */
export class SummedUpdate {
  readonly #statement: Statement;
  readonly #sum: SumOfColumns;

  /** @param columns all but the key. Where a newer release has added one, the trigger adds the checksum */
  constructor(database: Database, table: string, key: string, columns: readonly string[]) {
    this.#sum = new SumOfColumns(columnInfosOf(database, table), table, [...columns, key], false);
    const names = [...columns, SUM_COLUMN];
    this.#statement = database.prepare(
      `UPDATE ${table} SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE ${key} = ?`,
    );
  }

  /** @param values of `columns`, as SQLite will return them */
  run(key: number, values: Row): void {
    this.#statement.run(values, this.#sum.of([...values, key]), key);
  }
}

/** The number that AUTOINCREMENT would give the next row. */
function nextIdOf(table: string, key: string): string {
  return `SELECT 1 + max(coalesce((SELECT max(${key}) FROM ${table}), 0),
    coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0))`;
}

/**
 * Migration: adds the checksum column to a table, which has a rowid or a key of one column. A release without checksums changes
 * rows without updating them, so a trigger clears the old one in the same statement.
 */
export function addRowSums(database: Database, table: string): void {
  const column = hasRowId(database, table) ? SUM_COLUMN : KEYED_SUM_COLUMN;
  database.exec(`ALTER TABLE ${table} ADD COLUMN ${column} INTEGER`);
  const key = keyOf(database, table, column);
  database.exec(`
    CREATE TRIGGER ${table}_changed AFTER UPDATE ON ${table}
      WHEN NEW.${column} IS NOT NULL AND NEW.${column} IS OLD.${column}
      BEGIN UPDATE ${table} SET ${column} = NULL WHERE ${key} = NEW.${key}; END;
  `);
}

/**
 * Maintains the checksums of the rows this connection writes, and adds missing ones. The triggers are temporary: in
 * the file they would refer to a function that an earlier release does not have.
 */
export function maintainRowSums(database: Database): void {
  defineSum(database);
  database.pragma("temp_store = MEMORY");
  for (const { table, column, key } of summedTables(database)) {
    const setSum = `SET ${column} = ${sumOf(database, table)}`;
    database.exec(`
      CREATE TEMP TRIGGER ${table}_inserted AFTER INSERT ON main.${table} WHEN NEW.${column} IS NULL
        BEGIN UPDATE ${table} ${setSum} WHERE ${key} = NEW.${key}; END;
      CREATE TEMP TRIGGER ${table}_unsummed AFTER UPDATE OF ${column} ON main.${table} WHEN NEW.${column} IS NULL
        BEGIN UPDATE ${table} ${setSum} WHERE ${key} = NEW.${key}; END;
    `);
    const unsummed = `SELECT ${key} FROM main.${table} WHERE ${column} IS NULL`;
    // Only if there are any: the daemon must start on a full disk.
    if (database.prepare(`${unsummed} LIMIT 1`).get() !== undefined)
      database.exec(
        `UPDATE main.${table} ${setSum} WHERE ${key} IN (${unsummed} ORDER BY ${key} DESC LIMIT ${BACKFILL_MAX})`,
      );
  }
}

/**
 * Rows whose checksum is wrong.
 * @returns only tables with such rows
 */
export function alteredRows(database: Database): { table: string; ids: RowKey[] }[] {
  defineSum(database);
  return summedTables(database).flatMap(({ table, column, key }) => {
    const ids = database
      .prepare(
        `SELECT ${key} FROM main.${table}
         WHERE ${column} IS NOT NULL AND ${column} <> ${sumOf(database, table)} LIMIT ${REPORTED_MAX}`,
      )
      .pluck()
      .all() as RowKey[];
    return ids.length === 0 ? [] : [{ table, ids }];
  });
}

function defineSum(database: Database): void {
  database.function("row_sum", { varargs: true, deterministic: true }, (table: string, ...pairs: unknown[]) =>
    rowSum(table, ...pairs),
  );
}

interface SummedTable {
  readonly table: string;
  /** The column with the checksum, and the one that identifies a row. */
  readonly column: string;
  readonly key: string;
}

export function summedTables(database: Database): SummedTable[] {
  return tableNames(database).flatMap((table) => {
    const column = columnsOf(database, table).find(isSumColumn);
    return column === undefined ? [] : [{ table, column, key: keyOf(database, table, column) }];
  });
}

function keyOf(database: Database, table: string, column: string): string {
  if (column === SUM_COLUMN) return "rowid";
  return columnInfosOf(database, table).find(({ pk }) => pk === 1)?.name ?? "";
}

function sumOf(database: Database, table: string): string {
  const pairs = columnsOf(database, table)
    .filter((name) => !isSumColumn(name))
    .map((name) => `'${name}', ${name}`);
  return `row_sum('${table}', ${pairs.join(", ")})`;
}

function columnsOf(database: Database, table: string): string[] {
  return columnInfosOf(database, table).map(({ name }) => name);
}
