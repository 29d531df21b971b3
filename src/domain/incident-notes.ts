import { formatLocal } from "./calendar.ts";
import { withZone, type IncidentZone, type Stamp } from "./incident.ts";
import { cleanText } from "./intervention-text.ts";
import type { TripSite } from "./trip.ts";
import { wording } from "./trip-text.ts";

/*
 * The notes of an intervention: what people have written, byte for byte, and one line for each zone, which is replaced in
 * place when the zone opens again or closes. A line that a person has changed is no longer ours: the zone gets a new one.
 */

/**
 * Code points that the notes may have with our lines: the interface's 4,000 less the longest marker, which the sync adds
 * for the centre and which must never push a line out.
 */
export const NOTES_LENGTH_MAX = 3_900;

/** Notes with the line of a zone in them, and the zones with their lines as they are there. */
export interface Noted {
  readonly notes: string;
  readonly zones: readonly IncidentZone[];
}

/**
 * Puts the line of a changed zone into the notes. Where the room is short, all lines shrink to time, name and count.
 * @param zones of the incident, before the change
 * @param changed zones that have opened, closed, or whose time has become known
 * @returns undefined where even short lines leave no room
 */
export function withZoneLines(
  notes: string | null,
  zones: readonly IncidentZone[],
  changed: readonly IncidentZone[],
  site: TripSite,
): Noted | undefined {
  const all = changed.reduce(withZone, zones);
  const changedIds = new Set(changed.map(({ zoneId }) => zoneId));
  for (const isShort of [false, true]) {
    let written = notes ?? "";
    const lined = all.map((zone) => {
      if (!changedIds.has(zone.zoneId) && !(isShort && zone.line !== null)) return zone;
      const plain = lineOf(zone, all, site, isShort);
      const isTaken = all.some((other) => other.zoneId !== zone.zoneId && other.line === plain);
      const line = isTaken ? `${plain} [${zone.zoneId}]` : plain;
      written = withLine(written, zone.line, line);
      return line === zone.line ? zone : { ...zone, line };
    });
    if ([...written].length <= NOTES_LENGTH_MAX) return { notes: written, zones: lined };
  }
  return undefined;
}

/** Text with a line in the place of an older one; at its end where the older one is not there. */
export function withLine(text: string, older: string | null, line: string): string {
  if (text === "") return line;
  const lines = text.split("\n");
  if (lines.includes(line)) return text;
  const place = older === null ? -1 : lines.indexOf(older);
  return (place < 0 ? [...lines, line] : lines.with(place, line)).join("\n");
}

/** A zone's line: `03:27 Front door ×14 → 03:41, closed 03:44`; short: `03:27 Front door ×14`. */
export function lineOf(
  zone: IncidentZone,
  all: readonly IncidentZone[],
  site: TripSite,
  isShort = false,
): string {
  const words = wording(site.locale);
  const { zoneId, name, remark, first, last, openings, closed } = zone;
  const firstDay = dayOf(all[0]?.first ?? first, site);
  const at = (stamp: Stamp): string => timeOf(stamp, firstDay, site);
  // Two zones may have one name.
  const isAmbiguous = all.some((other) => other.name === name && other.zoneId !== zoneId);
  const who = `${at(first)} ${isAmbiguous ? `${name} (${zoneId})` : name}`;
  const often = openings > 1 ? ` ×${openings}` : "";
  if (isShort) return cleanText(`${who}${often}`);
  const until = openings > 1 && at(last) !== at(first) ? ` → ${at(last)}` : "";
  const why = remark === "" ? "" : ` (${remark})`;
  const end = closed === null ? "" : `, ${words.closed} ${at(closed)}`;
  return cleanText(`${who}${why}${often}${until}${end}`).replaceAll("\n", " ");
}

/** Hours and minutes, with the date where it is another one than that of the first opening. */
function timeOf(stamp: Stamp, firstDay: string, site: TripSite): string {
  if (!stamp.isDated) return "??:??";
  const [day = "", time = ""] = formatLocal(stamp.wallMs, site.timezone).split("T");
  return day === firstDay || firstDay === "" ? time.slice(0, 5) : `${day} ${time.slice(0, 5)}`;
}

function dayOf(stamp: Stamp, { timezone }: TripSite): string {
  return stamp.isDated ? (formatLocal(stamp.wallMs, timezone).split("T")[0] ?? "") : "";
}
