import { formatLocal, parseDateTime } from "../domain/calendar.ts";
import type { Intervention, InterventionCreate, InterventionUpdate } from "../domain/intervention.ts";
import { writtenTime } from "../domain/intervention-text.ts";
import { refFrom } from "../domain/objective.ts";
import { DEVICE_EMAIL, type Principal } from "../domain/principal.ts";
import { silentLevel, type SiteState } from "../domain/site-state.ts";
import { wording, type Locale } from "../domain/trip-text.ts";

/* What is done about a silent site, decided without effects, so that every database calls it where it must. */

/** Language and time zone of the texts of a centre. */
export interface RepairTexts {
  /** IANA time zone. */
  readonly timezone: string;
  readonly locale: Locale;
}

/** Maximum length of notes, in code points: that of the API. */
const NOTES_LENGTH_MAX = 4_000;

/** A site that has become silent, with the intervention of its silence; null without one. */
export function silentState(site: SiteState, interventionId: number | null): SiteState {
  const level = silentLevel(site.level);
  const sinceMs = level === site.level ? site.sinceMs : site.reportedAtMs;
  return { ...site, level, sinceMs, silentSinceMs: site.reportedAtMs, interventionId };
}

/**
 * The intervention of a silent site.
 * @param isCommon whether many sites are silent together
 * @returns undefined if the site has named no objective
 */
export function repairOf(
  { ref, report, reportedAtMs }: SiteState,
  isCommon: boolean,
  { timezone, locale }: RepairTexts,
): InterventionCreate | undefined {
  const objective = refFrom(report.objective ?? "");
  if (!objective) return undefined;
  const texts = wording(locale);
  const start = formatLocal(reportedAtMs, timezone);
  const time = writtenTime(start.slice(0, 16), locale);
  const described = texts.siteSilentDescription({ name: report.name, ref, time });
  return {
    name: texts.siteSilentName(report.name, start.slice(11, 16)),
    description: isCommon ? `${described}\n${texts.siteSilentTogether}` : described,
    objectiveType: objective.type,
    objectiveId: objective.id,
    type: "repair",
    // Technicians cannot go to hundreds of sites at once: the common cause comes first.
    priority: isCommon ? "low" : "medium",
    dateStart: start,
  };
}

/** The change that closes the intervention of a silence; what a dispatcher wrote into it stays. */
export function closingOf(
  record: Intervention,
  nowMs: number,
  { timezone, locale }: RepairTexts,
): InterventionUpdate {
  const now = formatLocal(nowMs, timezone);
  const line = wording(locale).siteReportsAgain(writtenTime(now.slice(0, 16), locale));
  const notes = record.notes === null || record.notes === "" ? line : `${record.notes}\n${line}`;
  const isStarted = isUntil(record.dateStart, now, timezone);
  return {
    ...([...notes].length > NOTES_LENGTH_MAX ? {} : { notes }),
    ...(record.status === "done" ? {} : { status: "done" }),
    ...(record.status !== "done" && record.dateEnd === null && isStarted ? { dateEnd: now } : {}),
  };
}

/** Whether a date of a record is not after another one; both as the record is checked, which may have an offset. */
function isUntil(date: string | null, end: string, timezone: string): boolean {
  const [dateMs, endMs] = [date, end].map((text) =>
    text === null ? undefined : parseDateTime(text, timezone),
  );
  return dateMs === undefined || endMs === undefined || dateMs <= endMs;
}

/**
 * Who opens and closes these interventions: the device account, whose records may use the rest of a full disk, as those
 * of trips.
 * @param accountId undefined while that account does not exist
 */
export function repairer(accountId: number | undefined): Principal {
  return { accountId: accountId ?? 0, email: DEVICE_EMAIL, role: "operator", from: "silent sites" };
}
