import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { Database } from "../../src/store/database.ts";
import { tablesOf, type Table } from "../../src/store/tables.ts";
import type { Image } from "./damaged-images.ts";
import { findProgram } from "./required-programs.ts";

const OUTPUT_BYTES_MAX = 256 * 1_048_576;
const LIMIT_MS = 60_000;
/** Where `.recover` puts rows of an unknown table: page numbers, number of values, rowid, values. */
const UNKNOWN_ROWS = "lost_and_found";

/** Why the comparison is left out. Debian 12 builds `sqlite3` without the virtual table that `.recover` needs. */
export const NO_RECOVER =
  "sqlite3 with .recover is not installed; on Debian 13: sudo apt-get install sqlite3";

/** Path of a `sqlite3` with a usable `.recover`; undefined if there is none. */
export function recoverProgram(): string | undefined {
  const program = findProgram("sqlite3");
  if (program === undefined) return undefined;
  const words = ["-batch", ":memory:", "CREATE TABLE probe(one);", ".recover"];
  return spawnSync(program, words, { encoding: "utf8" }).stdout.includes("CREATE TABLE probe")
    ? program
    : undefined;
}

/** The rows of a table as texts with each column but the checksum, which belongs to the file and not to the row. */
export function rowTexts(database: Database, table: string): Set<string> {
  const { columns } = layoutOf(database, table);
  return new Set(rowsOf(database, columns, table).map((row) => rowText(columns, row)));
}

/**
 * Reads tables from a damaged database with `.recover`.
 * @param image files of the database, with its write-ahead log; they are copied
 * @param wanted each table, and an intact database that has it
 * @returns the rows of all of them as `rowTexts`, with those whose table `.recover` does not find
 */
export function recoveredRows(
  program: string,
  { image, name, folder }: { image: Image; name: string; folder: string },
  wanted: readonly (readonly [table: string, like: Database])[],
): Set<string> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const file of [name, `${name}-wal`, `${name}-shm`]) {
    const bytes = image.get(file);
    if (bytes) writeFileSync(join(folder, file), bytes);
  }
  const options = { maxBuffer: OUTPUT_BYTES_MAX, timeout: LIMIT_MS, stdio: "pipe" } as const;
  const { stdout: script } = spawnSync(program, ["-batch", join(folder, name), ".recover"], options);
  const path = join(folder, "recovered");
  // sqlite3 goes on after a statement that fails, as for a person.
  spawnSync(program, ["-batch", path], { ...options, input: script });
  const found = new Sqlite(path);
  try {
    return new Set(wanted.flatMap(([table, like]) => foundRows(found, layoutOf(like, table))));
  } finally {
    found.close();
  }
}

function foundRows(found: Database, { name, columns, stored, rowIdColumn }: Table): string[] {
  const has = (table: string): boolean => tablesOf(found).some((one) => one.name === table);
  const known = has(name) ? rowsOf(found, layoutOf(found, name).columns, name) : [];
  const unknown = has(UNKNOWN_ROWS) ? rowsOf(found, ["*"], UNKNOWN_ROWS) : [];
  return [
    ...known.map((row) => rowText(columns, row)),
    ...unknown.map(([, , , rowId, ...values]) =>
      rowText(
        columns,
        columns.map((column) => (column === rowIdColumn ? rowId : values[stored.indexOf(column)])),
      ),
    ),
  ];
}

function layoutOf(database: Database, table: string): Table {
  const layout = tablesOf(database).find(({ name }) => name === table);
  if (layout === undefined) throw new Error(`there is no table ${table}`);
  return layout;
}

function rowsOf(database: Database, columns: readonly string[], table: string): unknown[][] {
  return database
    .prepare(`SELECT ${columns.join(", ")} FROM ${table}`)
    .raw()
    .all() as unknown[][];
}

function rowText(columns: readonly string[], row: readonly unknown[]): string {
  const pairs = columns.map((column, index) => [column, row[index] ?? null] as const);
  return JSON.stringify(pairs.filter(([column]) => column !== "checksum"));
}
