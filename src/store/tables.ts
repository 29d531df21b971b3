import Sqlite from "better-sqlite3";
import type { Database, DatabaseKind } from "./database.ts";

/** The storage layout of a table. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns in storage order: in a table without rowid the key comes first. */
  readonly stored: readonly string[];
  readonly key: readonly string[];
  readonly hasRowId: boolean;
  /** The column that is an alias of the rowid; undefined for none. */
  readonly rowIdColumn: string | undefined;
  /** Whether values fit the column types and NOT NULL constraints of this table. */
  readonly fits: (row: ReadonlyMap<string, unknown>) => boolean;
}

/** A column of a table. */
export interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly notnull: 0 | 1;
  readonly dflt_value: string | null;
  /** Position in the primary key, from 1; 0 for other columns. */
  readonly pk: number;
}

/** Reads an empty database after a number of migrations. */
export function readSchema<T>(kind: DatabaseKind, steps: number, read: (database: Database) => T): T {
  const database = new Sqlite(":memory:");
  try {
    for (const step of kind.migrations.slice(0, steps)) step(database);
    return read(database);
  } finally {
    database.close();
  }
}

/** The tables in order of creation, so that referenced tables come first. */
export function tablesOf(database: Database): Table[] {
  return tableNames(database).map((name) => tableOf(database, name));
}

/** The names of the tables in order of creation. */
export function tableNames(database: Database): string[] {
  return database
    .prepare(
      "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    )
    .pluck()
    .all() as string[];
}

export function columnInfosOf(database: Database, table: string): ColumnInfo[] {
  return database.pragma(`main.table_info(${table})`) as ColumnInfo[];
}

/** Whether a table has a rowid, or is one WITHOUT ROWID. */
export function hasRowId(database: Database, table: string): boolean {
  const [listed] = database.pragma(`main.table_list(${table})`) as { wr: number }[];
  return listed?.wr === 0;
}

function tableOf(database: Database, name: string): Table {
  const infos = columnInfosOf(database, name);
  const isPlain = hasRowId(database, name);
  const columns = infos.map((info) => info.name);
  const key = infos
    .filter(({ pk }) => pk > 0)
    .sort((a, b) => a.pk - b.pk)
    .map((info) => info.name);
  const only = infos.filter(({ pk }) => pk > 0);
  const rowIdColumn = isPlain && only.length === 1 && only[0]?.type === "INTEGER" ? only[0].name : undefined;
  return {
    name,
    columns,
    stored: isPlain ? columns : [...key, ...columns.filter((column) => !key.includes(column))],
    key,
    hasRowId: isPlain,
    rowIdColumn,
    fits: (row) => infos.every((info) => isFitting(info, row.get(info.name))),
  };
}

function isFitting({ type, notnull, dflt_value: defaultValue }: ColumnInfo, value: unknown): boolean {
  if (value === undefined) return notnull === 0 || defaultValue !== null;
  if (value === null) return notnull === 0;
  if (type === "INTEGER") return Number.isInteger(value);
  return type === "TEXT" ? typeof value === "string" : typeof value === "number";
}
