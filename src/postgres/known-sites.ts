import type { Clock } from "../domain/clock.ts";
import { HEADLINE_ITEMS_MAX, type KnownSites } from "../domain/headline.ts";
import type { Queries } from "./connection.ts";

/** A site whose access was revoked is not expected to report. */
const IS_ENROLLED = "site IS NOT NULL AND NOT disabled";

/** The query reads all accounts, and an open page asks for the state of the centre four times a second. */
const KEPT_MS = 2_000;

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
  readonly #clock: Pick<Clock, "monotonicMs">;
  #kept: { readonly untilMs: number; readonly sites: KnownSites } | undefined;

  constructor(queries: Queries, clock: Pick<Clock, "monotonicMs">) {
    this.#queries = queries;
    this.#clock = clock;
  }

  /** The sites that have an account or a report, as they were two seconds ago at most. */
  async read(): Promise<KnownSites> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#kept && nowMs < this.#kept.untilMs) return this.#kept.sites;
    const [row] = await this.#queries.query<{ hasAny: boolean; count: number; refs: string[] }>(KNOWN_SITES);
    const unreported = { count: row?.count ?? 0, refs: row?.refs ?? [] };
    this.#kept = { untilMs: nowMs + KEPT_MS, sites: { hasAny: row?.hasAny === true, unreported } };
    return this.#kept.sites;
  }
}
