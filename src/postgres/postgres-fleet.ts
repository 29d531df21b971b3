import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import { actorOf, type Principal } from "../domain/principal.ts";
import type { ReportReception } from "../domain/reception.ts";
import type { SiteReport } from "../domain/site-report.ts";
import type { SilenceQuery } from "../domain/site-silence.ts";
import type { SiteChange, SiteState } from "../domain/site-state.ts";
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
} from "../service/fleet.ts";
import { ReportIntake } from "../service/report-intake.ts";
import {
  LEVELS,
  levelsOf,
  orderOf,
  toSite,
  type LevelRow,
  type SiteHistoryRow,
  type SiteQuery,
} from "../store/sites.ts";
import type { ComparedConfiguration } from "./compared-configuration.ts";
import { AT_ONE_MOMENT, type PostgresConnections, type Queries } from "./connection.ts";
import { isUnavailable } from "./server-errors.ts";
import { removeSite } from "./removed-sites.ts";
import { serverNow } from "./server-clock.ts";
import { storeReturned } from "./returned-sites.ts";
import { clampReportTimes, markSilent, type RepairOptions } from "./silent-sites.ts";
import {
  SITES_AFTER_ID,
  enrolledSites,
  SITE_HISTORY,
  isFirstReport,
  acceptedReports,
  countSites,
  READ_SITES,
  reported,
  SITE_COLUMNS,
  siteConditionOf,
  storeReports,
  tooManyReports,
  withoutNewer,
  type ReadSiteRow,
  type BatchedReport,
  type SiteUpdate,
  type SiteRow,
} from "./site-rows.ts";
import { shareReception } from "./shared-reception.ts";
import { EventLoopBatch } from "./event-loop-batch.ts";
import { auditedTurn } from "./write-turns.ts";

/** Each failed attempt means that another process stored a report of the same site in between. */
const ATTEMPTS_MAX = 20;

export interface PostgresFleetOptions extends RepairOptions {
  readonly connections: PostgresConnections;
  /** Compared with those of the other processes; undefined for none. */
  readonly configuration?: ComparedConfiguration;
  readonly clock: Pick<Clock, "after" | "afterEventLoopTurn" | "monotonicMs" | "wallMs">;
  /**
   * Wall clock of the reports, milliseconds since 1970. Undefined for that of the database, which all processes share: one
   * machine with a wrong clock would otherwise call every site silent. Tests set it.
   */
  readonly nowMs?: (() => number) | undefined;
}

/** The sites in PostgreSQL, written by any number of processes. Reports of one turn share a round trip. */
export class PostgresFleet implements Fleet {
  readonly #options: PostgresFleetOptions;
  readonly #connections: PostgresConnections;
  readonly #reports: EventLoopBatch<BatchedReport, AppError | undefined>;
  readonly #intake: ReportIntake;
  /** Names this process to the others. */
  readonly #process: string;

  constructor(options: PostgresFleetOptions) {
    this.#options = options;
    this.#connections = options.connections;
    this.#reports = new EventLoopBatch(options.clock, (reports) => this.#store(reports));
    this.#intake = new ReportIntake(options.clock);
    this.#process = options.newUid();
  }

  async report(given: SiteReport, principal: Principal): Promise<void> {
    const report = decideReport(given, principal);
    const [isOfSite, { accountId }] = [principal.site !== undefined, principal];
    await this.#intake.take(async () => {
      const refusal = await this.#reports.ask({ report, isOfSite, accountId });
      if (refusal) throw refusal;
    });
  }

  async page(query: SiteQuery): Promise<{ sites: readonly SiteState[]; total: number }> {
    const { where, values } = siteConditionOf(query);
    const slice = `OFFSET $${values.length + 1} LIMIT $${values.length + 2}`;
    const count = `SELECT count(*) AS total FROM sites WHERE ${where}`;
    const page = `SELECT ${SITE_COLUMNS} FROM sites WHERE ${where} ORDER BY ${orderOf(query)} ${slice}`;
    return this.#connections.transaction(async (queries) => {
      const [counted] = await queries.query<{ total: number }>(count, values);
      const range = [query.start, Math.max(0, query.end - query.start)];
      const rows = await queries.query<SiteRow>(page, [...values, ...range]);
      return { sites: rows.map(toSite), total: counted?.total ?? 0 };
    }, AT_ONE_MOMENT);
  }

  async get(id: number): Promise<{ site: SiteState; history: readonly SiteHistoryRow[] }> {
    return this.#connections.transaction(async (queries) => {
      const rows = await queries.query<SiteRow>(`SELECT ${SITE_COLUMNS} FROM sites WHERE id = $1`, [id]);
      const site = siteFound(rows.map(toSite)[0], id);
      const history = await queries.query<SiteChange & { at: number }>(SITE_HISTORY, [id]);
      return { site, history: history.map(({ at, event, detail }) => ({ atMs: at, event, detail })) };
    }, AT_ONE_MOMENT);
  }

  async counts(): Promise<SiteCounts> {
    return levelsOf(await this.#connections.query<LevelRow>(LEVELS));
  }

  async after(id: number, limit: number): Promise<readonly SiteState[]> {
    const rows = await this.#connections.query<SiteRow>(SITES_AFTER_ID, [id, limit]);
    return rows.map(toSite);
  }

  async remove(id: number, principal: Principal): Promise<void> {
    const { connections, clock } = this.#options;
    await auditedTurn(connections, clock, () =>
      connections.transaction((queries) => removeSite(queries, id, actorOf(principal), clock.wallMs())),
    );
  }

  findSilent(query: SilenceQuery): Promise<SilenceResult> {
    return this.#connections.transaction((queries) => markSilent(queries, query, this.#options));
  }

  /** By the clock of the server, which may be set too, and differs from that of the next primary. */
  async reception(looks: SilenceTiming): Promise<ReportReception> {
    const nowMs = await serverNow(this.#connections, this.#options.nowMs);
    this.#intake.noteClock(nowMs);
    const own = { ...this.#intake.at(nowMs), process: this.#process };
    await clampReportTimes(this.#connections.writes, nowMs);
    const { configuration } = this.#options;
    return shareReception(this.#connections.writes, own, { ...looks, nowMs }, configuration);
  }

  /** Called when the process listens. */
  reportsBegin(): void {
    this.#intake.began();
  }

  reportsMissed(silentS?: number): void {
    this.#intake.missed(silentS);
  }

  signInRefused(): void {
    this.#intake.signInRefused();
  }

  /** @returns for each report why it is refused; undefined for one that is stored, or older than the stored one */
  async #store(given: readonly BatchedReport[]): Promise<(AppError | undefined)[]> {
    const enrolled = await enrolledSites(this.#connections, given);
    const refused: Refusals = new Map();
    const bySite = new Map<string, readonly BatchedReport[]>();
    for (const one of given) {
      const { ref } = one.report;
      if (!one.isOfSite && enrolled.has(ref)) refused.set(one, enrolledElsewhere(ref));
      else bySite.set(ref, [...(bySite.get(ref) ?? []), one]);
    }
    const firstMs = new Map<string, number>();
    for (let attempt = 0; attempt < ATTEMPTS_MAX && bySite.size > 0; attempt += 1) {
      const decided = await this.#decide(bySite, refused);
      for (const { state } of decided) firstMs.set(state.ref, firstMs.get(state.ref) ?? state.reportedAtMs);
      const stored = await storeReports(
        this.#connections.writes,
        decided.filter(({ repair }) => repair === null),
      );
      const { closed, failed } = await this.#writeAndClose(decided.filter(({ repair }) => repair !== null));
      for (const [ref, error] of failed) for (const one of bySite.get(ref) ?? []) refused.set(one, error);
      for (const ref of [...stored, ...closed, ...failed.map(([refused]) => refused)]) bySite.delete(ref);
    }
    // Where a newer report is stored, an error would delay the detection of silent sites, and one account could cause it for all.
    for (const ref of await withoutNewer(this.#connections, bySite.keys(), firstMs))
      for (const one of bySite.get(ref) ?? []) refused.set(one, tooManyReports(ref));
    return given.map((one) => refused.get(one));
  }

  /**
   * @param bySite loses the reports that are refused
   * @param refused gets these: of another account than the one that keeps the site, and of new sites for which there is no
   *   place (at several processes a few more sites than the limit are stored)
   */
  async #decide(
    bySite: Map<string, readonly BatchedReport[]>,
    refused: Refusals,
  ): Promise<readonly SiteUpdate[]> {
    const rows = await this.#connections.query<ReadSiteRow>(READ_SITES, [[...bySite.keys()]]);
    let places = rows.some(isFirstReport) ? SITES_MAX - (await countSites(this.#connections)) : 0;
    return rows.flatMap((row) => {
      const given = bySite.get(row.asked) ?? [];
      const hasPlace = !isFirstReport(row) || (places -= 1) >= 0;
      const own = hasPlace ? acceptedReports(row, given) : [];
      for (const one of given.filter((other) => !own.includes(other)))
        refused.set(one, hasPlace ? keptByAnother(row.asked) : tooManySites());
      if (own.length === 0) {
        bySite.delete(row.asked);
        return [];
      }
      bySite.set(row.asked, own);
      return [reported(row, own, this.#options.nowMs?.() ?? row.now)];
    });
  }

  /**
   * One transaction for all of them, or if it fails, for each half: a record that cannot be closed does not fail the reports of
   * other sites.
   */
  async #writeAndClose(sites: readonly SiteUpdate[]): Promise<Closed> {
    if (sites.length === 0) return { closed: [], failed: [] };
    const store = (queries: Queries) => storeReturned(queries, sites, this.#options);
    try {
      return { closed: await this.#connections.transaction(store), failed: [] };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // Without the database each half would wait for it again.
      if (sites.length === 1 || isUnavailable(error))
        return { closed: [], failed: sites.map(({ state }) => [state.ref, error]) };
    }
    const middle = Math.ceil(sites.length / 2);
    const first = await this.#writeAndClose(sites.slice(0, middle));
    const second = await this.#writeAndClose(sites.slice(middle));
    return { closed: [...first.closed, ...second.closed], failed: [...first.failed, ...second.failed] };
  }
}

/** The references of sites whose repairs are closed, and those of others with their errors. */
interface Closed {
  readonly closed: readonly string[];
  readonly failed: readonly (readonly [ref: string, error: AppError])[];
}

/** Why reports are not stored. */
type Refusals = Map<BatchedReport, AppError>;
