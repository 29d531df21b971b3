import type { Database } from "../store/database.ts";
import type { NamedStatement } from "./connection.ts";
import type { MovedTable } from "./moved-tables.ts";
import { storableText } from "./storable.ts";

/** Rows of one statement; with the limit of characters they take some ten megabytes, however long the texts are. */
const ROWS_MAX = 1_000;
const CHARACTERS_MAX = 2_000_000;

type SqliteValue = string | number | null;
type Value = SqliteValue | boolean;

/** Some rows of a table, as the parameters of `insertOf`. */
export interface RowBatch {
  readonly rows: number;
  /** The values of each column. */
  readonly columns: readonly (readonly Value[])[];
  /** The keys of rows with the character U+0000, which PostgreSQL cannot store: U+FFFD replaces it. */
  readonly replaced: readonly string[];
}

/** All rows of a table in batches, read one after the other: a table may be larger than the memory. */
export function* batchesOf(source: Database, table: MovedTable): Generator<RowBatch> {
  let batch = new OpenBatch(table);
  for (const row of rowsOf(source, table)) {
    batch.add(row);
    if (!batch.isFull) continue;
    yield batch;
    batch = new OpenBatch(table);
  }
  if (batch.rows > 0) yield batch;
}

/** The statement that stores a batch, numbers of identity columns included. */
export function insertOf({ name, columns }: MovedTable): NamedStatement {
  const names = Object.keys(columns).map((column) => `"${column}"`);
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  return {
    name: `move-${name}`,
    text: `INSERT INTO ${name}(${names.join(", ")}) OVERRIDING SYSTEM VALUE
      SELECT * FROM unnest(${arrays.join(", ")})`,
  };
}

function rowsOf(
  source: Database,
  { name, key, columns, expressions = {} }: MovedTable,
): IterableIterator<readonly SqliteValue[]> {
  const values = Object.keys(columns).map((column) => expressions[column] ?? `"${column}"`);
  const order = key.map((column) => `${name}.${column}`);
  return source
    .prepare<unknown[], readonly SqliteValue[]>(
      `SELECT ${values.join(", ")} FROM ${name} ORDER BY ${order.join(", ")}`,
    )
    .raw()
    .iterate();
}

class OpenBatch implements RowBatch {
  rows = 0;
  readonly columns: readonly Value[][];
  readonly replaced: string[] = [];
  readonly #isFlag: readonly boolean[];
  readonly #keyAt: readonly number[];
  #characters = 0;

  constructor({ columns, key }: MovedTable) {
    const names = Object.keys(columns);
    this.columns = names.map(() => []);
    this.#isFlag = Object.values(columns).map((type) => type === "boolean");
    this.#keyAt = key.map((column) => names.indexOf(column));
  }

  get isFull(): boolean {
    return this.rows >= ROWS_MAX || this.#characters >= CHARACTERS_MAX;
  }

  add(row: readonly SqliteValue[]): void {
    this.rows += 1;
    let isReplaced = false;
    for (const [at, value] of row.entries()) {
      const stored = this.#storable(value, at);
      this.columns[at]?.push(stored);
      isReplaced ||= typeof stored === "string" && stored !== value;
    }
    if (isReplaced) this.replaced.push(this.#keyAt.map((at) => String(row[at])).join("/"));
  }

  #storable(value: SqliteValue, at: number): Value {
    if (typeof value === "string") {
      this.#characters += value.length;
      return value.includes("\0") ? storableText(value) : value;
    }
    return this.#isFlag[at] && value !== null ? value === 1 : value;
  }
}
