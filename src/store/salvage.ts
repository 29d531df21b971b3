import Sqlite from "better-sqlite3";
import type { Database, DatabaseKind } from "./database.ts";
import { DatabasePages, type PageOverlay, type RawRow, type RawValue } from "./pages.ts";
import { pageOwners, rowsOf } from "./page-owners.ts";
import { rowSum, SUM_COLUMN } from "./row-checksums.ts";
import { tablesOf, type Table } from "./tables.ts";
import { transaction } from "./transaction.ts";

/** What became of one table's rows. */
export interface SalvagedTable {
  readonly table: string;
  /** Rows that were new or newer than what was there. */
  readonly taken: number;
  /** Rows that could be read but break a rule of the schema. */
  readonly refused: number;
  /** Cells of the table's pages that cannot be read. */
  readonly unreadable: number;
  /** Rows that are not what was written, by their rowids. Where a copy has the same row, the copy's is kept. */
  readonly altered: readonly number[];
}

export interface Salvage {
  readonly tables: readonly SalvagedTable[];
  /** Pages of the file that are missing or are none. */
  readonly unreadablePages: number;
  /** The last numbers that its tables had given, of those that could be read. */
  readonly lastNumbers: Readonly<Record<string, number>>;
}

/** Ids may have been given out in pages that cannot be read; they travel, so none may be given again. */
export const SEQUENCE_MARGIN = 1_000;

export interface SalvageOptions {
  readonly kind: DatabaseKind;
  /** What the write-ahead log has of the pages. */
  readonly overlay?: PageOverlay | undefined;
  /** Asked before each page; when it says no, the rest counts as unreadable. */
  readonly isInTime?: () => boolean;
}

/**
 * Takes over every row that can still be read from a damaged database, page by page and not through SQLite, which opens
 * no file that is cut, lacks its head or has a mistake in the text of its schema. What the columns mean is known from the
 * schema's steps. A row that is in both is taken from the damaged file, which is the younger of the two; the schema's own
 * rules refuse what damage has made of a row, and its checksum tells where they do not.
 * @param target an intact database of the same kind
 */
export function salvage(path: string, target: Database, options: SalvageOptions): Salvage {
  const pages = new DatabasePages(path, options.overlay);
  const { kind, isInTime = () => true } = options;
  try {
    return transaction(target, () => rescue(pages, target, kind, isInTime));
  } finally {
    pages.close();
  }
}

function rescue(
  pages: DatabasePages,
  target: Database,
  kind: DatabaseKind,
  isInTime: () => boolean,
): Salvage {
  const layouts = layoutsAt(kind, pages);
  const { byTable, orphans, unreadable: unreadablePages } = pageOwners(pages);
  const takers = layouts.map((layout) => new RowTaker(target, layout));
  const tables = takers.map((taker): SalvagedTable => {
    const rows = rowsOf(pages, byTable.get(taker.table) ?? [], isInTime);
    let step = rows.next();
    for (; step.done !== true; step = rows.next()) taker.take(step.value);
    return { ...taker.counts, unreadable: step.value };
  });
  // Behind all that has a place: an orphan may be a page's earlier state.
  for (const { rows } of orphans.map((number) => pages.rows(number)))
    for (const row of rows) takers.find((taker) => taker.takeOrphan(row));
  const lastNumbers = moveSequences(pages, byTable.get("sqlite_sequence") ?? [], target);
  return {
    lastNumbers,
    unreadablePages,
    tables: tables.map((counted, index) => ({ ...counted, ...takers[index]?.counts })),
  };
}

/** How the tables of a file with this number of steps are stored. */
function layoutsAt({ migrations }: DatabaseKind, pages: DatabasePages): Table[] {
  const head = pages.page(1);
  // `user_version`, of which the lower three digits count the steps ("The Database Header").
  const stored = head.length >= 64 ? head.readUInt32BE(60) % 1000 : 0;
  const steps = stored > 0 && stored < migrations.length ? stored : migrations.length;
  const database = new Sqlite(":memory:");
  try {
    for (const step of migrations.slice(0, steps)) step(database);
    return tablesOf(database);
  } finally {
    database.close();
  }
}

/** Puts the rows of one table into its counterpart. */
class RowTaker {
  readonly table: string;
  readonly #target: Database;
  readonly #source: Table;
  readonly #columns: ReadonlySet<string>;
  #taken = 0;
  #refused = 0;
  readonly #altered: number[] = [];

  constructor(target: Database, source: Table) {
    this.table = source.name;
    this.#target = target;
    this.#source = source;
    this.#columns = new Set(tablesOf(target).find(({ name }) => name === source.name)?.columns);
  }

  get counts(): Omit<SalvagedTable, "unreadable"> {
    return { table: this.table, taken: this.#taken, refused: this.#refused, altered: this.#altered };
  }

  take(raw: RawRow): void {
    const row = this.#named(raw);
    if (row === undefined || (raw.rowId === null) === this.#source.hasRowId) return;
    const isAltered = this.#isAltered(row);
    if (isAltered) this.#altered.push(raw.rowId ?? 0);
    if (!this.#put(row, isAltered)) this.#refused += 1;
  }

  /**
   * Takes a row whose table is not known, if it can be one of this table, and none of the kind is there.
   * @returns whether it is one
   */
  takeOrphan(raw: RawRow): boolean {
    const row = this.#named(raw);
    if (row === undefined || raw.rowId === null || !this.#source.hasRowId) return false;
    if (!this.#source.fits(row) || this.#isAltered(row)) return false;
    return this.#put(row, true);
  }

  /** Undefined where it has more values than the table has columns. */
  #named({ rowId, values }: RawRow): NamedRow | undefined {
    const { stored, rowIdColumn } = this.#source;
    if (values.length > stored.length) return undefined;
    const row = new Map<string, RawValue>();
    values.forEach((value, index) => row.set(stored[index] ?? "", value));
    if (rowIdColumn !== undefined) row.set(rowIdColumn, rowId);
    return row;
  }

  #isAltered(row: NamedRow): boolean {
    const sum = row.get(SUM_COLUMN);
    if (typeof sum !== "number") return false;
    const pairs = this.#source.columns
      .filter((name) => name !== SUM_COLUMN && row.has(name))
      .flatMap((name) => [name, row.get(name)]);
    return sum !== rowSum(this.table, ...pairs);
  }

  /** @param isOnlyNew leaves a row that is there as it is @returns whether the schema takes it */
  #put(row: NamedRow, isOnlyNew: boolean): boolean {
    const columns = [...row.keys()].filter((name) => this.#columns.has(name) && name !== SUM_COLUMN);
    if (columns.length === 0) return false;
    const statement = this.#target.prepare(mergeStatement(this.#source, columns, isOnlyNew));
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

type NamedRow = ReadonlyMap<string, RawValue>;

/** An unchanged row is not written, so that a table whose rows are final takes the new ones and refuses nothing. */
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

/** A record whose objective lay in an unreadable page is worth more than the objective's name. */
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
    const next = seq + SEQUENCE_MARGIN;
    const { changes } = target.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = ?").run(next, name);
    if (changes === 0) target.prepare("INSERT INTO sqlite_sequence(name, seq) VALUES(?, ?)").run(name, next);
  }
  return Object.fromEntries(seen);
}
