import Sqlite from "better-sqlite3";
import { isForgotten } from "./altered-rows.ts";
import type { Database, DatabaseKind } from "./database.ts";
import { StatementCache } from "./statement-cache.ts";
import { DatabasePages, type PageOverlay, type RawRow, type RawValue } from "./pages.ts";
import { pageOwners, rowsOf } from "./page-owners.ts";
import { isSumColumn, rowSum, type RowKey } from "./row-checksums.ts";
import { correctedWords, type NamedRow } from "./corrected-words.ts";
import { setLastNumber } from "./sequence-gaps.ts";
import { readSchema, tablesOf, type Table } from "./tables.ts";
import { transaction } from "./transaction.ts";

/** The result for one table. */
interface SalvagedTable {
  readonly table: string;
  /** Rows that were new or replaced older ones. */
  readonly taken: number;
  /** Rows that were readable but violate the schema. */
  readonly refused: number;
  /** Unreadable pages of the table, and unreadable cells of the others. */
  readonly unreadable: number;
  /** Rows with a wrong checksum. A row of the backup is preferred. */
  readonly altered: readonly RowKey[];
}

export interface Salvage {
  readonly tables: readonly SalvagedTable[];
  /** Other pages of the file that are missing or not readable as pages. */
  readonly unreadablePages: number;
  /** The last row number of each table, as far as readable. */
  readonly lastNumbers: Readonly<Record<string, number>>;
}

/** Ids skipped after a salvage: ids from unreadable pages may be in use outside and must not be reused. */
const SEQUENCE_MARGIN = 1_000;

interface SalvageOptions {
  readonly kind: DatabaseKind;
  /** Page contents from the write-ahead log. */
  readonly overlay?: PageOverlay | undefined;
  /** Called before each page; false counts the rest as unreadable. */
  readonly isInTime?: () => boolean;
}

/**
 * Copies every readable row of a damaged database. It reads page by page, because SQLite rejects a file that is
 * truncated or has a damaged header or schema. The columns are derived from the migrations. A row of the damaged
 * file replaces that of the target, which is older. Damaged values are detected by the schema's constraints and by
 * the row checksum.
 * @param target an intact database of the same kind
 */
export function salvage(path: string, target: Database, options: SalvageOptions): Salvage {
  const pages = new DatabasePages(path, options.overlay);
  const { kind, isInTime = () => true } = options;
  try {
    return transaction(target, () => salvagePages(pages, target, kind, isInTime));
  } finally {
    pages.close();
  }
}

function salvagePages(
  pages: DatabasePages,
  target: Database,
  kind: DatabaseKind,
  isInTime: () => boolean,
): Salvage {
  const layouts = layoutsAt(kind, pages);
  const { byTable, orphans, unreadable } = pageOwners(pages);
  const copiers = layouts.map((layout) => new RowCopier(target, layout));
  const tables = copiers.map((copier): SalvagedTable => {
    const rows = rowsOf(pages, byTable.get(copier.table) ?? [], isInTime);
    let step = rows.next();
    for (; step.done !== true; step = rows.next()) copier.take(step.value);
    return { ...copier.counts, unreadable: step.value + (unreadable.get(copier.table) ?? 0) };
  });
  // After all identified rows: an orphan may be an earlier state of a page.
  for (const { rows } of orphans.map((number) => pages.rows(number)))
    for (const row of rows) copiers.find((copier) => copier.takeOrphan(row));
  const lastNumbers = moveSequences(pages, byTable.get("sqlite_sequence") ?? [], target);
  const known = new Set(copiers.map(({ table }) => table));
  const others = [...unreadable].filter(([name]) => !known.has(name));
  return {
    lastNumbers,
    unreadablePages: others.reduce((sum, [, count]) => sum + count, 0),
    tables: tables.map((counted, index) => ({ ...counted, ...copiers[index]?.counts })),
  };
}

/** The table layouts of a file after its number of migrations. */
function layoutsAt(kind: DatabaseKind, pages: DatabasePages): Table[] {
  const head = pages.page(1);
  // The lower three digits of `user_version` count the migrations ("The Database Header").
  const stored = head.length >= 64 ? head.readUInt32BE(60) % 1000 : 0;
  const { length } = kind.migrations;
  return readSchema(kind, stored > 0 && stored < length ? stored : length, tablesOf);
}

/** Copies the rows of one table into the target. */
class RowCopier {
  readonly table: string;
  readonly #target: Database;
  readonly #source: Table;
  readonly #columns: ReadonlySet<string>;
  readonly #statements: StatementCache;
  #taken = 0;
  #refused = 0;
  readonly #altered: RowKey[] = [];

  constructor(target: Database, source: Table) {
    this.table = source.name;
    this.#target = target;
    this.#source = source;
    this.#statements = new StatementCache(target);
    this.#columns = new Set(tablesOf(target).find(({ name }) => name === source.name)?.columns);
  }

  get counts(): Omit<SalvagedTable, "unreadable"> {
    return { table: this.table, taken: this.#taken, refused: this.#refused, altered: this.#altered };
  }

  take(raw: RawRow): void {
    const row = this.#named(raw);
    if (row === undefined || (raw.rowId === null) === this.#source.hasRowId) return;
    const isAltered = this.#isAltered(row);
    const key = raw.rowId ?? String(row.get(this.#source.key[0] ?? ""));
    if (isAltered) this.#altered.push(key);
    if (isAltered && isForgotten(this.table)) return;
    if (this.#put(row, isAltered)) return;
    const corrected = correctedWords(this.table, row);
    if (!corrected || !this.#put(corrected, isAltered)) this.#refused += 1;
    else if (!isAltered) this.#altered.push(key);
  }

  /**
   * Copies a row of an unknown table if it fits this table and its key is not in use.
   * @returns whether it was copied
   */
  takeOrphan(raw: RawRow): boolean {
    const row = this.#named(raw);
    if (row === undefined || raw.rowId === null || !this.#source.hasRowId) return false;
    if (!this.#source.fits(row) || this.#isAltered(row)) return false;
    return this.#put(row, true);
  }

  /** Names the values of a row; undefined if there are more values than columns. */
  #named({ rowId, values }: RawRow): NamedRow | undefined {
    const { stored, rowIdColumn } = this.#source;
    if (values.length > stored.length) return undefined;
    const row = new Map<string, RawValue>();
    values.forEach((value, index) => row.set(stored[index] ?? "", value));
    if (rowIdColumn !== undefined) row.set(rowIdColumn, rowId);
    return row;
  }

  #isAltered(row: NamedRow): boolean {
    const sum = row.get(this.#source.columns.find(isSumColumn) ?? "");
    if (typeof sum !== "number") return false;
    const pairs = this.#source.columns
      .filter((name) => !isSumColumn(name) && row.has(name))
      .flatMap((name) => [name, row.get(name)]);
    return sum !== rowSum(this.table, ...pairs);
  }

  /**
   * @param isOnlyNew true to keep an existing row
   * @returns whether the schema accepts the row
   */
  #put(row: NamedRow, isOnlyNew: boolean): boolean {
    const columns = [...row.keys()].filter((name) => this.#columns.has(name) && !isSumColumn(name));
    if (columns.length === 0) return false;
    const statement = this.#statements.prepare(mergeStatement(this.#source, columns, isOnlyNew));
    const values = Object.fromEntries(columns.map((name) => [name, row.get(name)]));
    const run = (): void => void (this.#taken += statement.run(values).changes);
    try {
      run();
      return true;
    } catch (error) {
      if (!isMissingObjective(error) || !addPlaceholder(this.#target, values)) return false;
    }
    try {
      run();
      return true;
    } catch {
      return false;
    }
  }
}

/** Unchanged rows are not written, because rows of some tables must not be updated. */
function mergeStatement({ name, key }: Table, columns: readonly string[], isOnlyNew: boolean): string {
  const plain = columns.filter((column) => !key.includes(column));
  const values = columns.map((column) => `:${column}`).join(", ");
  const excluded = plain.map((column) => `excluded.${column}`);
  const change =
    isOnlyNew || plain.length === 0
      ? "DO NOTHING"
      : `DO UPDATE SET ${plain.map((column) => `${column} = excluded.${column}`).join(", ")}
         WHERE (${plain.map((column) => `${name}.${column}`).join(", ")}) IS NOT (${excluded.join(", ")})`;
  return `INSERT INTO ${name}(${columns.join(", ")}) VALUES(${values}) ON CONFLICT(${key.join(", ")}) ${change}`;
}

function isMissingObjective(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code === "SQLITE_CONSTRAINT_FOREIGNKEY";
}

/** Adds a placeholder for an objective on an unreadable page, so that its record is kept. */
function addPlaceholder(target: Database, { objectiveType: kind, objectiveId: id }: NamedValues): boolean {
  if (typeof kind !== "string" || typeof id !== "number") return false;
  const data = JSON.stringify({ id, name: `${kind} ${id}` });
  target
    .prepare("INSERT OR IGNORE INTO objectives(kind, id, data, source) VALUES(?, ?, ?, 'zone')")
    .run(kind, id, data);
  return true;
}

type NamedValues = Readonly<Record<string, RawValue | undefined>>;

function moveSequences(
  pages: DatabasePages,
  numbers: readonly number[],
  target: Database,
): Record<string, number> {
  const seen = new Map<string, number>();
  const note = (name: unknown, seq: unknown): void => {
    if (typeof name === "string" && Number.isSafeInteger(seq))
      seen.set(name, Math.max(seen.get(name) ?? 0, Number(seq)));
  };
  for (const number of numbers) for (const { values } of pages.rows(number).rows) note(values[0], values[1]);
  const rows = target.prepare("SELECT name, seq FROM sqlite_sequence").all() as {
    name: string;
    seq: number;
  }[];
  for (const { name, seq } of rows) note(name, seq);
  const known = new Set(tablesOf(target).map(({ name }) => name));
  for (const [name, seq] of seen) {
    if (!known.has(name)) continue;
    setLastNumber(target, name, seq + SEQUENCE_MARGIN);
  }
  return Object.fromEntries(seen);
}
