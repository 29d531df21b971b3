import type { RecordSite } from "../generated/types.ts";
import { recordScopeOf, type SiteScopes } from "../service/site-scopes.ts";
import { scopeOf } from "../store/accounts.ts";
import { reportedName } from "../store/sites.ts";
import type { RecordScope } from "../store/intervention-query.ts";
import type { NamedStatement, Queries } from "./connection.ts";

/** The sites of a dispatch centre on PostgreSQL, as `SqliteSiteScopes` finds them in SQLite. */
export class PostgresSiteScopes implements SiteScopes {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  async scopeOf(site: string): Promise<RecordScope | undefined> {
    const [row] = await this.#queries.query<{ id: number; objectives: string | null }>(ACCOUNT_OF_SITE, [
      site,
    ]);
    if (!row) return undefined;
    const { id, objectives } = row;
    return recordScopeOf({ id, objectives: scopeOf(objectives) });
  }

  async creatorsOf(ids: readonly number[]): Promise<readonly RecordSite[]> {
    const rows = await this.#queries.query<CreatorRow>(CREATORS, [ids]);
    // The names are read here: the server refuses the whole query for one report that it cannot read.
    return rows.map(({ report, ...creator }) => ({
      ...creator,
      name: report === null ? null : reportedName(report, creator.ref),
    }));
  }
}

interface CreatorRow extends Omit<RecordSite, "name"> {
  /** Null for a site that has not reported. */
  readonly report: string | null;
}

const CREATORS: NamedStatement = {
  name: "sites-of-records",
  text: `SELECT record.id AS "interventionId", account.site AS ref, sites.report
    FROM interventions AS record JOIN accounts AS account ON account.id = record.created_by
      LEFT JOIN sites ON sites.ref = account.site
    WHERE record.id = ANY($1::bigint[]) AND record.deleted_at IS NULL AND account.site IS NOT NULL
    ORDER BY record.id`,
};

const ACCOUNT_OF_SITE: NamedStatement = {
  name: "account-of-site",
  text: `SELECT id, objectives FROM accounts WHERE site = $1
    UNION ALL
    SELECT keeper.id, keeper.objectives FROM sites JOIN accounts keeper ON keeper.id = sites.account
    WHERE ref = $1 AND NOT keeper.disabled AND NOT EXISTS (SELECT 1 FROM accounts WHERE site = $1)`,
};
