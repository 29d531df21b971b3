import type { Database } from "./database.ts";

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

interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly notnull: 0 | 1;
  readonly dflt_value: string | null;
  /** Position in the primary key, from 1; 0 for other columns. */
  readonly pk: number;
}

/** The tables in order of creation, so that referenced tables come first. */
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

function isFitting({ type, notnull, dflt_value: defaultValue }: ColumnInfo, value: unknown): boolean {
  if (value === undefined) return notnull === 0 || defaultValue !== null;
  if (value === null) return notnull === 0;
  if (type === "INTEGER") return Number.isInteger(value);
  return type === "TEXT" ? typeof value === "string" : typeof value === "number";
}
