import { AppError } from "../domain/errors.ts";
import { folded } from "../domain/search-folding.ts";
import type { SiteReport } from "../domain/site-report.ts";
import { afterReport, SITE_LEVELS, type SiteChange, type SiteState } from "../domain/site-state.ts";
import { HISTORY_MAX, toSite, type SiteQuery, type SiteRow as StoredSite } from "../store/sites.ts";
import { columnsOf, type NamedStatement, type Queries, type SqlParameter } from "./connection.ts";
import { isRolledBack } from "./server-errors.ts";
import { SERVER_NOW } from "./server-clock.ts";
import { storableJson, storableText } from "./storable.ts";

/**
 * The columns of a `SiteRow`, with the name of the table for joins. Never `*`: a newer process may add a column, and a
 * prepared statement whose result changes fails for as long as its connection lives.
 */
export const SITE_COLUMNS =
  "id ref report rank since reported_at silent_since intervention_id clock_offset_ms rev"
    .split(" ")
    .map((name) => `sites.${name}`)
    .join(", ");

/** A site as the table has it. */
export type SiteRow = StoredSite & { readonly rev: number };

/** A report of a turn. */
export interface BatchedReport {
  readonly report: SiteReport;
  /** Whether its account is that of the site. */
  readonly isOfSite: boolean;
  readonly accountId: number;
}

/** The sites with an account of their own for which an account of no site reports. */
export async function enrolledSites(
  queries: Queries,
  reports: readonly BatchedReport[],
): Promise<ReadonlySet<string>> {
  const refs = reports.flatMap(({ report, isOfSite }) => (isOfSite ? [] : [report.ref]));
  if (refs.length === 0) return new Set();
  const rows = await queries.query<{ site: string }>(ENROLLED, [refs]);
  return new Set(rows.map(({ site }) => site));
}

export async function countSites(queries: Queries): Promise<number> {
  const [row] = await queries.query<{ sites: number }>("SELECT count(*) AS sites FROM sites");
  return row?.sites ?? 0;
}

const ENROLLED: NamedStatement = {
  name: "enrolled-sites",
  text: "SELECT site FROM accounts WHERE site = ANY($1::text[])",
};

/** The sites with these references, each null if there is none, with the accounts that keep them and the clock of the server. */
export const READ_SITES: NamedStatement = {
  name: "read-sites",
  text: `SELECT asked.ref AS asked, ${SERVER_NOW} AS now, ${SITE_COLUMNS}, keeper.id AS keeper
    FROM unnest($1::text[]) AS asked(ref) LEFT JOIN sites USING (ref)
      LEFT JOIN accounts keeper ON keeper.id = sites.account AND NOT keeper.disabled`,
};

/** A row of `READ_SITES`. */
export interface ReadSiteRow extends SiteRow {
  readonly asked: string;
  readonly now: number;
  /** The account that keeps the site; null for none, or if it is disabled. */
  readonly keeper: number | null;
  /** Null for a site that does not exist: then all columns of `SiteRow` are. */
  readonly rev: number;
}

/** The error of a report whose site others have changed again and again, or whose writing the server has ended each time. */
export function tooManyReports(ref: string): AppError {
  return new AppError("unavailable", `site ${ref} is being changed by others; try again`, { retryAfterS: 1 });
}

/** The sites whose stored report, if there is any, is older than its time. */
const WITHOUT_NEWER: NamedStatement = {
  name: "sites-without-newer",
  text: `SELECT asked.ref FROM unnest($1::text[], $2::bigint[]) AS asked(ref, at) LEFT JOIN sites USING (ref)
    WHERE (sites.reported_at >= asked.at) IS NOT TRUE`,
};

/**
 * The sites of which no report is stored that is as new as the one to store.
 * @param firstMs when each was first to be stored, milliseconds since 1970
 */
export async function withoutNewer(
  queries: Queries,
  refs: Iterable<string>,
  firstMs: ReadonlyMap<string, number>,
): Promise<readonly string[]> {
  const asked = [...refs].map((ref) => ({ ref, at: firstMs.get(ref) ?? 0 }));
  if (asked.length === 0) return [];
  const rows = await queries.query<{ ref: string }>(WITHOUT_NEWER, columnsOf(asked, "ref", "at"));
  return rows.map(({ ref }) => ref);
}

/** The state of a site after its newest reports. */
export interface SiteUpdate {
  readonly state: Omit<SiteState, "id">;
  readonly changes: readonly SiteChange[];
  /** The account that keeps it from now on. */
  readonly account: number;
  /** The revision from which it was decided; null for a new site. */
  readonly rev: number | null;
  /** The intervention that this report closes. */
  readonly repair: number | null;
}

/** Whether the site has not reported before. */
export function isFirstReport(row: ReadSiteRow): boolean {
  return row.rev === null;
}

/** The reports of a turn that are accepted: those of the site's own account, or else of the one that keeps the site. */
export function acceptedReports(row: ReadSiteRow, given: readonly BatchedReport[]): readonly BatchedReport[] {
  const keeper = row.keeper ?? given[0]?.accountId;
  return given.filter(({ isOfSite, accountId }) => isOfSite || accountId === keeper);
}

/**
 * The state of a site after its reports of a turn, in their order.
 * @param now wall clock, milliseconds since 1970
 */
export function reported(row: ReadSiteRow, given: readonly BatchedReport[], now: number): SiteUpdate {
  const nowMs = Math.round(now);
  const before = isFirstReport(row) ? undefined : toSite(row);
  let state: Omit<SiteState, "id"> | undefined = before;
  const changes: SiteChange[] = [];
  for (const { report } of given) {
    const next = afterReport(state, report, nowMs);
    state = next.state;
    changes.push(...next.changes);
  }
  const [first] = given;
  if (!state || !first) throw new Error(`no report of site ${row.asked}`);
  return {
    state,
    changes,
    account: first.accountId,
    rev: before ? row.rev : null,
    repair: before?.interventionId ?? null,
  };
}

/**
 * Stores the reports of a turn in one round trip. A site that another process has stored meanwhile is left out, so that
 * its state is decided again. The sites are locked in one order by every process, so that two never wait in a circle. Returns
 * the references of those that are stored.
 */
const STORE_REPORTS: NamedStatement = {
  name: "store-reports",
  text: `
  WITH given AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::bigint[], $6::bigint[], $7::bigint[], $8::int[],
      $13::bigint[]) AS given(ref, searched, report, rank, since, reported_at, clock_offset_ms, rev, account)),
  locked AS MATERIALIZED (
    SELECT sites.ref FROM sites JOIN given ON sites.ref = given.ref AND sites.rev = given.rev
    ORDER BY sites.ref FOR UPDATE OF sites),
  changed AS (
    UPDATE sites SET searched = given.searched, report = given.report, rank = given.rank, since = given.since,
      reported_at = given.reported_at, clock_offset_ms = given.clock_offset_ms, silent_since = NULL,
      intervention_id = NULL, account = given.account, rev = sites.rev + 1
    FROM locked JOIN given USING (ref) WHERE sites.ref = locked.ref AND sites.rev = given.rev RETURNING sites.ref, sites.id),
  added AS (
    INSERT INTO sites(ref, searched, report, rank, since, reported_at, clock_offset_ms, account)
    SELECT ref, searched, report, rank, since, reported_at, clock_offset_ms, account FROM given WHERE rev IS NULL ORDER BY ref
    ON CONFLICT (ref) DO NOTHING RETURNING ref, id),
  stored AS (SELECT * FROM changed UNION ALL SELECT * FROM added),
  logged AS (
    INSERT INTO site_history(site_id, at, event, detail)
    SELECT stored.id, at, event, detail
    FROM unnest($9::text[], $10::bigint[], $11::text[], $12::text[]) WITH ORDINALITY AS change(ref, at, event, detail, n)
      JOIN stored USING (ref) ORDER BY n)
  SELECT ref FROM stored`,
};

/** @returns the references of the stored ones; none if the server has ended it in favour of another process */
export async function storeReports(queries: Queries, sites: readonly SiteUpdate[]): Promise<string[]> {
  if (sites.length === 0) return [];
  const rows = await queries
    .query<{ ref: string }>(STORE_REPORTS, reportValues(sites))
    .catch((error: unknown) => {
      if (!isRolledBack(error)) throw error;
      return [];
    });
  return rows.map(({ ref }) => ref);
}

/** The parameters of `STORE_REPORTS`. */
function reportValues(sites: readonly SiteUpdate[]): SqlParameter[] {
  const column = <T extends string | number | null>(value: (site: SiteUpdate) => T): T[] => sites.map(value);
  const changes = sites.flatMap(({ state: { ref, reportedAtMs }, changes: made }) =>
    made.map(({ event, detail }) => ({ ref, at: reportedAtMs, event, detail: storableText(detail) })),
  );
  return [
    column(({ state }) => state.ref),
    column(({ state }) => storableText(folded(`${state.report.name} ${state.ref}`))),
    column(({ state }) => storableJson(state.report)),
    column(({ state }) => SITE_LEVELS.indexOf(state.level)),
    column(({ state }) => state.sinceMs),
    column(({ state }) => state.reportedAtMs),
    column(({ state }) => state.clockOffsetMs),
    column(({ rev }) => rev),
    ...columnsOf(changes, "ref", "at", "event", "detail"),
    column(({ account }) => account),
  ];
}

/** The condition of a list and its parameters. */
export function siteConditionOf({ levels, search, ref, isSilent }: SiteQuery): {
  where: string;
  values: SqlParameter[];
} {
  const values: SqlParameter[] = [];
  const conditions = ["TRUE"];
  const ranks = levels.map((level) => SITE_LEVELS.indexOf(level));
  if (ranks.length > 0) conditions.push(`rank = ANY($${values.push(ranks)}::int[])`);
  if (search !== undefined)
    conditions.push(`strpos(searched, $${values.push(storableText(folded(search)))}) > 0`);
  if (ref !== undefined) conditions.push(`ref = $${values.push(storableText(ref))}`);
  if (isSilent !== undefined) conditions.push(isSilent ? "silent_since IS NOT NULL" : "silent_since IS NULL");
  return { where: conditions.join(" AND "), values };
}

export const SITE_HISTORY = `SELECT at, event, detail FROM site_history WHERE site_id = $1 ORDER BY id DESC LIMIT ${HISTORY_MAX}`;
export const SITES_AFTER_ID = `SELECT ${SITE_COLUMNS} FROM sites WHERE id > $1 ORDER BY id LIMIT $2`;
