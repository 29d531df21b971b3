import { isoTime } from "../domain/clock.ts";
import { hasTrailEnd, trailEndBefore, verifyTrail, type TrailEnd } from "../store/audit-trail.ts";
import type { Database } from "../store/database.ts";
import { formatRanges, type NumberRange } from "../store/sequence-gaps.ts";
import type { TrailBreak } from "../store/trail-check.ts";
import { readOr } from "./carried-over.ts";
import type { DatabaseName } from "./database-files.ts";

/** The database with the audit trail. */
export const TRAIL_DATABASE: DatabaseName = "santinela.db";

/** Entries that the audit trail has lost, for a report. */
export interface TrailLoss {
  readonly missing: number;
  readonly altered: number;
  /** Their positions and times. */
  readonly named: string;
}

/**
 * The entries after the end of the trail up to its noted end: the chain itself does not show that they are missing, nor that it was
 * written again with other entries.
 * @param noted the noted end; undefined for none
 * @returns undefined if none is missing or another one
 */
export function lostTrailEnd(database: Database, noted: TrailEnd | undefined): TrailLoss | undefined {
  if (noted === undefined || hasTrailEnd(database, noted)) return undefined;
  const found = trailEndBefore(database, noted);
  const missing = noted.position - (found?.position ?? 0);
  if (found?.position === noted.position)
    return {
      missing: 0,
      altered: 1,
      named: `${entriesText([noted.position, noted.position], null, noted.at)} with the noted hash ${noted.hash}`,
    };
  if (missing <= 0) return undefined;
  const range = [noted.position - missing + 1, noted.position] as const;
  return { missing, altered: 0, named: entriesText(range, found?.at ?? null, noted.at) };
}

/** What breaks of the chain show to be missing or altered. */
export function lossOfBreaks(breaks: readonly TrailBreak[]): TrailLoss {
  const texts = breaks.map(({ position, missing, sinceMs, untilMs }) =>
    missing > 0
      ? entriesText([position - missing, position - 1], sinceMs, untilMs)
      : entriesText([position, position], null, untilMs),
  );
  return {
    missing: breaks.reduce((sum, { missing }) => sum + missing, 0),
    altered: breaks.filter(({ missing }) => missing === 0).length,
    named: texts.join("; "),
  };
}

/**
 * The entries of the trail in a file that are missing or altered, as ranges of positions.
 * @returns undefined for none, and for the file of an early release, which has no trail
 */
export function brokenTrailIn(path: string): string | undefined {
  const breaks = readOr(path, verifyTrail)?.breaks ?? [];
  const ranges = breaks.map(({ position, missing }) =>
    missing > 0 ? ([position - missing, position - 1] as const) : ([position, position] as const),
  );
  return ranges.length === 0 ? undefined : formatRanges(ranges);
}

/** @param sinceMs wall clock of the entry before; null for none */
function entriesText(range: NumberRange, sinceMs: number | null, untilMs: number): string {
  const since = sinceMs === null ? "" : `${isoTime(sinceMs)} to `;
  return `audit trail ${formatRanges([range])} (${since}${isoTime(untilMs)})`;
}
