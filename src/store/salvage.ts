import Sqlite from "better-sqlite3";
import type { Database } from "./database.ts";
import { transaction } from "./transaction.ts";

/** What became of one table's rows. */
export interface SalvagedTable {
  readonly table: string;
  /** Rows that were new or newer than what was there. */
  readonly taken: number;
  /** Rows that could be read but break a rule of the schema. */
  readonly refused: number;
  /** Whether every row could be reached; false when a part of the table is unreadable. */
  readonly isWhole: boolean;
}

/** Ids between the two ends of a damaged table that are asked for one by one. */
const POINTS_MAX = 100_000;
/** Ids may have been given out in pages that nobody can read any more; they travel, so none may be given again. */
const SEQUENCE_MARGIN = 1_000;

/**
 * Takes over every row that can still be read from a damaged database: forward until an unreadable page, backward
 * until one, and what lies between by single ids. A row that is in both is taken from the damaged file, which is the
 * younger of the two; the schema's own rules refuse what damage has made of a row.
 * @param path copy of the damaged file; SQLite may write beside it
 * @param target an intact database of the same kind
 */
export function salvage(path: string, target: Database): SalvagedTable[] {
  let source: Sqlite.Database;
  try {
    source = new Sqlite(path, { fileMustExist: true });
  } catch {
    return [];
  }
  try {
    return transaction(target, () => {
      const salvaged = tablesOf(target).map((table) => salvageTable(source, target, table));
      moveSequences(source, target);
      return salvaged;
    });
  } finally {
    source.close();
  }
}

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
  readonly hasRowId: boolean;
}

/** In the order of their making, so that a row comes after the one it refers to. */
function tablesOf(database: Database): Table[] {
  const names = database
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    )
    .pluck()
    .all() as string[];
  return names.map((name) => {
    const columns = database.pragma(`table_info(${name})`) as { name: string; pk: number }[];
    const [listed] = database.pragma(`table_list(${name})`) as { wr: number }[];
    return {
      name,
      columns: columns.map((column) => column.name),
      key: columns.filter(({ pk }) => pk > 0).map((column) => column.name),
      hasRowId: listed?.wr === 0,
    };
  });
}

function salvageTable(source: Database, target: Database, table: Table): SalvagedTable {
  const present = new Set(columnsIn(source, table.name));
  const columns = table.columns.filter((column) => present.has(column));
  let taken = 0;
  let refused = 0;
  if (columns.length === 0) return { table: table.name, taken, refused, isWhole: false };
  const put = target.prepare(mergeStatement(table, columns));
  const take = (row: Row): void => {
    try {
      taken += put.run(row).changes;
    } catch {
      refused += 1;
    }
  };
  const isWhole = walk(source, table, columns, take);
  return { table: table.name, taken, refused, isWhole };
}

type Row = Readonly<Record<string, unknown>>;

function columnsIn(source: Database, table: string): string[] {
  try {
    return (source.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
  } catch {
    return [];
  }
}

/** An unchanged row is not written, so that a table whose rows are final takes the new ones and refuses nothing. */
function mergeStatement({ name, key }: Table, columns: readonly string[]): string {
  const plain = columns.filter((column) => !key.includes(column));
  const values = columns.map((column) => `:${column}`).join(", ");
  const excluded = plain.map((column) => `excluded.${column}`);
  const change =
    plain.length === 0
      ? "DO NOTHING"
      : `DO UPDATE SET ${plain.map((column) => `${column} = excluded.${column}`).join(", ")}
         WHERE (${plain.map((column) => `${name}.${column}`).join(", ")}) IS NOT (${excluded.join(", ")})`;
  return `INSERT INTO ${name}(${columns.join(", ")}) VALUES(${values}) ON CONFLICT(${key.join(", ")}) ${change}`;
}

/** @returns whether the whole table could be read */
function walk(
  source: Database,
  { name, key, hasRowId }: Table,
  columns: readonly string[],
  take: (row: Row) => void,
): boolean {
  const order = hasRowId ? "rowid" : key.join(", ");
  const id = hasRowId ? "rowid" : "NULL";
  const select = `SELECT ${columns.join(", ")}, ${id} AS walked_id FROM ${name}`;
  let last: unknown = null;
  const scan = (direction: "ASC" | "DESC"): boolean => {
    try {
      // The index of a rowid may be intact where the table is not, so the order is the table's own.
      for (const row of source
        .prepare(`${select} ORDER BY ${order} ${direction}`)
        .iterate() as Iterable<Row>) {
        const { walked_id: walkedId, ...values } = row;
        last = walkedId;
        take(values);
      }
      return true;
    } catch {
      return false;
    }
  };
  if (scan("ASC")) return true;
  const low = last;
  last = null;
  if (scan("DESC") || !hasRowId) return false;
  const high = typeof last === "number" ? last : lastGiven(source, name) + 1;
  walkPoints(source, `${select} WHERE rowid = ?`, { low, high }, take);
  return false;
}

function walkPoints(
  source: Database,
  select: string,
  { low, high }: { low: unknown; high: number },
  take: (row: Row) => void,
): void {
  const first = typeof low === "number" ? low + 1 : 1;
  const one = source.prepare(select);
  for (let id = first; id < Math.min(high, first + POINTS_MAX); id += 1) {
    try {
      const row = one.get(id) as Row | undefined;
      if (!row) continue;
      const { walked_id: _id, ...values } = row;
      take(values);
    } catch {
      // This id lies in the unreadable part.
    }
  }
}

/** The largest id that a table has ever given; all that may be, where that cannot be read. */
function lastGiven(source: Database, table: string): number {
  try {
    const last = source.prepare("SELECT seq FROM sqlite_sequence WHERE name = ?").pluck().get(table);
    return typeof last === "number" ? last : POINTS_MAX;
  } catch {
    return POINTS_MAX;
  }
}

function moveSequences(source: Database, target: Database): void {
  const seen = new Map<string, number>();
  for (const database of [source, target]) {
    try {
      const rows = database.prepare("SELECT name, seq FROM sqlite_sequence").all() as SequenceRow[];
      for (const { name, seq } of rows) seen.set(name, Math.max(seen.get(name) ?? 0, seq));
    } catch {
      // Unreadable in the damaged file; the other one's own and the margin have to do.
    }
  }
  const known = new Set(tablesOf(target).map(({ name }) => name));
  for (const [name, seq] of seen) {
    if (!known.has(name)) continue;
    const next = seq + SEQUENCE_MARGIN;
    const { changes } = target.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = ?").run(next, name);
    if (changes === 0) target.prepare("INSERT INTO sqlite_sequence(name, seq) VALUES(?, ?)").run(name, next);
  }
}

interface SequenceRow {
  readonly name: string;
  readonly seq: number;
}
