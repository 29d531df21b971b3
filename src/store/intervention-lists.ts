import { AppError } from "../domain/errors.ts";
import { RECORD_FIELDS, type Intervention, type RecordField } from "../domain/intervention.ts";
import { Store, type Database } from "./database.ts";
import { StatementCache } from "./statement-cache.ts";
import { urgentFirst } from "./urgent-first.ts";
import { readTransaction } from "./transaction.ts";
import {
  conditionsOf,
  FLAGS,
  orderOf,
  ROW_WATCH,
  sqlOf,
  type Filter,
  type InterventionQuery,
  type InterventionSql,
} from "./intervention-query.ts";

/** The fields by which records are counted. */
export type CountedFields = Pick<Intervention, "status" | "priority" | "type">;

/** The fields by which records are counted. */
export const COUNTED_FIELDS: ReadonlySet<RecordField> = new Set<RecordField>(["status", "priority", "type"]);

/**
 * The number of records by status, priority and type: at most 36 rows, updated in the transaction of each record.
 * So the total of a list costs the same for any number of records.
 */
export class InterventionCounts extends Store {
  readonly #change = this.prepare(
    `INSERT INTO intervention_counts(status, priority, type, records) VALUES(:status, :priority, :type, :by)
     ON CONFLICT DO UPDATE SET records = records + :by`,
  );

  /** @param by 1 for a new record, -1 for a deleted one */
  change({ status, priority, type }: CountedFields, by: 1 | -1): void {
    this.#change.run({ status, priority, type, by });
  }
}

/** Rebuilds the table from the records, after these were restored or salvaged. */
export const REBUILD_COUNTS = `
  DELETE FROM intervention_counts;
  INSERT INTO intervention_counts(status, priority, type, records)
    SELECT status, priority, type, count(*) FROM interventions WHERE deleted_at IS NULL
    GROUP BY status, priority, type;
`;

/** Whether the counts have the total of a query, in either database. */
export function isCounted({ filters, search, scope, sync }: InterventionQuery): boolean {
  const isWhole = search === undefined && scope === undefined && sync === undefined;
  const isOfCounts = ({ field, operator }: Filter): boolean =>
    COUNTED_FIELDS.has(field) && (operator === "equal" || operator === "not-equal");
  return isWhole && filters.every(isOfCounts);
}

/** A slice of a list, each record as JSON, and the total number of matching records. */
export interface ListPage {
  readonly records: readonly string[];
  readonly total: number;
}

/** Called for each row a list reads, with its number from 1; an error ends the read. */
export type RowWatch = (row: number) => void;

/**
 * Time limit of a list, milliseconds; longer than browsers and proxies usually wait. A million records take seconds, more on
 * a slow SD card.
 */
export const READING_MS_MAX = 30_000;
/** What a client can do about an expensive list. */
export const LIST_REMEDY =
  "Filter by status, priority, type or objectiveId, request an earlier page, or sort by id, name, status, priority, type or dateStart.";

/** The error of a list that reached its time limit. */
export function tooLong(limitMs = READING_MS_MAX, hint = LIST_REMEDY): AppError {
  return new AppError("invalid", `the list took longer than ${limitMs / 1000} s to read`, { hint });
}

/** Reads lists outside the event loop. */
export interface ListReader {
  /**
   * @param signal aborted when the list is no longer needed
   * @throws AppError `unavailable` if it cannot be read now; `invalid` if it takes too long
   */
  read(query: InterventionQuery, signal: AbortSignal): Promise<ListPage>;
}

/** Lists of records without tombstones. Use one instance per connection, because it registers a function there. */
export class InterventionLists extends Store {
  readonly #lists = new StatementCache(this.database);
  #watch: RowWatch = unwatched;
  #rows = 0;

  constructor(database: Database) {
    super(database);
    database.function(ROW_WATCH, { directOnly: true }, (_id) => {
      this.#rows += 1;
      this.#watch(this.#rows);
      return 1;
    });
  }

  /** Reads the page and its total as they are at one moment. @throws the error of `watch` */
  read(query: InterventionQuery, watch: RowWatch = unwatched): ListPage {
    this.#watch = watch;
    this.#rows = 0;
    return readTransaction(this.database, () => ({ records: this.#page(query), total: this.#count(query) }));
  }

  #page(query: InterventionQuery): string[] {
    const { start, end } = query;
    const order = orderOf(query);
    const { from, where, values } = sqlOf(query, query.sort[0]);
    const listed = (isCounted(query) ? urgentFirst(query) : undefined) ?? `${from} WHERE ${where}`;
    // Only ids are sorted and skipped; full records are read for the slice alone.
    return this.#lists
      .prepare(
        `SELECT ${AS_JSON} FROM (SELECT id FROM ${listed} ORDER BY ${order} LIMIT :limit OFFSET :start)
         JOIN interventions USING (id) ORDER BY ${order}`,
      )
      .pluck()
      .all({ ...values, start, limit: Math.max(0, end - start) }) as string[];
  }

  /** The total, independent of the slice: from the counts, if these have all of the fields. */
  #count(query: InterventionQuery): number {
    if (isCounted(query)) {
      const { conditions, values } = conditionsOf({ filters: query.filters });
      return this.#number(
        `SELECT coalesce(sum(records), 0) FROM intervention_counts WHERE ${["TRUE", ...conditions].join(" AND ")}`,
        values,
      );
    }
    const { from, where, values } = sqlOf(query);
    return this.#number(`SELECT count(*) FROM ${from} WHERE ${where}`, values);
  }

  #number(sql: string, values: InterventionSql["values"]): number {
    return this.#lists.prepare(sql).pluck().get(values) as number;
  }
}

export function unwatched(): void {}

/** A record in SQL, as `JSON.stringify` would write it. */
const AS_JSON = `json_object(${RECORD_FIELDS.map((field) =>
  FLAGS.has(field) ? `'${field}', json(iif(${field}, 'true', 'false'))` : `'${field}', ${field}`,
).join(", ")})`;
