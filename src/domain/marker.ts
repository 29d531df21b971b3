import type { InterventionFields } from "./intervention.ts";

export type MarkerField = "notes" | "description" | "off";

/** `[ref:<site>-<key>]`: the text by which a site finds its own records at the centre. */
export function markerOf(siteRef: string, key: string): string {
  return `[ref:${siteRef}-${key}]`;
}

/** The fields as sent to the centre, with the marker as the last line of the chosen field. */
export function withMarker(
  fields: InterventionFields,
  field: MarkerField,
  marker: string,
): InterventionFields {
  if (field === "off") return fields;
  const text = fields[field];
  if (text === null || text === "") return { ...fields, [field]: marker };
  // The centre's length limit is unknown; within the local one, the marker must not be what exceeds it.
  const room = TEXT_LENGTH_MAX - marker.length - 1;
  const characters = [...text];
  // A longer text is the centre's own, which it has stored.
  const isTheirs = characters.length > TEXT_LENGTH_MAX;
  const kept = characters.length <= room || isTheirs ? text : characters.slice(0, room).join("");
  return { ...fields, [field]: `${kept}\n${marker}` };
}

/** A record without these markers in its texts; a text is null if nothing else is left. */
export function withoutMarkers<T extends Readonly<Record<string, unknown>>>(
  record: T,
  markers: readonly string[],
): T {
  return withTexts(record, (text) => markers.reduce<string | null>(withoutMarker, text));
}

/** A record whose texts have the line ends of this site: a form in a browser saves others, which would change every line. */
export function withLineFeeds<T extends Readonly<Record<string, unknown>>>(record: T): T {
  return withTexts(record, (text) => text.replaceAll("\r\n", "\n"));
}

function withTexts<T extends Readonly<Record<string, unknown>>>(
  record: T,
  change: (text: string) => string | null,
): T {
  const texts = (["notes", "description"] as const).flatMap((field) => {
    const text = record[field];
    return typeof text === "string" ? [[field, change(text)] as const] : [];
  });
  return { ...record, ...Object.fromEntries(texts) };
}

/** A text from the centre without this record's marker; null if nothing else is left. */
export function withoutMarker(text: string | null, marker: string): string | null {
  if (text === null || !text.includes(marker)) return text;
  const rest = text.replace(`\n${marker}`, "").replace(marker, "");
  return rest === "" ? null : rest;
}

/** The markers of any site in a record of the centre. */
export function markersIn({ notes, description }: Readonly<Record<string, unknown>>): string[] {
  return [notes, description].flatMap((text) =>
    typeof text === "string" ? [...text.matchAll(MARKER)].map(([marker]) => marker) : [],
  );
}

/** The markers of a record that have this key, whatever the reference of the site was when they were added. */
export function markersWith(key: string, record: Readonly<Record<string, unknown>>): string[] {
  return markersIn(record).filter((marker) => marker.endsWith(`-${key}]`));
}

/** The key in a marker if it is a UUID, which no two records have, whatever their sites are called. */
export function uuidIn(marker: string): string | undefined {
  const key = marker.slice(-37, -1);
  return UUID.test(key) ? key : undefined;
}

/** Whether two markers with UUIDs have the same reference of a site. */
export function isOfSameSite(one: string, other: string): boolean {
  const [ref, otherRef] = [one, other].map((marker) =>
    uuidIn(marker) === undefined ? undefined : marker.slice(0, -37),
  );
  return ref !== undefined && ref === otherRef;
}

/**
 * The key of a record with this site's marker. Sites may be called `hall` and `hall-2`, so only a UUID is accepted as
 * key: `[ref:hall-2-…]` is not a marker of `hall`.
 * @returns undefined for records of other sites, and for keys that are not UUIDs
 */
export function ownKeyIn(record: Readonly<Record<string, unknown>>, siteRef: string): string | undefined {
  const start = markerOf(siteRef, "").slice(0, -1);
  return markersIn(record)
    .filter((marker) => marker.startsWith(start))
    .map((marker) => marker.slice(start.length, -1))
    .find((key) => UUID.test(key));
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Not across the beginning of another one: a text of thousands of beginnings is read once. */
const MARKER = /\[ref:(?:[^[\]\s]|\[(?!ref:))+\]/g;

/** Maximum code points of a text field (schemas/intervention.json, Text). */
const TEXT_LENGTH_MAX = 4000;
