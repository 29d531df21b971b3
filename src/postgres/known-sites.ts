import type { Clock } from "../domain/clock.ts";
import { HEADLINE_ITEMS_MAX, SITES_UNKNOWN, type KnownSites } from "../domain/headline.ts";
import { SITE_LEVELS } from "../domain/site-state.ts";
import { reportedName } from "../store/sites.ts";
import type { Queries } from "./connection.ts";

/** A site whose access was revoked is not expected to report. */
const IS_ENROLLED = "site IS NOT NULL AND NOT disabled";

/** The query reads all accounts, and an open page asks for the state of the centre four times a second. */
const KEPT_MS = 2_000;
/** The rank of the level; a silent site has at least this one. */
const FAULT = SITE_LEVELS.indexOf("fault");

const KNOWN_SITES = `
  WITH unreported AS (
    SELECT site FROM accounts WHERE ${IS_ENROLLED} AND NOT EXISTS (SELECT 1 FROM sites WHERE ref = site)
  ),
  faulty AS NOT MATERIALIZED (
    SELECT * FROM sites WHERE rank <= ${FAULT} AND (rank = ${FAULT} OR silent_since IS NOT NULL)
  )
  SELECT
    EXISTS (SELECT 1 FROM accounts WHERE ${IS_ENROLLED}) OR EXISTS (SELECT 1 FROM sites) AS "hasAny",
    json_build_object('count', (SELECT count(*) FROM faulty), 'sites', ARRAY(
      SELECT json_build_object('ref', ref, 'report', report)
      FROM faulty ORDER BY rank, since, id LIMIT ${HEADLINE_ITEMS_MAX})) AS "faulty",
    json_build_object('count', (SELECT count(*) FROM unreported), 'refs', ARRAY(
      SELECT site FROM unreported ORDER BY site LIMIT ${HEADLINE_ITEMS_MAX})) AS "unreported"
`;

/** The result of `KNOWN_SITES`. */
interface KnownRow extends Omit<KnownSites, "faulty"> {
  readonly faulty: {
    readonly count: number;
    readonly sites: readonly { readonly ref: string; readonly report: string }[];
  };
}

/** The names are read here: the server refuses the whole query for one report that it cannot read. */
function knownFrom({ faulty: { count, sites }, ...rest }: KnownRow): KnownSites {
  return {
    ...rest,
    faulty: { count, sites: sites.map(({ ref, report }) => ({ ref, name: reportedName(report, ref) })) },
  };
}

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
    const [row] = await this.#queries.query<KnownRow>(KNOWN_SITES);
    const sites = row ? knownFrom(row) : SITES_UNKNOWN;
    this.#kept = { untilMs: nowMs + KEPT_MS, sites };
    return sites;
  }
}
