import type { Intervention, RecordField } from "../domain/intervention.ts";
import type { Database } from "./database.ts";
import { conditionsOf, type Filter, type InterventionQuery } from "./intervention-query.ts";

/** The fields by which records are counted. */
export type Counted = Pick<Intervention, "status" | "priority" | "type">;

/** The fields by which records are counted. */
export const COUNTED: ReadonlySet<RecordField> = new Set<RecordField>(["status", "priority", "type"]);

/**
 * The number of records by status, priority and type: at most 36 rows, updated in the transaction of each record.
 * So the total of a list costs the same for any number of records.
 */
export class InterventionCounts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds a new record to the counts. */
  add(record: Counted): void {
    this.#change(record, 1);
  }

  /** Removes a deleted record from the counts. */
  remove(record: Counted): void {
    this.#change(record, -1);
  }

  /** The number of matching records; undefined if the query uses other fields. */
  total({ filters, search }: InterventionQuery): number | undefined {
    if (search !== undefined || !filters.every(isCounted)) return undefined;
    const { conditions, values } = conditionsOf({ filters });
    return this.#database
      .prepare(
        `SELECT coalesce(sum(records), 0) FROM intervention_counts WHERE ${["TRUE", ...conditions].join(" AND ")}`,
      )
      .pluck()
      .get(values) as number;
  }

  #change({ status, priority, type }: Counted, by: 1 | -1): void {
    this.#database
      .prepare(
        `INSERT INTO intervention_counts(status, priority, type, records) VALUES(:status, :priority, :type, :by)
         ON CONFLICT DO UPDATE SET records = records + :by`,
      )
      .run({ status, priority, type, by });
  }
}

/** Rebuilds the table from the records, after these were restored or salvaged. */
export const RECOUNT = `
  DELETE FROM intervention_counts;
  INSERT INTO intervention_counts(status, priority, type, records)
    SELECT status, priority, type, count(*) FROM interventions WHERE deleted_at IS NULL
    GROUP BY status, priority, type;
`;

function isCounted({ field, operator }: Filter): boolean {
  return COUNTED.has(field) && (operator === "equal" || operator === "not-equal");
}
