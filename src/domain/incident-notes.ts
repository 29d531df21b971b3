import { formatLocal } from "./calendar.ts";
import { elapsedMs } from "./incident-window.ts";
import { withZone, type IncidentZone, type NoteTimestamp } from "./incident.ts";
import { cleanText, writtenTime } from "./intervention-text.ts";
import type { TripSite } from "./trip.ts";
import { wording } from "./trip-text.ts";

/*
 * The notes of an intervention: texts of users, unchanged, and one line for each zone. A zone's line is replaced in place
 * when the zone trips again or is restored. If a user has edited the line, the zone gets a new one. Lines are in the order of
 * the first openings.
 */

/**
 * Maximum length of the notes with the zones' lines, in code points: 4,000 of the API minus the longest marker, which the
 * sync appends.
 */
export const NOTES_LENGTH_MAX = 3_900;

/** Notes with the lines of zones, and the zones with their current lines. */
export interface NotesUpdate {
  readonly notes: string;
  readonly zones: readonly IncidentZone[];
}

/**
 * Adds or replaces the lines of changed zones in the notes. If space is short, all lines shrink to time, name and count.
 * @param zones of the incident, before the change
 * @param changed zones that have tripped or were restored, or whose time has become known
 * @returns undefined if even short lines do not fit
 */
export function withZoneLines(
  notes: string | null,
  zones: readonly IncidentZone[],
  changed: readonly IncidentZone[],
  site: TripSite,
): NotesUpdate | undefined {
  const all = changed.reduce(withZone, zones);
  const changedIds = new Set(changed.map(({ zoneId }) => zoneId));
  for (const isShort of [false, true]) {
    let written = notes ?? "";
    const lines = new Map(all.map((zone) => [zone.zoneId, zone.line]));
    const zonesWithLine = all.map((zone) => {
      if (!changedIds.has(zone.zoneId) && !(isShort && zone.line !== null)) return zone;
      const plain = formatZoneLine(zone, all, site, isShort);
      const isDuplicate = all.some((other) => other.zoneId !== zone.zoneId && other.line === plain);
      const line = isDuplicate ? `${plain} [${zone.zoneId}]` : plain;
      written = withLine(written, zone.line, line, linesAfter(zone, all, lines));
      lines.set(zone.zoneId, line);
      return line === zone.line ? zone : { ...zone, line };
    });
    if ([...written].length <= NOTES_LENGTH_MAX) return { notes: written, zones: zonesWithLine };
  }
  return undefined;
}

/**
 * The lines of zones that tripped after this one: the zone that opened an incident gets its own line only at its restore.
 * Times of two boots compare only if both are known.
 */
function linesAfter(
  { first }: IncidentZone,
  all: readonly IncidentZone[],
  lines: ReadonlyMap<string, string | null>,
): string[] {
  return all.flatMap((other) => {
    const line = lines.get(other.zoneId) ?? null;
    const isComparable = first.bootId === other.first.bootId || (first.isDated && other.first.isDated);
    return line !== null && isComparable && elapsedMs(first, other.first) > 0 ? [line] : [];
  });
}

/**
 * Replaces an older line of a text. A line without an older one is inserted before the first of `following`; otherwise, and if a
 * person has changed the older one, it is appended.
 */
export function withLine(
  text: string,
  older: string | null,
  line: string,
  following: readonly string[] = [],
): string {
  if (text === "") return line;
  const lines = text.split("\n");
  if (lines.includes(line)) return text;
  if (older !== null && lines.includes(older)) return lines.with(lines.indexOf(older), line).join("\n");
  const place = older === null ? lines.findIndex((one) => following.includes(one)) : -1;
  return lines.toSpliced(place < 0 ? lines.length : place, 0, line).join("\n");
}

/**
 * Whether a line of the notes is that of a zone, as `formatZoneLine` writes it. A longer name that begins with the same words
 * is another zone.
 */
export function hasZoneLine(notes: string | null, name: string): boolean {
  const own = cleanText(name);
  return (notes ?? "").split("\n").some((line) => {
    const afterTime = line.replace(LINE_TIME, "");
    return afterTime !== line && afterTime.startsWith(own) && AFTER_NAME.test(afterTime.slice(own.length));
  });
}

/** Whether a line of the notes begins as that of a zone. */
export function isZoneLine(line: string): boolean {
  return LINE_TIME.test(line);
}

/** As `timeOf` writes it, also in notes from before Romanian had its own dates. */
const LINE_TIME = /^(?:(?:\d{4}-\d\d-\d\d |\d\d\.\d\d )?\d\d:\d\d|\?\?:\?\?) /;
/** What follows a name: nothing, a remark or an id, a number of openings, the time of the last one or of the restore. */
const AFTER_NAME = /^(?:$|,| (?:\(|\[|×|→))/;

/** A zone's line: `03:27 Front door ×14 → 03:41, restored 03:44`; short: `03:27 Front door ×14`. */
export function formatZoneLine(
  zone: IncidentZone,
  all: readonly IncidentZone[],
  site: TripSite,
  isShort = false,
): string {
  const texts = wording(site.locale);
  const { zoneId, name, remark, first, last, openings, closed } = zone;
  const firstDay = dayOf(all[0]?.first ?? first, site);
  const at = (stamp: NoteTimestamp): string => timeOf(stamp, firstDay, site);
  // Two zones may have the same name.
  const isAmbiguous = all.some((other) => other.name === name && other.zoneId !== zoneId);
  const head = `${at(first)} ${isAmbiguous ? `${name} (${zoneId})` : name}`;
  const count = openings > 1 ? ` ×${openings}` : "";
  if (isShort) return cleanText(`${head}${count}`);
  const until = openings > 1 && at(last) !== at(first) ? ` → ${at(last)}` : "";
  const remarkText = remark === "" ? "" : ` (${remark})`;
  const end = closed === null ? "" : `, ${texts.closed} ${at(closed)}`;
  return cleanText(`${head}${remarkText}${count}${until}${end}`).replaceAll("\n", " ");
}

/** Hours and minutes, with the date if it differs from that of the first opening; in Romanian without the year: `21.11 03:41`. */
function timeOf(stamp: NoteTimestamp, firstDay: string, { locale, timezone }: TripSite): string {
  if (!stamp.isDated) return "??:??";
  const local = formatLocal(stamp.wallMs, timezone).slice(0, 16);
  if (firstDay === "" || local.startsWith(firstDay)) return local.slice(11);
  return writtenTime(local, locale).replace(/\.\d{4} /, " ");
}

function dayOf(stamp: NoteTimestamp, { timezone }: TripSite): string {
  return stamp.isDated ? (formatLocal(stamp.wallMs, timezone).split("T")[0] ?? "") : "";
}
