import { formatLocal } from "../domain/calendar.ts";
import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { InterventionCreate, InterventionUpdate } from "../domain/intervention.ts";
import { refFrom, refText, type ObjectiveRef } from "../domain/objective.ts";
import { actorOf, DEVICE_EMAIL, type Principal } from "../domain/principal.ts";
import type { SiteReport } from "../domain/site-report.ts";
import { isOutage, type SilenceQuery } from "../domain/site-silence.ts";
import { afterReport, silentLevel, type SiteState } from "../domain/site-state.ts";
import { wording, type Locale } from "../domain/trip-text.ts";
import { AccountStore } from "../store/accounts.ts";
import type { Database } from "../store/database.ts";
import { SiteStore, type SiteHistoryRow, type SiteQuery } from "../store/sites.ts";
import { transaction } from "../store/transaction.ts";
import { EventService } from "./events.ts";
import {
  decideReport,
  siteFound,
  SITES_MAX,
  type Fleet,
  type SilenceResult,
  type SiteCounts,
} from "./fleet.ts";
import type { InterventionService } from "./interventions.ts";

export interface SqliteFleetOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly interventions: InterventionService;
  /** IANA time zone and language of the texts. */
  readonly timezone: string;
  readonly locale: Locale;
}

/** Sites that become silent in one transaction: about a fifth of a second, so that alarms do not wait for an outage. */
const SILENT_AT_ONCE_MAX = 100;
/** Maximum length of notes, in code points: that of the API. */
const NOTES_LENGTH_MAX = 4_000;

/** The sites in SQLite, in the calling thread. Writes of one event loop turn share a commit. */
export class SqliteFleet implements Fleet {
  readonly #options: SqliteFleetOptions;
  readonly #sites: SiteStore;
  readonly #accounts: AccountStore;
  readonly #events: EventService;

  constructor(options: SqliteFleetOptions) {
    this.#options = options;
    this.#sites = new SiteStore(options.database);
    this.#accounts = new AccountStore(options.database);
    this.#events = new EventService(options);
  }

  report(given: SiteReport, principal: Principal): Promise<void> {
    return this.#write(() => {
      const nowMs = Math.round(this.#options.clock.wallMs());
      const report = withObjective(decideReport(given, principal), principal);
      const before = this.#sites.byRef(report.ref);
      if (!before && this.#sites.count() >= SITES_MAX)
        throw new AppError("conflict", `this dispatch centre has ${SITES_MAX} sites already`, {
          hint: "Remove sites that no longer exist.",
        });
      const { state, changes } = afterReport(before, report, nowMs);
      const id = this.#sites.put(state);
      this.#sites.addChanges(id, changes, nowMs);
      const repair = before?.interventionId ?? null;
      if (repair !== null) this.#close(repair, nowMs);
    });
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

  remove(id: number, principal: Principal): Promise<void> {
    return this.#write(() => {
      const { ref } = siteFound(this.#sites.byId(id), id);
      this.#sites.remove(id);
      this.#events.record({
        ...actorOf(principal),
        event: "site-removed",
        subject: `site ${ref}`,
        detail: {},
      });
    });
  }

  findSilent({ reportedBeforeMs, togetherMs, nowMs }: SilenceQuery): Promise<SilenceResult> {
    return this.#write(() => {
      const overdue = this.#sites.overdue(reportedBeforeMs, SILENT_AT_ONCE_MAX);
      const sites = this.#sites.count();
      const { from, to } = togetherMs;
      const isCommon = isOutage({ together: this.#sites.stoppedBetween(from, to), sites });
      const silent = overdue.map((site) => this.#setSilent(site, isCommon, nowMs));
      const together = this.#sites.silentBetween(from, to);
      return {
        silent,
        hasMore: overdue.length === SILENT_AT_ONCE_MAX,
        outage: isOutage({ together, sites }) ? together : 0,
      };
    });
  }

  clockStepped(nowMs: number): Promise<void> {
    return this.#write(() => this.#sites.clampReports(nowMs));
  }

  /** In the group commit of the records: the sync is woken only once both are on disk. */
  #write<T>(work: () => T): Promise<T> {
    const { interventions, database } = this.#options;
    return interventions.together(() => transaction(database, work));
  }

  #setSilent(site: SiteState, isCommon: boolean, nowMs: number): SilenceResult["silent"][number] {
    const interventionId = this.#open(site, isCommon);
    const level = silentLevel(site.level);
    this.#sites.put({
      ...site,
      level,
      sinceMs: level === site.level ? site.sinceMs : site.reportedAtMs,
      silentSinceMs: site.reportedAtMs,
      interventionId,
    });
    this.#sites.addChanges(site.id, [{ event: "silent", detail: "" }], nowMs);
    return { id: site.id, ref: site.ref, interventionId };
  }

  /** @returns the id of the new intervention; null if the site has no objective here */
  #open({ ref, report, reportedAtMs }: SiteState, isCommon: boolean): number | null {
    const objective = refFrom(report.objective ?? "");
    if (!objective) return null;
    const texts = wording(this.#options.locale);
    const start = formatLocal(reportedAtMs, this.#options.timezone);
    const time = start.replace("T", " ").slice(0, 16);
    const described = texts.siteSilentDescription({ name: report.name, ref, time });
    const body: InterventionCreate = {
      name: texts.siteSilentName(report.name, time.slice(11)),
      description: isCommon ? `${described}\n${texts.siteSilentTogether}` : described,
      objectiveType: objective.type,
      objectiveId: objective.id,
      type: "repair",
      // Technicians cannot go to hundreds of sites at once: the common cause comes first.
      priority: isCommon ? "low" : "medium",
      dateStart: start,
    };
    try {
      return this.#options.interventions.create(body, this.#device).record.id;
    } catch (error) {
      // Its objective is not known here: the site is shown as silent all the same.
      if (error instanceof AppError && error.code === "not-found") return null;
      throw error;
    }
  }

  /** Closes the intervention of a silence, unless a dispatcher has closed or deleted it. */
  #close(interventionId: number, nowMs: number): void {
    const { interventions, timezone, locale } = this.#options;
    try {
      const { record } = interventions.get(interventionId);
      const now = formatLocal(nowMs, timezone);
      const line = wording(locale).siteReportsAgain(now.replace("T", " ").slice(0, 16));
      const notes = record.notes === null || record.notes === "" ? line : `${record.notes}\n${line}`;
      const isStarted = record.dateStart === null || record.dateStart.slice(0, 19) <= now;
      const body: InterventionUpdate = {
        ...([...notes].length > NOTES_LENGTH_MAX ? {} : { notes }),
        ...(record.status === "done" ? {} : { status: "done" }),
        ...(record.status !== "done" && record.dateEnd === null && isStarted ? { dateEnd: now } : {}),
      };
      interventions.update(interventionId, body, this.#device);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "not-found") throw error;
    }
  }

  /** The device account: its records may use the rest of a full disk, as those of trips. */
  get #device(): Principal {
    const accountId = this.#accounts.byEmail(DEVICE_EMAIL)?.id ?? 0;
    return { accountId, email: DEVICE_EMAIL, role: "operator", from: "silent sites" };
  }
}

/** The objective of an enrolled site is the first of its account, whatever it reports. */
function withObjective(report: SiteReport, { site, objectives }: Principal): SiteReport {
  const [first] = site === undefined ? [] : (objectives ?? []);
  const isOwn = (ref: ObjectiveRef): boolean => refText(ref) === report.objective;
  return first === undefined || objectives?.some(isOwn) ? report : { ...report, objective: refText(first) };
}
