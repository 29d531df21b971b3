import type { Intervention, RecordField } from "../domain/intervention.ts";
import type { Database } from "./database.ts";
import { conditionsOf, type Filter, type InterventionQuery } from "./intervention-query.ts";

/** What a record is counted by. */
export type Counted = Pick<Intervention, "status" | "priority" | "type">;

/** Fields whose changes change the counts. */
export const COUNTED: ReadonlySet<RecordField> = new Set<RecordField>(["status", "priority", "type"]);

/**
 * How many living records there are of each status, priority and type: at most 36 rows that whoever writes records
 * keeps in the same transaction, so that the total of a list costs the same however many records there are.
 */
export class InterventionCounts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Counts a record that has come to life. */
  add(record: Counted): void {
    this.#change(record, 1);
  }

  /** Counts one that has ceased to live. */
  remove(record: Counted): void {
    this.#change(record, -1);
  }

  /** How many living records fit; undefined when the query asks for more than what is counted here. */
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

/** Fills the table from the records, where these have come from elsewhere than the program. */
export const RECOUNT = `
  DELETE FROM intervention_counts;
  INSERT INTO intervention_counts(status, priority, type, records)
    SELECT status, priority, type, count(*) FROM interventions WHERE deleted_at IS NULL
    GROUP BY status, priority, type;
`;

function isCounted({ field, operator }: Filter): boolean {
  return COUNTED.has(field) && (operator === "equal" || operator === "not-equal");
}
