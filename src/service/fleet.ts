import { AppError } from "../domain/errors.ts";
import { refFrom, refText } from "../domain/objective.ts";
import { isOwnObjective, type Principal } from "../domain/principal.ts";
import type { ReportReception } from "../domain/reception.ts";
import { knownReport, type SiteReport } from "../domain/site-report.ts";
import type { SilenceQuery } from "../domain/site-silence.ts";
import type { SiteState } from "../domain/site-state.ts";
import type { SiteLevel } from "../generated/types.ts";
import type { SiteHistoryRow, SiteQuery } from "../store/sites.ts";

/** Result of a look for silent sites. */
export interface SilenceResult {
  /** Sites that are silent since this look. */
  readonly silent: readonly Pick<SiteState, "id" | "ref" | "interventionId">[];
  /** Whether more are due: a look handles a limited number, so that alarms do not wait. */
  readonly hasMore: boolean;
  /** Sites that stopped together and are silent; 0 if they are too few for a common cause. */
  readonly outage: number;
}

/** How the sites are watched. */
export interface SilenceTiming {
  /** The longest time without a report after which a site is silent, milliseconds. */
  readonly silentMs: number;
  /** Interval of the looks, milliseconds. */
  readonly signMs: number;
}

/** Numbers of sites by level, and of silent ones. */
export interface SiteCounts {
  readonly counts: Readonly<Record<SiteLevel, number>>;
  readonly silent: number;
}

/**
 * The sites of a dispatch centre: what the routes and the watch call, whatever their thread and database. Every write is
 * resolved once it is durable. Arguments and results are plain data.
 */
export interface Fleet {
  /**
   * Takes the report of a site. The first one after a silence closes its intervention with a note, in the same transaction.
   * @throws AppError `forbidden` for another site than the account's, for an enrolled site with an account of no site, and for
   *   a site that another account keeps; `conflict` for more sites than the limit
   */
  report(report: SiteReport, principal: Principal): Promise<void>;
  page(query: SiteQuery): Promise<{ readonly sites: readonly SiteState[]; readonly total: number }>;
  /** A site and its newest changes, newest first. @throws AppError `not-found` */
  get(id: number): Promise<{ readonly site: SiteState; readonly history: readonly SiteHistoryRow[] }>;
  counts(): Promise<SiteCounts>;
  /** Sites with a larger id, by ascending id: to read all of them in parts. */
  after(id: number, limit: number): Promise<readonly SiteState[]>;
  /** Removes a site that no longer exists. Its intervention stays. @throws AppError `not-found` */
  remove(id: number, principal: Principal): Promise<void>;
  /** Opens an intervention for each site that has become silent, each in one transaction with its mark. */
  findSilent(query: SilenceQuery): Promise<SilenceResult>;
  /**
   * Since when and until when it is known which sites have reported, by the clock of the reports. Call it at each look, of which
   * the other processes learn. Afterwards no report is from the future, unless it is being stored. @throws AppError `unavailable`
   */
  reception(looks: SilenceTiming): Promise<ReportReception>;
  /**
   * Called when reports may have been missed until now for a reason of this centre: a refusal, a stop of its threads.
   * @param silentS of sites that are silent after at most this time, in seconds; of all sites if omitted
   */
  reportsMissed(silentS?: number): void;
  /** Called when a site could not sign in for a reason of this centre; without effect long after its start and its last outage. */
  signInRefused(): void;
}

/** More sites than one dispatch centre has; bounds the table. */
export const SITES_MAX = 20_000;

/**
 * Decides which report of an account is stored, without effects, so that every database calls it where it must.
 * @throws AppError `forbidden`
 */
export function decideReport(report: SiteReport, principal: Principal): SiteReport {
  const { site } = principal;
  if (site !== undefined && site !== report.ref)
    throw new AppError("forbidden", `this account reports for site ${site} and not for ${report.ref}`, {
      hint: "Set site.ref to the reference of the enrolment.",
    });
  return withObjective(knownReport(report), principal);
}

/**
 * The objective of an enrolled site is one of its account, by default the first: its silence must not open an intervention
 * at an objective of others.
 */
function withObjective({ objective, ...rest }: SiteReport, principal: Principal): SiteReport {
  const { site, objectives } = principal;
  const ref = objective === undefined ? undefined : refFrom(objective);
  const isAllowed = site === undefined || (ref !== undefined && isOwnObjective(principal, ref));
  if (objective !== undefined && isAllowed) return { ...rest, objective };
  const [first] = site === undefined ? [] : (objectives ?? []);
  return first ? { ...rest, objective: refText(first) } : rest;
}

/**
 * The error of an account of no site that reports for an enrolled one: it could hide that the site is silent.
 */
export function enrolledElsewhere(ref: string): AppError {
  return new AppError("forbidden", `site ${ref} is enrolled, and this account is not its own`, {
    hint: "Report with the account of the site.",
  });
}

/**
 * The error of a second account that reports for a site without enrolment. The first one keeps the site, because any other could
 * hide that it is silent, until an administrator enrols the site, removes it or disables that account.
 */
export function keptByAnother(ref: string): AppError {
  return new AppError("forbidden", `another account reports for site ${ref}`, {
    hint: "Report with that account. An administrator moves the site by an enrolment, or by removing it here.",
  });
}

/** The error of the first report of one site more than a centre has. */
export function tooManySites(): AppError {
  return new AppError("conflict", `this dispatch centre has ${SITES_MAX} sites already`, {
    hint: "Remove sites that no longer exist.",
  });
}

/** @throws AppError `not-found` */
export function siteFound<Site extends object>(site: Site | undefined, id: number): Site {
  if (!site) throw new AppError("not-found", `site ${id} does not exist`);
  return site;
}
