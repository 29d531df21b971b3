import type { SiteEvent, SiteReport, SiteLevel } from "../generated/types.ts";

/** A site as its dispatch centre stores it; all times by the clock of the centre, milliseconds since 1970. */
export interface SiteState {
  readonly id: number;
  readonly ref: string;
  readonly report: SiteReport;
  readonly level: SiteLevel;
  /** Since when it has this level. */
  readonly sinceMs: number;
  readonly reportedAtMs: number;
  /** The last report before the silence; null while it reports. */
  readonly silentSinceMs: number | null;
  /** The intervention of the silence. */
  readonly interventionId: number | null;
  readonly clockOffsetMs: number;
}

/** A change of a site, for its history. */
export type SiteChange = Pick<SiteEvent, "event" | "detail">;

/** The levels by seriousness; their order is that of the list. */
export const SITE_LEVELS: readonly SiteLevel[] = ["alarm", "fault", "attention", "well"];

/**
 * Whether the clock of a site differs from that of its dispatch centre, so that its schedules and the times of its records are
 * wrong. A report may take some seconds.
 */
export function hasOtherClock({
  clockOffsetMs,
  level,
  report,
}: {
  readonly clockOffsetMs: number;
  readonly level: SiteLevel;
  readonly report: Pick<SiteReport, "level">;
}): boolean {
  // Nothing else changes the level of a site that is well by itself to this one.
  const isStillOther = report.level === "well" && level === "attention";
  return isStillOther || Math.abs(clockOffsetMs) > OTHER_CLOCK_MS;
}

const OTHER_CLOCK_MS = 60_000;
/** Below this a clock is right again: one that is off by nearly a minute must not change the level with each report. */
const RIGHT_CLOCK_MS = 50_000;

/**
 * The level of a site that reports: a site cannot know that its clock is wrong.
 * @param limitMs from which difference of the clocks on
 */
function levelAtCentre(
  { level }: SiteReport,
  clockOffsetMs: number,
  limitMs: number = OTHER_CLOCK_MS,
): SiteLevel {
  return level === "well" && Math.abs(clockOffsetMs) > limitMs ? "attention" : level;
}

/** The level of a site that has become silent: what it was in alarm about is still unknown. */
export function silentLevel(level: SiteLevel): SiteLevel {
  return level === "alarm" ? "alarm" : "fault";
}

/**
 * The state of a site after a report, and what has changed.
 * @param before undefined for the first report
 */
export function afterReport(
  before: Omit<SiteState, "id"> | undefined,
  report: SiteReport,
  nowMs: number,
): { readonly state: Omit<SiteState, "id">; readonly changes: readonly SiteChange[] } {
  const clockOffsetMs = Math.max(-OFFSET_MS_MAX, Math.min(OFFSET_MS_MAX, report.at - nowMs));
  const limitMs = before && hasOtherClock(before) ? RIGHT_CLOCK_MS : OTHER_CLOCK_MS;
  const level = levelAtCentre(report, clockOffsetMs, limitMs);
  const state = {
    ref: report.ref,
    report,
    level,
    sinceMs: before?.level === level && before.silentSinceMs === null ? before.sinceMs : nowMs,
    reportedAtMs: nowMs,
    silentSinceMs: null,
    interventionId: null,
    clockOffsetMs,
  };
  if (!before) return { state, changes: [{ event: "first-report", detail: level }] };
  const last = before.report;
  // A silent site has a level that it has not reported.
  const lastLevel = before.silentSinceMs === null ? before.level : levelAtCentre(last, before.clockOffsetMs);
  const changes: (SiteChange | false)[] = [
    before.silentSinceMs !== null && { event: "reporting", detail: "" },
    report.upS < last.upS && { event: "restarted", detail: "" },
    report.version !== last.version && { event: "version", detail: report.version },
    level !== lastLevel && { event: "level", detail: level },
  ];
  return { state, changes: changes.filter((change) => change !== false) };
}

/** A Pi without a clock starts in 1970; more than a century is not worth a larger number. */
const OFFSET_MS_MAX = 100 * 366 * 86_400_000;
