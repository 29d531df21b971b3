import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import { actorOf, DEVICE_EMAIL, type Principal } from "../domain/principal.ts";
import { combineReceptions, type ReportReception } from "../domain/reception.ts";
import type { SiteReport } from "../domain/site-report.ts";
import { StoppedSites, stoppedSinceMs } from "../domain/outage.ts";
import type { SilenceQuery } from "../domain/site-silence.ts";
import { afterReport, type SiteState } from "../domain/site-state.ts";
import { AccountStore } from "../store/accounts.ts";
import type { Database } from "../store/database.ts";
import { OverdueSiteStore } from "../store/overdue-sites.ts";
import { SiteStore, type SiteHistoryRow, type SiteQuery } from "../store/sites.ts";
import { transaction } from "../store/transaction.ts";
import { EventService } from "./events.ts";
import {
  decideReport,
  enrolledElsewhere,
  keptByAnother,
  siteFound,
  SITES_MAX,
  tooManySites,
  type Fleet,
  type SilenceTiming,
  type SilenceResult,
  type SiteCounts,
} from "./fleet.ts";
import type { InterventionService } from "./interventions.ts";
import { latestReportMs, ReportIntake } from "./report-intake.ts";
import { closingOf, repairer, repairOf, silentState, type RepairTexts } from "./site-repairs.ts";
import type { Remote } from "../domain/remote.ts";

interface SqliteFleetOptions extends RepairTexts {
  readonly database: Database;
  readonly clock: Clock;
  readonly interventions: InterventionService;
}

/** Sites that become silent in one transaction: about a fifth of a second, so that alarms do not wait for an outage. */
const SILENT_AT_ONCE_MAX = 100;

/** What both sides read of the sites. */
class SqliteSites {
  protected readonly sites: SiteStore;

  constructor(database: Database) {
    this.sites = new SiteStore(database);
  }

  async page(query: SiteQuery): Promise<{ sites: readonly SiteState[]; total: number }> {
    return this.sites.page(query);
  }

  async get(id: number): Promise<{ site: SiteState; history: readonly SiteHistoryRow[] }> {
    return { site: siteFound(this.sites.byId(id), id), history: this.sites.history(id) };
  }

  async counts(): Promise<SiteCounts> {
    return this.sites.levels();
  }

  async after(id: number, limit: number): Promise<readonly SiteState[]> {
    return this.sites.after(id, limit);
  }
}

/** The sites in SQLite, in the calling thread. Writes of one event loop turn share a commit. */
export class SqliteFleet extends SqliteSites implements Fleet {
  readonly #options: SqliteFleetOptions;
  readonly #accounts: AccountStore;
  readonly #overdue: OverdueSiteStore;
  readonly #events: EventService;
  readonly #intake: ReportIntake;

  constructor(options: SqliteFleetOptions) {
    super(options.database);
    this.#options = options;
    this.#accounts = new AccountStore(options.database);
    this.#overdue = new OverdueSiteStore(options.database);
    this.#events = new EventService(options);
    this.#intake = new ReportIntake(options.clock);
  }

  report(given: SiteReport, principal: Principal): Promise<void> {
    return this.#intake.take(() => this.#store(given, principal));
  }

  #store(given: SiteReport, principal: Principal): Promise<void> {
    return this.#write(() => {
      const nowMs = Math.round(this.#options.clock.wallMs());
      const report = decideReport(given, principal);
      this.#assertOwn(report.ref, principal);
      const before = this.sites.byRef(report.ref);
      if (!before && this.sites.count() >= SITES_MAX) throw tooManySites();
      const { state, changes } = afterReport(before, report, nowMs);
      const id = this.sites.put(state);
      this.sites.keep(id, principal.accountId);
      this.sites.addChanges(id, changes, nowMs);
      const repair = before?.interventionId ?? null;
      if (repair !== null) this.#close(repair, nowMs);
    });
  }

  /** @throws AppError `forbidden` for a site of another account */
  #assertOwn(ref: string, { site, accountId }: Principal): void {
    if (site !== undefined) return;
    if (this.#accounts.bySite(ref)) throw enrolledElsewhere(ref);
    if ((this.sites.keeper(ref) ?? accountId) !== accountId) throw keptByAnother(ref);
  }

  remove(id: number, principal: Principal): Promise<void> {
    return this.#write(() => {
      const { ref } = siteFound(this.sites.byId(id), id);
      this.sites.remove(id);
      this.#events.record({
        ...actorOf(principal),
        event: "site-removed",
        subject: `site ${ref}`,
        detail: {},
      });
    });
  }

  findSilent(query: SilenceQuery): Promise<SilenceResult> {
    return this.#write(() => {
      const overdue = this.#overdue.overdue(query, SILENT_AT_ONCE_MAX);
      const stopped = new StoppedSites(query, {
        stopped: this.#overdue.stopped(query, stoppedSinceMs(query, overdue)),
        sites: this.sites.count(),
      });
      const silent = overdue.map((site) => this.#setSilent(site, stopped.isCommon(site), query.nowMs));
      return { silent, hasMore: overdue.length === SILENT_AT_ONCE_MAX, outage: stopped.outage(silent) };
    });
  }

  async reception({ signMs }: SilenceTiming): Promise<ReportReception> {
    const nowMs = Math.round(this.#options.clock.wallMs());
    this.#intake.noteClock(nowMs);
    const own = this.#intake.at(nowMs);
    const latestMs = latestReportMs(nowMs);
    if (latestMs !== undefined && this.#overdue.hasReportsAfter(latestMs))
      await this.#write(() => this.#overdue.clampReports(latestMs, nowMs));
    return combineReceptions(own, [], { nowMs, signMs });
  }

  reportsMissed(silentS?: number): void {
    this.#intake.missed(silentS);
  }

  signInRefused(): void {
    this.#intake.signInRefused();
  }

  /** In the group commit of the records: the sync is woken only once both are on disk. */
  #write<T>(work: () => T): Promise<T> {
    const { interventions, database } = this.#options;
    return interventions.groupCommit(() => transaction(database, work));
  }

  #setSilent(site: SiteState, isCommon: boolean, nowMs: number): SilenceResult["silent"][number] {
    const interventionId = this.#open(site, isCommon);
    this.sites.put(silentState(site, interventionId));
    this.sites.addChanges(site.id, [{ event: "silent", detail: "" }], nowMs);
    return { id: site.id, ref: site.ref, interventionId };
  }

  /** @returns the id of the new intervention; null if the site has no objective here */
  #open(site: SiteState, isCommon: boolean): number | null {
    const body = repairOf(site, isCommon, this.#options);
    if (!body) return null;
    try {
      return this.#options.interventions.create(body, this.#device).record.id;
    } catch (error) {
      // Its objective is not known here: the site is shown as silent all the same.
      if (error instanceof AppError && error.code === "not-found") return null;
      throw error;
    }
  }

  /** Closes the intervention of a silence, unless a dispatcher has deleted it. */
  #close(interventionId: number, nowMs: number): void {
    const { interventions } = this.#options;
    try {
      const { record } = interventions.get(interventionId);
      interventions.update(interventionId, closingOf(record, nowMs, this.#options), this.#device);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "not-found") throw error;
    }
  }

  get #device(): Principal {
    return repairer(this.#accounts.byEmail(DEVICE_EMAIL)?.id);
  }
}

/** The sites in SQLite, written by another thread and read here on a read-only connection. */
export class ThreadedFleet extends SqliteSites implements Fleet {
  readonly report: Fleet["report"];
  readonly remove: Fleet["remove"];
  readonly findSilent: Fleet["findSilent"];
  readonly reception: Fleet["reception"];
  readonly reportsMissed: Fleet["reportsMissed"];
  readonly signInRefused: Fleet["signInRefused"];

  /** @param database a read-only connection */
  constructor(writer: Remote<Fleet>, database: Database) {
    super(database);
    this.report = (...args) => writer.report(...args);
    this.remove = (...args) => writer.remove(...args);
    this.findSilent = (...args) => writer.findSilent(...args);
    this.reception = (...args) => writer.reception(...args);
    // A writer that has failed starts again, which counts as an interruption too.
    this.reportsMissed = (...args) => void writer.reportsMissed(...args).catch(() => {});
    this.signInRefused = () => void writer.signInRefused().catch(() => {});
  }
}
