import { instantsOf, newIntervention, type InterventionCreate } from "../domain/intervention.ts";
import { actorOf, DEVICE_EMAIL, type Principal } from "../domain/principal.ts";
import { StoppedSites, stoppedSinceMs, type StoppedSite } from "../domain/outage.ts";
import type { SilenceQuery } from "../domain/site-silence.ts";
import { SITE_LEVELS, type SiteState } from "../domain/site-state.ts";
import type { SilenceResult } from "../service/fleet.ts";
import { latestReportMs } from "../service/report-intake.ts";
import { repairer, repairOf, silentState, type RepairTexts } from "../service/site-repairs.ts";
import { toSite } from "../store/sites.ts";
import { findByEmail } from "./account-rows.ts";
import { columnsOf, type NamedStatement, type Queries } from "./connection.ts";
import { CREATE, createValues, type NewRecord } from "./new-records.ts";
import { SITE_COLUMNS, type SiteRow } from "./site-rows.ts";

/** What the repairs of a centre need besides their sites. */
export interface RepairOptions extends RepairTexts {
  /** Dispatch centre id of new records. */
  readonly dispeceratId: number;
  /** Generates a uid for a record. */
  readonly newUid: () => string;
}

/** Sites that become silent in one transaction, as in SQLite. */
const SILENT_AT_ONCE_MAX = 100;

/**
 * Opens a repair for each site that has become silent and marks it; call it in a transaction. Rows that another process
 * is marking, or whose report is being stored, are skipped: that process has them.
 */
export async function markSilent(
  queries: Queries,
  query: SilenceQuery,
  options: RepairOptions,
): Promise<SilenceResult> {
  const { nowMs } = query;
  const limits = [...columnsOf(query.own, "ref", "reportedBeforeMs"), query.reportedBeforeMs];
  const overdue = (await queries.query<SiteRow>(OVERDUE, limits)).map(toSite);
  const found = await queries.query<StoppedRow>(STOPPED, [
    ...limits,
    query.own.map(({ stoppedBeforeMs }) => stoppedBeforeMs),
    query.stoppedBeforeMs,
    stoppedSinceMs(query, overdue),
  ]);
  const stopped = new StoppedSites(query, { stopped: found, sites: found[0]?.sites ?? 0 });
  const ids = await openRepairs(queries, overdue, { stopped, nowMs, options });
  const silent = overdue.map((site, index) => silentState(site, ids[index] ?? null));
  if (silent.length > 0)
    await queries.query(MARK, [
      silent.map(({ level }) => SITE_LEVELS.indexOf(level)),
      ...columnsOf(silent, "id", "sinceMs", "interventionId"),
      nowMs,
    ]);
  return {
    silent: silent.map(({ id, ref, interventionId }) => ({ id, ref, interventionId })),
    hasMore: silent.length === SILENT_AT_ONCE_MAX,
    outage: stopped.outage(silent),
  };
}

/** @returns for each site the id of its new intervention; undefined for one without an objective here */
async function openRepairs(
  queries: Queries,
  sites: readonly SiteState[],
  { stopped, nowMs, options }: { stopped: StoppedSites; nowMs: number; options: RepairOptions },
): Promise<(number | undefined)[]> {
  const by = repairer((await findByEmail(queries, DEVICE_EMAIL))?.id);
  const bodies = sites.map((site) => repairOf(site, stopped.isCommon(site), options));
  const records = bodies.flatMap((body) => (body ? [newRecord(body, by, options)] : []));
  if (records.length === 0) return [];
  const rows = await queries.query<{ n: number; id: number }>(CREATE, createValues(records, nowMs));
  const ids = new Map(rows.map(({ n, id }) => [n - 1, id]));
  let next = 0;
  return bodies.map((body) => (body ? ids.get(next++) : undefined));
}

function newRecord(body: InterventionCreate, by: Principal, options: RepairOptions): NewRecord {
  const { timezone, dispeceratId, newUid } = options;
  const fields = newIntervention(body);
  const own = { dispeceratId, createdBy: by.accountId, actor: actorOf(by), idempotency: undefined };
  return { ...own, fields, instants: instantsOf(fields, timezone), uid: newUid() };
}

/**
 * Corrects reports from the future. Rows in use are left for the next look, so that this never waits with locked rows for a process
 * that stores reports in another order.
 */
export async function clampReportTimes(queries: Queries, nowMs: number): Promise<void> {
  const latestMs = latestReportMs(nowMs);
  if (latestMs !== undefined) await queries.query(CLAMP, [nowMs, latestMs]);
}

interface StoppedRow extends StoppedSite {
  /** Number of all sites. */
  readonly sites: number;
}

const CLAMP: NamedStatement = {
  name: "clamp-report-times",
  text: `UPDATE sites SET reported_at = $1, rev = rev + 1 WHERE reported_at > $2::bigint AND id IN (
    SELECT id FROM sites WHERE reported_at > $2::bigint FOR UPDATE SKIP LOCKED)`,
};
const OVERDUE: NamedStatement = {
  name: "overdue-sites",
  text: `SELECT ${SITE_COLUMNS} FROM sites
      LEFT JOIN unnest($1::text[], $2::bigint[]) AS own(ref, before_ms) USING (ref)
    WHERE reported_at < coalesce(before_ms, $3::bigint) AND silent_since IS NULL
    ORDER BY reported_at, id LIMIT ${SILENT_AT_ONCE_MAX} FOR UPDATE OF sites SKIP LOCKED`,
};
const STOPPED: NamedStatement = {
  name: "stopped-sites",
  text: `SELECT ref, reported_at AS "reportedAtMs", silent_since IS NOT NULL AS "isSilent",
      (SELECT count(*) FROM sites) AS sites
    FROM sites LEFT JOIN unnest($1::text[], $2::bigint[], $4::bigint[]) AS own(ref, before_ms, stopped_ms) USING (ref)
    WHERE reported_at BETWEEN $6::bigint AND coalesce(stopped_ms, $5::bigint)
      AND (silent_since IS NOT NULL OR coalesce(before_ms, $3::bigint) > 0)
    ORDER BY reported_at`,
};
const MARK: NamedStatement = {
  name: "mark-silent-sites",
  text: `
  WITH given AS (
    SELECT * FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::bigint[])
      AS given(rank, id, since, intervention_id)),
  marked AS (
    UPDATE sites SET rank = given.rank, since = given.since, silent_since = reported_at,
      intervention_id = given.intervention_id, rev = rev + 1
    FROM given WHERE sites.id = given.id)
  INSERT INTO site_history(site_id, at, event, detail) SELECT id, $5::bigint, 'silent', '' FROM given ORDER BY id`,
};
