import { AppError } from "../domain/errors.ts";
import type { Principal } from "../domain/principal.ts";
import type { RecordSite } from "../generated/types.ts";
import { AccountStore, type Account } from "../store/accounts.ts";
import type { Database } from "../store/database.ts";
import type { RecordScope } from "../store/intervention-query.ts";
import { RecordSiteStore } from "../store/record-sites.ts";
import { SiteStore } from "../store/sites.ts";

/** Finds the records of a site of a dispatch centre, in whatever database it is. */
export interface SiteScopes {
  /**
   * The scope of the account of a site: of the one that it got with its one-time code, or else of the one that reports for it.
   * @param site its reference
   * @returns undefined for a site without an account
   */
  scopeOf(site: string): Promise<RecordScope | undefined>;
  /**
   * The sites whose own accounts have created these interventions, by the number of the intervention. Others are missing: those of
   * people, and of sites that were never enrolled.
   * @param ids of interventions
   */
  creatorsOf(ids: readonly number[]): Promise<readonly RecordSite[]>;
}

/** As a report and an enrolment have it. */
const SITE_REF = /^[A-Za-z0-9][\w.-]{0,31}$/;
/** Characters of an unknown reference in its error. */
const SHOWN_MAX = 40;

/**
 * The scope to which a list is limited for one site. It never widens what an account may see: to the account of a site any other
 * one is unknown.
 * @throws AppError `invalid` for an unknown site
 */
export async function scopeOfSite(
  site: string,
  { site: own, objectives = [], accountId }: Principal,
  scopes: SiteScopes,
): Promise<RecordScope> {
  if (own !== undefined && own === site) return { objectives, accountId };
  const isAllowed = own === undefined && SITE_REF.test(site);
  const scope = isAllowed ? await scopes.scopeOf(site) : undefined;
  if (scope) return scope;
  throw new AppError("invalid", `site ${JSON.stringify(site.slice(0, SHOWN_MAX))} has no account here`, {
    hint: "Check its reference; santinela sites access lists the sites that have an account.",
  });
}

/** The scope of an account that acts for a site; one that is not bound to objectives has only the records that it has created. */
export function recordScopeOf({
  id: accountId,
  objectives = [],
}: Pick<Account, "id" | "objectives">): RecordScope {
  return { objectives, accountId };
}

/** The sites of a database in SQLite, which may be read-only. */
export class SqliteSiteScopes implements SiteScopes {
  readonly #accounts: AccountStore;
  readonly #sites: SiteStore;
  readonly #creators: RecordSiteStore;

  constructor(database: Database) {
    this.#accounts = new AccountStore(database);
    this.#sites = new SiteStore(database);
    this.#creators = new RecordSiteStore(database);
  }

  async scopeOf(site: string): Promise<RecordScope | undefined> {
    const account = this.#accounts.bySite(site) ?? this.#keeperOf(site);
    return account && recordScopeOf(account);
  }

  async creatorsOf(ids: readonly number[]): Promise<readonly RecordSite[]> {
    return this.#creators.of(ids);
  }

  #keeperOf(site: string): Account | undefined {
    const id = this.#sites.keeper(site);
    return id === undefined ? undefined : this.#accounts.byId(id);
  }
}
