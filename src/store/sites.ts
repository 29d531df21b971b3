import { folded } from "../domain/search-folding.ts";
import type { SiteReport } from "../domain/site-report.ts";
import { SITE_LEVELS, type SiteChange, type SiteState } from "../domain/site-state.ts";
import type { SiteLevel } from "../generated/types.ts";
import { Store } from "./database.ts";
import { StatementCache } from "./statement-cache.ts";
import { storedJson } from "./stored-json.ts";
import { isSiteReport } from "./stored-shapes.ts";

/** A validated request for a list of sites. */
export interface SiteQuery {
  /** Only these; all if empty. */
  readonly levels: readonly SiteLevel[];
  /** Text in name or reference, ignoring case and accents. */
  readonly search?: string | undefined;
  /** Only the site with this reference. */
  readonly ref?: string | undefined;
  /** Only silent sites, or only those that report. */
  readonly isSilent?: boolean;
  /** `level`: the most serious first, the oldest of a level first. */
  readonly sort: "level" | "name" | "reportedAt";
  readonly descending: boolean;
  readonly start: number;
  readonly end: number;
}

/** A stored change of a site. */
export interface SiteHistoryRow extends SiteChange {
  readonly atMs: number;
}

/** Changes kept for each site: weeks of a site that restarts every day. */
export const HISTORY_MAX = 200;

const ORDERS: Readonly<Record<SiteQuery["sort"], readonly string[]>> = {
  level: ["rank", "since", "id"],
  name: ["searched", "id"],
  reportedAt: ["reported_at", "id"],
};

/** The columns by which a list is sorted, in either database. */
export function orderOf({ sort, descending }: SiteQuery): string {
  return ORDERS[sort].map((column) => `${column}${descending ? " DESC" : ""}`).join(", ");
}

/** Sites of a level, and silent ones of them. */
export interface LevelRow {
  readonly rank: number;
  readonly sites: number;
  readonly silent: number;
}

/** Reads a `LevelRow` of each level, in either database. */
export const LEVELS =
  "SELECT rank, count(*) AS sites, count(silent_since) AS silent FROM sites GROUP BY rank";

/** Numbers of sites by level, and of silent ones. */
export function levelsOf(rows: readonly LevelRow[]): {
  readonly counts: Readonly<Record<SiteLevel, number>>;
  readonly silent: number;
} {
  const counts = { alarm: 0, fault: 0, attention: 0, well: 0 };
  for (const { rank, sites } of rows) counts[SITE_LEVELS[rank] ?? "well"] = sites;
  return { counts, silent: rows.reduce((sum, { silent }) => sum + silent, 0) };
}

/** The sites that report to this dispatch centre. */
export class SiteStore extends Store {
  readonly #lists = new StatementCache(this.database);
  readonly #byRef = this.prepare<SiteRow>("SELECT * FROM sites WHERE ref = ?");
  readonly #byId = this.prepare<SiteRow>("SELECT * FROM sites WHERE id = ?");
  readonly #put = this.prepare<number>(
    `INSERT INTO sites(ref, searched, report, rank, since, reported_at, silent_since, intervention_id, clock_offset_ms)
     VALUES(:ref, :searched, :report, :rank, :since, :reportedAt, :silentSince, :interventionId, :offset)
     ON CONFLICT(ref) DO UPDATE SET searched = excluded.searched, report = excluded.report, rank = excluded.rank,
       since = excluded.since, reported_at = excluded.reported_at, silent_since = excluded.silent_since,
       intervention_id = excluded.intervention_id, clock_offset_ms = excluded.clock_offset_ms
     RETURNING id`,
  ).pluck();
  readonly #keeper = this.prepare<number>(
    "SELECT accounts.id FROM sites JOIN accounts ON accounts.id = sites.account WHERE ref = ? AND disabled = 0",
  ).pluck();
  readonly #keep = this.prepare(
    "UPDATE sites SET account = :account WHERE id = :id AND account IS NOT :account",
  );
  readonly #remove = this.prepare("DELETE FROM sites WHERE id = ?");
  readonly #count = this.prepare<number>("SELECT count(*) FROM sites").pluck();
  readonly #levels = this.prepare<LevelRow>(LEVELS);
  readonly #addChange = this.prepare(
    "INSERT INTO site_history(site_id, at, event, detail) VALUES(?, ?, ?, ?)",
  );
  readonly #removeOldChanges = this.prepare(
    `DELETE FROM site_history WHERE site_id = :id AND id <=
       (SELECT id FROM site_history WHERE site_id = :id ORDER BY id DESC LIMIT 1 OFFSET ${HISTORY_MAX})`,
  );
  readonly #history = this.prepare<HistoryRow>(
    `SELECT at, event, detail FROM site_history WHERE site_id = ? ORDER BY id DESC LIMIT ${HISTORY_MAX}`,
  );
  readonly #after = this.prepare<SiteRow>("SELECT * FROM sites WHERE id > ? ORDER BY id LIMIT ?");

  byRef(ref: string): SiteState | undefined {
    return this.#byRef.all(ref).map(toSite)[0];
  }

  byId(id: number): SiteState | undefined {
    return this.#byId.all(id).map(toSite)[0];
  }

  /** Adds a site or replaces its state. @returns its id */
  put(state: Omit<SiteState, "id">): number {
    const { ref, report, level, sinceMs, reportedAtMs, silentSinceMs, interventionId, clockOffsetMs } = state;
    return this.#put.get({
      ref,
      searched: folded(`${report.name} ${ref}`),
      report: JSON.stringify(report),
      rank: SITE_LEVELS.indexOf(level),
      since: sinceMs,
      reportedAt: reportedAtMs,
      silentSince: silentSinceMs,
      interventionId,
      offset: clockOffsetMs,
    }) as number;
  }

  /** The account that keeps a site; undefined for none, or if it is disabled. */
  keeper(ref: string): number | undefined {
    return this.#keeper.get(ref);
  }

  /** Sets the account that keeps a site. */
  keep(id: number, account: number): void {
    this.#keep.run({ id, account });
  }

  /** Removes a site and its history. @returns whether it existed */
  remove(id: number): boolean {
    return this.#remove.run(id).changes > 0;
  }

  count(): number {
    return this.#count.get() as number;
  }

  /** Numbers of sites by level, and of silent ones. */
  levels(): ReturnType<typeof levelsOf> {
    return levelsOf(this.#levels.all());
  }

  addChanges(id: number, changes: readonly SiteChange[], atMs: number): void {
    for (const { event, detail } of changes) this.#addChange.run(id, atMs, event, detail);
    if (changes.length > 0) this.#removeOldChanges.run({ id });
  }

  /** The newest changes of a site, newest first. */
  history(id: number): SiteHistoryRow[] {
    return this.#history.all(id).map(({ at, event, detail }) => ({ atMs: at, event, detail }));
  }

  /** Sites with a larger id, by ascending id: to read all of them in parts. */
  after(id: number, limit: number): SiteState[] {
    return this.#after.all(id, limit).map(toSite);
  }

  /** A slice of a list and its total. */
  page(query: SiteQuery): { readonly sites: SiteState[]; readonly total: number } {
    const { start, end } = query;
    const { where, values } = conditionsOf(query);
    const rows = this.#lists
      .prepare(`SELECT * FROM sites WHERE ${where} ORDER BY ${orderOf(query)} LIMIT :limit OFFSET :start`)
      .all({ ...values, start, limit: Math.max(0, end - start) }) as SiteRow[];
    const total = this.#lists
      .prepare(`SELECT count(*) FROM sites WHERE ${where}`)
      .pluck()
      .get(values) as number;
    return { sites: rows.map(toSite), total };
  }
}

function conditionsOf({ levels, search, ref, isSilent }: SiteQuery): {
  where: string;
  values: Record<string, string>;
} {
  const conditions = ["TRUE"];
  const values: Record<string, string> = {};
  if (levels.length > 0) {
    conditions.push("rank IN (SELECT value FROM json_each(:ranks))");
    values["ranks"] = JSON.stringify(levels.map((level) => SITE_LEVELS.indexOf(level)));
  }
  if (search !== undefined) {
    conditions.push("instr(searched, :search) > 0");
    values["search"] = folded(search);
  }
  if (ref !== undefined) {
    conditions.push("ref = :ref");
    values["ref"] = ref;
  }
  if (isSilent !== undefined) conditions.push(isSilent ? "silent_since IS NOT NULL" : "silent_since IS NULL");
  return { where: conditions.join(" AND "), values };
}

/** A row of the table. */
export interface SiteRow {
  readonly id: number;
  readonly ref: string;
  readonly report: string;
  readonly rank: number;
  readonly since: number;
  readonly reported_at: number;
  readonly silent_since: number | null;
  readonly intervention_id: number | null;
  readonly clock_offset_ms: number;
}

interface HistoryRow extends SiteChange {
  readonly at: number;
}

export function toSite(row: SiteRow): SiteState {
  return {
    id: row.id,
    ref: row.ref,
    report: reportOf(row),
    level: levelOf(row),
    sinceMs: row.since,
    reportedAtMs: row.reported_at,
    silentSinceMs: row.silent_since,
    interventionId: row.intervention_id,
    clockOffsetMs: row.clock_offset_ms,
  };
}

/** The name in a stored report; the reference of the site if the report is damaged. */
export function reportedName(report: string, ref: string): string {
  const stored = storedJson<unknown>(report, null);
  return isSiteReport(stored) ? stored.name : ref;
}

/** The last report of a site. Of a damaged one its reference and level are left, until the site reports again. */
function reportOf(row: SiteRow): SiteReport {
  const report = storedJson<unknown>(row.report, null);
  if (isSiteReport(report)) return report;
  const { ref, reported_at: at } = row;
  return { ref, name: ref, version: "unknown", at, upS: 0, level: levelOf(row) };
}

function levelOf({ rank }: SiteRow): SiteLevel {
  return SITE_LEVELS[rank] ?? "well";
}
