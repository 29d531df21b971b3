import type { StoppedSite } from "../domain/outage.ts";
import type { SilenceQuery } from "../domain/site-silence.ts";
import type { SiteState } from "../domain/site-state.ts";
import { Store } from "./database.ts";
import { toSite, type SiteRow } from "./sites.ts";

/**
 * The limits of the sites with a time of their own. Materialized, and the reference a text as in the table: only then SQLite makes
 * an index of them, and does not read the whole list again for each site.
 */
const OWN_LIMITS = `own AS MATERIALIZED (
  SELECT CAST(value ->> 0 AS TEXT) AS ref, value ->> 1 AS before_ms, value ->> 2 AS stopped_ms
  FROM json_each(:own))`;

/** What a look for silent sites reads and corrects. */
export class OverdueSiteStore extends Store {
  readonly #overdue = this.prepare<SiteRow>(
    `WITH ${OWN_LIMITS}
     SELECT sites.* FROM sites LEFT JOIN own USING (ref)
     WHERE reported_at < ifnull(before_ms, :before) AND silent_since IS NULL
     ORDER BY reported_at, sites.id LIMIT :limit`,
  );
  readonly #stopped = this.prepare<readonly [ref: string, reportedAtMs: number, isSilent: 0 | 1]>(
    `WITH ${OWN_LIMITS}
     SELECT ref, reported_at, silent_since IS NOT NULL FROM sites LEFT JOIN own USING (ref)
     WHERE reported_at BETWEEN :since AND :latest AND reported_at <= ifnull(stopped_ms, :stopped)
       AND (silent_since IS NOT NULL OR ifnull(before_ms, :before) > 0)
     ORDER BY reported_at`,
  ).raw();
  readonly #anyAfter = this.prepare<number>("SELECT 1 FROM sites WHERE reported_at > ? LIMIT 1").pluck();
  readonly #clamp = this.prepare("UPDATE sites SET reported_at = :now WHERE reported_at > :latest");

  /** Sites that are not marked as silent and have not reported for their time, the longest first. */
  overdue(query: SilenceQuery, limit: number): SiteState[] {
    return this.#overdue.all({ ...limitsOf(query), limit }).map(toSite);
  }

  /** Sites that have stopped, by their last report. @param sinceMs the earliest, wall clock, milliseconds since 1970 */
  stopped(query: SilenceQuery, sinceMs: number): StoppedSite[] {
    const { stoppedBeforeMs: stopped, own } = query;
    const latest = Math.max(stopped, ...own.map(({ stoppedBeforeMs }) => stoppedBeforeMs));
    const rows = this.#stopped.all({ ...limitsOf(query), since: sinceMs, stopped, latest });
    return rows.map(([ref, reportedAtMs, isSilent]) => ({ ref, reportedAtMs, isSilent: isSilent === 1 }));
  }

  hasReportsAfter(wallMs: number): boolean {
    return this.#anyAfter.get(wallMs) !== undefined;
  }

  /** Corrects reports from the future, after the clock of the centre was set back. @param latestMs later ones get the time `nowMs` */
  clampReports(latestMs: number, nowMs: number): void {
    this.#clamp.run({ latest: latestMs, now: nowMs });
  }
}

function limitsOf({ reportedBeforeMs, own }: SilenceQuery) {
  const rows = own.map((site) => [site.ref, site.reportedBeforeMs, site.stoppedBeforeMs]);
  return { before: reportedBeforeMs, own: JSON.stringify(rows) };
}
