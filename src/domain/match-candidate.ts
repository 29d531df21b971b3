import { parseDateTime } from "./calendar.ts";
import { INTERVENTION_FIELDS } from "./intervention.ts";
import { isOfSameSite, markersIn, markersWith, uuidIn } from "./marker.ts";
import type { UpstreamRecord } from "./merge.ts";
import type { InFlightValues } from "./outbox.ts";

/** A record of the centre with its id. */
export type MatchCandidate = UpstreamRecord & { readonly id: number };

/** What a search looks for. */
interface SearchTarget {
  readonly marker: string;
  /** The body as sent. */
  readonly sent: UpstreamRecord;
  /** Whether the marker is expected: the body contained it, and the centre is not known to drop it. */
  readonly isMarked: boolean;
  /** The centre's highest id before the first attempt; null if newer records cannot be identified by it. */
  readonly madeAfter: number | null;
}

/** Whether a record of the centre contains this marker in any text. */
export function carriesMarker({ notes, description }: UpstreamRecord, marker: string): boolean {
  return [notes, description].some((text) => typeof text === "string" && text.includes(marker));
}

/**
 * Whether a record of the centre is the one of a marker: it contains that, or its UUID with another reference of the site, as after
 * the restore of a backup that does not know with which one it was sent. Keys that clients choose are not unique.
 */
export function isMarkedAs(row: UpstreamRecord, marker: string): boolean {
  const key = uuidIn(marker);
  if (carriesMarker(row, marker)) return true;
  return key !== undefined && carriesMarker(row, `-${key}]`) && markersWith(key, row).length > 0;
}

/**
 * Finds a record among the centre's. By its marker; if a dispatcher has removed it or none was sent, by objective, name
 * and start among unclaimed records created after the first attempt.
 * @param isTaken whether a record there belongs to another record here
 */
export function findMatches(
  rows: readonly MatchCandidate[],
  { marker, sent, isMarked, madeAfter }: SearchTarget,
  isTaken: (row: MatchCandidate) => boolean,
): MatchCandidate[] {
  const free = rows.filter((row) => !isTaken(row));
  const marked = free.filter((row) => isMarkedAs(row, marker));
  if (marked.length > 0 || madeAfter === null) return marked;
  // Without a start two calls to one address look alike, so this applies only to a site without any marker. With a start,
  // a dispatcher's own record of the same name and second is of the same event: see decision 0007.
  if (isMarked && (sent["dateStart"] ?? null) === null) return [];
  return free.filter((row) => row.id > madeAfter && markersIn(row).length === 0 && isSameCall(row, [sent]));
}

/**
 * Chooses the copy to keep: one that a dispatcher has edited, otherwise the oldest. One with another objective, name or start
 * only without a better one: the reference may have been pasted into it.
 * @param known the body as sent and the local record
 */
export function chooseSurvivor(
  matches: readonly MatchCandidate[],
  known: readonly UpstreamRecord[],
  inFlightValues: InFlightValues,
): MatchCandidate | undefined {
  const oldestFirst = [...matches].sort((a, b) => a.id - b.id);
  const alike = oldestFirst.filter((row) => isSameCall(row, known, inFlightValues));
  const byAge = alike.length > 0 ? alike : oldestFirst;
  return byAge.find((row) => !hasOnlyKnownValues(row, known, inFlightValues)) ?? byAge[0];
}

/**
 * Whether a record there has only values that are known elsewhere, so that removing it loses nothing. An invoice is
 * known only if the record that is kept has the same one.
 * @param known the body as sent, the local record, and the centre's record that is kept
 * @param inFlightValues values sent later
 */
export function hasOnlyKnownValues(
  row: UpstreamRecord,
  known: readonly UpstreamRecord[],
  inFlightValues: InFlightValues,
): boolean {
  const isKnown = (field: string): boolean =>
    [...known.map((record) => record[field]), ...(inFlightValues[field] ?? [])].some((value) =>
      isSameValue(row[field], value),
    );
  const hasInvoice = (row["invoicePdf"] ?? "") !== "";
  return (
    INTERVENTION_FIELDS.every((field) => row[field] === undefined || isKnown(field)) &&
    (!hasInvoice || isKnown("invoicePdf"))
  );
}

/**
 * Whether a record there has the objective, name and start of one of these records, or values of them that were sent later. A
 * marker alone does not prove that a record was created by this site: dispatchers paste notes into records of their own.
 */
export function isSameCall(
  row: UpstreamRecord,
  known: readonly UpstreamRecord[],
  inFlightValues: InFlightValues = {},
): boolean {
  return known.some((record) =>
    FINGERPRINT.every((field) =>
      [record[field], ...(inFlightValues[field] ?? [])].some((value) => isSameValue(row[field], value)),
    ),
  );
}

/** Whether a record there has the objective, name and start of another, and the start is not empty. */
export function isSameEvent(row: UpstreamRecord, record: UpstreamRecord): boolean {
  return startOf(row, record) === "same" && isSameCall(row, [record]);
}

/** Whether a record there still has every value that an earlier read showed of it. */
export function isUnchanged(row: UpstreamRecord, earlier: UpstreamRecord): boolean {
  return [...INTERVENTION_FIELDS, "invoicePdf"].every(
    (field) => earlier[field] === undefined || isSameValue(row[field], earlier[field]),
  );
}

/** What was sent, with the values as a record there writes them where they are the same. */
export function asWritten(sent: UpstreamRecord, row: UpstreamRecord): UpstreamRecord {
  const written = ([field, value]: [string, unknown]): [string, unknown] => [
    field,
    row[field] !== undefined && isSameValue(row[field], value) ? row[field] : value,
  ];
  return Object.fromEntries(Object.entries(sent).map(written));
}

/**
 * Whether a record without any marker cannot be the one that was sent: it has another objective, or another name without the
 * same start. A missing field shows nothing, and a value of another type is another way of writing it.
 */
export function isUnlikeSent(row: UpstreamRecord, sent: UpstreamRecord): boolean {
  const differs = (field: string): boolean =>
    typeof row[field] === typeof sent[field] && !isSameValue(row[field], sent[field]);
  const hasSameStart = (row["dateStart"] ?? "") !== "" && isSameValue(row["dateStart"], sent["dateStart"]);
  return OBJECTIVE.some(differs) || (differs("name") && !hasSameStart);
}

/** Local knowledge of a record at the centre. */
export interface KnownRecord {
  readonly marker: string;
  /** The centre's record as last read, or as sent. */
  readonly base: UpstreamRecord;
  /** The centre's highest id before the first attempt; null or 0 if unknown. */
  readonly watermark: number | null;
}

/**
 * - `ours`: certain. `anothers`: never adopted, changed or deleted.
 * - `unclear`: a dispatcher has rewritten the text, or the id was reused for a similar call. It is not changed until its
 *   marker or an operator decides.
 */
type Identity = "ours" | "unclear" | "anothers";

/** Whether a record has the marker with which it was last read: the site had another reference when it was sent. */
function keepsFormerMarker(
  row: UpstreamRecord,
  { marker, base }: Pick<KnownRecord, "marker" | "base">,
): boolean {
  const former = markersIn(base);
  return !carriesMarker(base, marker) && markersIn(row).some((one) => former.includes(one));
}

/**
 * Whose record has a known id. After a deletion or a restore at the centre the id may belong to another record, and
 * dispatchers enter records that are alike in most fields.
 */
export function identityOf(row: MatchCandidate, { marker, base, watermark }: KnownRecord): Identity {
  if (isMarkedAs(row, marker) || keepsFormerMarker(row, { marker, base })) return "ours";
  const isOlder = row.id <= (watermark ?? 0);
  const isElsewhere = OBJECTIVE.some(
    (field) => row[field] !== undefined && !isSameValue(row[field], base[field]),
  );
  if (isOlder || isElsewhere) return "anothers";
  const markers = markersIn(row);
  // A dispatcher may have replaced its notes by those of another record of this site.
  const isPasted = isSameEvent(row, base) && markers.every((other) => isOfSameSite(other, marker));
  if (markers.length > 0) return isPasted && carriesMarker(base, marker) ? "ours" : "anothers";
  const bare = carriesMarker(base, marker) ? "lost its reference" : "never had one";
  return IDENTITY_WITHOUT_MARKER[bare][isSameValue(row["name"], base["name"]) ? "same" : "another"][
    startOf(row, base)
  ];
}

/** Identity of a record of the same objective without any marker, by its name and start. Complete. */
export const IDENTITY_WITHOUT_MARKER: Readonly<
  Record<"lost its reference" | "never had one", Record<"same" | "another", Record<Start, Identity>>>
> = {
  "lost its reference": {
    same: { same: "ours", none: "unclear", another: "unclear" },
    another: { same: "ours", none: "anothers", another: "anothers" },
  },
  // The centre drops the marker, so no better evidence exists.
  "never had one": {
    same: { same: "ours", none: "ours", another: "ours" },
    another: { same: "ours", none: "anothers", another: "anothers" },
  },
};

/** The part of a base by which `identityOf` identifies a record. */
export function identifyingPart(base: UpstreamRecord): UpstreamRecord {
  const traits = Object.fromEntries(FINGERPRINT.map((field) => [field, base[field]]));
  const markers = markersIn(base);
  return { ...traits, notes: markers.length > 0 ? markers.join(" ") : null };
}

type Start = "same" | "none" | "another";

function startOf(row: UpstreamRecord, base: UpstreamRecord): Start {
  if (!isSameValue(row["dateStart"], base["dateStart"])) return "another";
  return (base["dateStart"] ?? "") === "" ? "none" : "same";
}

/** Whether nothing that a row shows of its objective, name and start differs from a record as last known. */
export function isShownAs(row: UpstreamRecord, base: UpstreamRecord): boolean {
  return FINGERPRINT.every((field) => row[field] === undefined || isSameValue(row[field], base[field]));
}

/** Whether nothing that a row shows differs from a record as last read. */
export function isShownUnchanged(row: UpstreamRecord, base: UpstreamRecord): boolean {
  return Object.entries(shownValues(row)).every(
    ([field, value]) => base[field] === undefined || isSameValue(value, base[field]),
  );
}

/** The values that a row shows of the fields that dispatchers change. */
export function shownValues(row: UpstreamRecord): UpstreamRecord {
  const shown = CHANGED_THERE.filter((field) => row[field] !== undefined);
  return Object.fromEntries(shown.map((field) => [field, row[field]]));
}

const CHANGED_THERE = [...INTERVENTION_FIELDS, "invoicePdf", "dispeceratId"];
const OBJECTIVE = ["objectiveType", "objectiveId"] as const;
/** The fields that tell one call from another. */
export const FINGERPRINT = [...OBJECTIVE, "name", "dateStart"] as const;

/** Ignores differences in date format and surrounding space, and between null and an empty text. */
function isSameValue(one: unknown, other: unknown): boolean {
  const [here, there] = [one ?? "", other ?? ""];
  if (here === there) return true;
  if (typeof here !== "string" || typeof there !== "string") return false;
  if (here.trim() === there.trim()) return true;
  // Without an offset both are in the same zone.
  const [hereMs, thereMs] = [here, there].map((text) => parseDateTime(text, "UTC"));
  return hereMs !== undefined && hereMs === thereMs;
}
