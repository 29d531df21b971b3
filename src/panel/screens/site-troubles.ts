import type { SiteView } from "../../generated/types.ts";
import { formatSince, formatTime } from "../date-format.ts";
import { formatDuration } from "../duration.ts";
import { t, translateCode } from "../i18n.ts";

/** Conditions and faults named of one site. */
const NAMED_MAX = 3;

/** A larger difference of the clocks is attention, as the centre decides it. */
const OTHER_CLOCK_MS = 60_000;

/** Reasons whose conditions, faults or records follow with their own words. */
const NAMED_BELOW: ReadonlySet<string> = new Set([
  "zone-fault",
  "battery-low",
  "condition-error",
  "condition-warning",
  "backlog",
]);

/** Why a site has its level, in words; empty for a site without problems. */
export function troublesOf({ silentSince, clockOffsetMs, level, reportedAt, report }: SiteView): string[] {
  // Also a little below that, until the centre calls the site well again.
  const hasOtherClock =
    Math.abs(clockOffsetMs) > OTHER_CLOCK_MS || (level === "attention" && report.level === "well");
  const { reasons = [], alarm, conditions = [], faults = [], moreFaults = 0 } = report;
  const unnamed = Math.max(0, faults.length - NAMED_MAX) + moreFaults;
  return [
    ...(alarm ? [alarmText(alarm, reportedAt)] : []),
    ...(silentSince === null ? [] : [t("sites.silentSince", { time: formatTime(silentSince) })]),
    ...(hasOtherClock ? [t("sites.otherClock", { time: differenceText(clockOffsetMs) })] : []),
    ...reasons
      .filter(({ code, count }) => !NAMED_BELOW.has(code) && !(alarm && isAlarmAlone(code, count)))
      .map((reason) => reasonText(alarm && reason.code === ALARMS ? { ...reason, names: [] } : reason)),
    ...conditions.slice(0, NAMED_MAX).map((code) => translateCode("condition", code)),
    ...faults.slice(0, NAMED_MAX).map(({ zone, fault }) => `${zone}: ${translateCode("fault", fault)}`),
    ...(unnamed > 0 ? [t("sites.moreFaults", { n: unnamed })] : []),
    ...backlogOf(silentSince, report.backlog),
  ];
}

/** The reason of unfinished alarms, the most urgent of which a report has with its name and age. */
const ALARMS = "alarm-unfinished";

function isAlarmAlone(code: string, count: number): boolean {
  return code === ALARMS && count === 1;
}

/** The most urgent alarm, such as `Fire: Smoke store, 14 min`; its age counts on after the report. */
function alarmText({ name, ageS }: NonNullable<SiteView["report"]["alarm"]>, reportedAt: string): string {
  const since = new Date(Date.parse(reportedAt) - ageS * 1000).toISOString();
  return `${name}, ${formatSince(since)}`;
}

function differenceText(clockOffsetMs: number): string {
  return formatDuration(Math.abs(clockOffsetMs) / 1000);
}

function reasonText({ code, count, names = [] }: NonNullable<SiteView["report"]["reasons"]>[number]): string {
  return [
    translateCode("reason", code, code, { n: count }),
    ...(names.length === 0 ? [] : [names.join(", ")]),
  ].join(": ");
}

/** A silent site may have records that the centre has not received: what is not known is not zero. */
function backlogOf(silentSince: string | null, backlog: SiteView["report"]["backlog"]): string[] {
  if (silentSince !== null) return [t("sites.backlogUnknown")];
  if (!backlog) return [];
  return [t("sites.backlog", { n: backlog.records, time: formatDuration(backlog.oldestS) })];
}
