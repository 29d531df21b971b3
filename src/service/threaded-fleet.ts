import type { Remote } from "../domain/remote.ts";
import type { SiteState } from "../domain/site-state.ts";
import type { Database } from "../store/database.ts";
import { SiteStore, type SiteHistoryRow, type SiteQuery } from "../store/sites.ts";
import { siteFound, type Fleet, type SiteCounts } from "./fleet.ts";

/** The sites in SQLite, written by another thread and read here on a read-only connection. */
export class ThreadedFleet implements Fleet {
  readonly report: Fleet["report"];
  readonly remove: Fleet["remove"];
  readonly findSilent: Fleet["findSilent"];
  readonly clockStepped: Fleet["clockStepped"];
  readonly #sites: SiteStore;

  /** @param database a read-only connection */
  constructor(writer: Remote<Fleet>, database: Database) {
    this.report = (...args) => writer.report(...args);
    this.remove = (...args) => writer.remove(...args);
    this.findSilent = (...args) => writer.findSilent(...args);
    this.clockStepped = (...args) => writer.clockStepped(...args);
    this.#sites = new SiteStore(database);
  }

  async page(query: SiteQuery): Promise<{ sites: readonly SiteState[]; total: number }> {
    return this.#sites.page(query);
  }

  async get(id: number): Promise<{ site: SiteState; history: readonly SiteHistoryRow[] }> {
    return { site: siteFound(this.#sites.byId(id), id), history: this.#sites.history(id) };
  }

  async counts(): Promise<SiteCounts> {
    return this.#sites.levels();
  }

  async after(id: number, limit: number): Promise<readonly SiteState[]> {
    return this.#sites.after(id, limit);
  }
}
