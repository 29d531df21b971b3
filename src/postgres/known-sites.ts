import { HEADLINE_ITEMS_MAX, type KnownSites } from "../domain/headline.ts";
import type { Queries } from "./connection.ts";

/** A site whose access was revoked is not expected to report. */
const IS_ENROLLED = "site IS NOT NULL AND NOT disabled";

const KNOWN_SITES = `
  WITH unreported AS (
    SELECT site FROM accounts WHERE ${IS_ENROLLED} AND NOT EXISTS (SELECT 1 FROM sites WHERE ref = site)
  )
  SELECT
    EXISTS (SELECT 1 FROM accounts WHERE ${IS_ENROLLED}) OR EXISTS (SELECT 1 FROM sites) AS "hasAny",
    (SELECT count(*) FROM unreported) AS "count",
    ARRAY(SELECT site FROM unreported ORDER BY site LIMIT ${HEADLINE_ITEMS_MAX}) AS "refs"
`;

/** What a dispatch centre on PostgreSQL knows of its sites, for the headline. */
export class PostgresKnownSites {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  /** The sites that have an account or a report. */
  async read(): Promise<KnownSites> {
    const [row] = await this.#queries.query<{ hasAny: boolean; count: number; refs: string[] }>(KNOWN_SITES);
    return { hasAny: row?.hasAny === true, unreported: { count: row?.count ?? 0, refs: row?.refs ?? [] } };
  }
}
