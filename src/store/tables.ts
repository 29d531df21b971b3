import type { Database } from "./database.ts";

/** A table as its rows are stored. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns in the order of storage: in a table without rowids the key comes first. */
  readonly stored: readonly string[];
  readonly key: readonly string[];
  readonly hasRowId: boolean;
  /** The column that is the rowid itself; undefined where none is. */
  readonly rowIdColumn: string | undefined;
  /** Whether values may be a row of this table, by the types and the columns that need a value. */
  readonly fits: (row: ReadonlyMap<string, unknown>) => boolean;
}

interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly notnull: 0 | 1;
  readonly dflt_value: string | null;
  /** Place in the primary key, from 1; 0 outside of it. */
  readonly pk: number;
}

/** In the order of their making, so that a row comes after the one it refers to. */
export function tablesOf(database: Database): Table[] {
  const names = database
    .prepare(
      "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    )
    .pluck()
    .all() as string[];
  return names.map((name) => tableOf(database, name));
}

function tableOf(database: Database, name: string): Table {
  const infos = database.pragma(`main.table_info(${name})`) as ColumnInfo[];
  const [listed] = database.pragma(`main.table_list(${name})`) as { wr: number }[];
  const hasRowId = listed?.wr === 0;
  const columns = infos.map((info) => info.name);
  const key = infos
    .filter(({ pk }) => pk > 0)
    .sort((a, b) => a.pk - b.pk)
    .map((info) => info.name);
  const only = infos.filter(({ pk }) => pk > 0);
  const rowIdColumn = hasRowId && only.length === 1 && only[0]?.type === "INTEGER" ? only[0].name : undefined;
  return {
    name,
    columns,
    stored: hasRowId ? columns : [...key, ...columns.filter((column) => !key.includes(column))],
    key,
    hasRowId,
    rowIdColumn,
    fits: (row) => infos.every((info) => isFitting(info, row.get(info.name))),
  };
}

function isFitting({ type, notnull, dflt_value: usual }: ColumnInfo, value: unknown): boolean {
  if (value === undefined) return notnull === 0 || usual !== null;
  if (value === null) return notnull === 0;
  if (type === "INTEGER") return Number.isInteger(value);
  return type === "TEXT" ? typeof value === "string" : typeof value === "number";
}
