import { HEADLINE_ITEMS_MAX, type KnownSites } from "../domain/headline.ts";
import { SITE_LEVELS } from "../domain/site-state.ts";
import { CachedResult } from "./cached-result.ts";
import { Store, type Database } from "./database.ts";

/** A site whose access was revoked is not expected to report. */
const IS_ENROLLED = "site IS NOT NULL AND disabled = 0";
/** The rank of the level; a silent site has at least this one. */
const FAULT = SITE_LEVELS.indexOf("fault");

/** What a dispatch centre on SQLite knows of its sites, for the headline. */
export class KnownSitesStore extends Store {
  readonly #hasAny = this.prepare<0 | 1>(
    `SELECT EXISTS (SELECT 1 FROM accounts WHERE ${IS_ENROLLED}) OR EXISTS (SELECT 1 FROM sites)`,
  ).pluck();
  readonly #unreported = this.prepare<string>(
    `SELECT site FROM accounts WHERE ${IS_ENROLLED} AND site NOT IN (SELECT ref FROM sites) ORDER BY site`,
  ).pluck();
  readonly #faulty = this.prepare<number>(
    `SELECT (SELECT count(*) FROM sites WHERE rank = ${FAULT})
       + (SELECT count(*) FROM sites WHERE rank < ${FAULT} AND silent_since IS NOT NULL)`,
  ).pluck();
  readonly #firstFaulty = this.prepare<{ readonly ref: string; readonly name: string }>(
    `SELECT ref, coalesce(json_extract(iif(json_valid(report), report, '{}'), '$.name'), ref) AS name FROM sites
     WHERE rank <= ${FAULT} AND (rank = ${FAULT} OR silent_since IS NOT NULL) ORDER BY rank, since, id LIMIT ${HEADLINE_ITEMS_MAX}`,
  );
  readonly #known: CachedResult<KnownSites>;

  constructor(database: Database) {
    super(database);
    this.#known = new CachedResult(database, () => this.#read());
  }

  /** The sites that have an account or a report. */
  read(): KnownSites {
    return this.#known.get();
  }

  #read(): KnownSites {
    const refs = this.#unreported.all();
    return {
      hasAny: this.#hasAny.get() === 1,
      faulty: { count: this.#faulty.get() as number, sites: this.#firstFaulty.all() },
      unreported: { count: refs.length, refs: refs.slice(0, HEADLINE_ITEMS_MAX) },
    };
  }
}
