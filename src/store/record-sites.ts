import type { RecordSite } from "../generated/types.ts";
import { Store } from "./database.ts";

/** The sites that have created interventions at a dispatch centre. */
export class RecordSiteStore extends Store {
  readonly #of = this.prepare<RecordSite>(`
    SELECT record.id AS interventionId, account.site AS ref,
      CASE json_valid(sites.report) WHEN 1 THEN json_extract(sites.report, '$.name') WHEN 0 THEN account.site END AS name
    FROM interventions AS record JOIN accounts AS account ON account.id = record.created_by
      LEFT JOIN sites ON sites.ref = account.site
    WHERE record.id IN (SELECT value FROM json_each(?)) AND record.deleted_at IS NULL AND account.site IS NOT NULL
    ORDER BY record.id`);

  /** Those that sites have created with their own accounts, of these ids, by id. */
  of(ids: readonly number[]): RecordSite[] {
    return this.#of.all(JSON.stringify(ids));
  }
}
