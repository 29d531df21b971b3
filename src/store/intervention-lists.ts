import Sqlite from "better-sqlite3";
import { RECORD_FIELDS } from "../domain/intervention.ts";
import type { Database } from "./database.ts";
import { InterventionCounts } from "./intervention-counts.ts";
import { FLAGS, orderOf, ROW_WATCH, sqlOf, type InterventionQuery } from "./intervention-query.ts";

/** A slice of a list, each record as the text of its JSON, and how many records fit the filters in all. */
export interface ListPage {
  readonly records: readonly string[];
  readonly total: number;
}

/** Called for each row that a list looks at, with the row's number from 1; what it throws ends the reading. */
export type RowWatch = (row: number) => void;

/** Reads lists somewhere else than on the event loop. */
export interface ListReader {
  /**
   * @param signal aborted when the list is no longer wanted
   * @throws AppError `unavailable` when it cannot be read now; `invalid` when it takes too long
   */
  read(query: InterventionQuery, signal: AbortSignal): Promise<ListPage>;
}

/** Lists of living records. One instance for each connection, because it gives the connection a function. */
export class InterventionLists {
  readonly #database: Database;
  readonly #counts: InterventionCounts;
  #watch: RowWatch = unwatched;
  #rows = 0;

  constructor(database: Database) {
    this.#database = database;
    this.#counts = new InterventionCounts(database);
    database.function(ROW_WATCH, { directOnly: true }, (_id) => {
      this.#rows += 1;
      this.#watch(this.#rows);
      return 1;
    });
  }

  /** @throws what `watch` throws */
  read(query: InterventionQuery, watch: RowWatch = unwatched): ListPage {
    this.#watch = watch;
    this.#rows = 0;
    return { records: this.#page(query), total: this.#count(query) };
  }

  #page(query: InterventionQuery): string[] {
    const { start, end } = query;
    const order = orderOf(query);
    const { from, where, values } = sqlOf(query, query.sort[0]?.field);
    // Only ids are sorted and skipped; the records themselves are read for the slice alone.
    return this.#database
      .prepare(
        `SELECT ${AS_JSON} FROM (SELECT id FROM ${from} WHERE ${where} ORDER BY ${order} LIMIT :limit OFFSET :start)
         JOIN interventions USING (id) ORDER BY ${order}`,
      )
      .pluck()
      .all({ ...values, start, limit: Math.max(0, end - start) }) as string[];
  }

  /** Whatever the slice. */
  #count(query: InterventionQuery): number {
    const counted = this.#counts.total(query);
    if (counted !== undefined) return counted;
    const { from, where, values } = sqlOf(query);
    return this.#database
      .prepare(`SELECT count(*) FROM ${from} WHERE ${where}`)
      .pluck()
      .get(values) as number;
  }
}

/**
 * Lists from a connection of their own that writes nothing. It sees what is durable: SQLite shows a commit to other
 * connections once its frames are on the disk.
 * @param path of `santinela.db`, which is open elsewhere
 */
export function openLists(path: string): InterventionLists {
  const database = new Sqlite(path, { readonly: true, fileMustExist: true });
  database.pragma("cell_size_check = ON");
  return new InterventionLists(database);
}

function unwatched(): void {}

/** A record in SQL, as `JSON.stringify` would write it. */
const AS_JSON = `json_object(${RECORD_FIELDS.map((field) =>
  FLAGS.has(field) ? `'${field}', json(iif(${field}, 'true', 'false'))` : `'${field}', ${field}`,
).join(", ")})`;
