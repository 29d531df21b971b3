import { parseDateTime } from "./calendar.ts";
import { INTERVENTION_FIELDS } from "./intervention.ts";
import { markersIn } from "./marker.ts";
import type { UpstreamRecord } from "./merge.ts";
import type { InFlightValues } from "./outbox.ts";

/** A record of the centre with the id that makes it one. */
export type MatchCandidate = UpstreamRecord & { readonly id: number };

/** What a search looks for. */
export interface SearchTarget {
  readonly marker: string;
  /** The body that was sent. */
  readonly sent: UpstreamRecord;
  /** Whether the marker is to be found there: that body carried it, and the centre is not known to lose it. */
  readonly isMarked: boolean;
  /** The centre's highest id before the first send; null where what is above it is not demonstrably newer. */
  readonly madeAfter: number | null;
}

/** Whether a record of the centre carries this marker, in whichever text. */
export function carriesMarker({ notes, description }: UpstreamRecord, marker: string): boolean {
  return [notes, description].some((text) => typeof text === "string" && text.includes(marker));
}

/**
 * Which of the centre's records are the sought one. By the marker; where a dispatcher has removed it or none was sent,
 * by objective, name and start among records that nobody claims and that were made after the first send.
 * @param isTaken whether a record there is already another one's here
 */
export function findMatches(
  rows: readonly MatchCandidate[],
  { marker, sent, isMarked, madeAfter }: SearchTarget,
  isTaken: (row: MatchCandidate) => boolean,
): MatchCandidate[] {
  const free = rows.filter((row) => !isTaken(row));
  const marked = free.filter((row) => carriesMarker(row, marker));
  if (marked.length > 0 || madeAfter === null) return marked;
  // Without a start two calls to one address look alike, so only a site that has no marker at all relies on it.
  if (isMarked && (sent["dateStart"] ?? null) === null) return [];
  return free.filter(
    (row) => row.id > madeAfter && markersIn(row).length === 0 && hasSameFingerprint(row, sent),
  );
}

/**
 * The one of several that is kept: where a dispatcher has worked on one, that one, else the oldest.
 * @param known what we sent, and what we have here
 */
export function chooseSurvivor(
  matches: readonly MatchCandidate[],
  known: readonly UpstreamRecord[],
  inFlightValues: InFlightValues,
): MatchCandidate | undefined {
  const byAge = [...matches].sort((a, b) => a.id - b.id);
  return byAge.find((row) => !hasOnlyKnownValues(row, known, inFlightValues)) ?? byAge[0];
}

/**
 * Whether a record there holds nothing but what is known elsewhere: then removing it takes nothing from anybody. An
 * invoice is never known elsewhere, unless the record that is kept has the same.
 * @param known what we sent, what we have here, and the centre's record that is kept
 * @param inFlightValues what we sent later
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

/** What is known here of a record that the centre has. */
export interface KnownRecord {
  readonly marker: string;
  /** The centre's record as it was last seen, or as it was sent. */
  readonly base: UpstreamRecord;
  /** The centre's highest id before the first send; null or 0 where that is not known. */
  readonly watermark: number | null;
}

/**
 * - `ours`: demonstrably. `anothers`: never adopted, changed or deleted.
 * - `unclear`: a dispatcher has rewritten our text, or the id was given again to a call of the same name. It is left
 *   alone until its reference or a person tells.
 */
export type Identity = "ours" | "unclear" | "anothers";

/**
 * Whose the record under a known id is. After a deletion or a restore the same id can be another's, and people type in
 * records that are alike in every field that is likely.
 */
export function identityOf(row: MatchCandidate, { marker, base, watermark }: KnownRecord): Identity {
  if (carriesMarker(row, marker)) return "ours";
  const isOlder = row.id <= (watermark ?? 0);
  const isElsewhere = OBJECTIVE.some(
    (field) => row[field] !== undefined && !isSameValue(row[field], base[field]),
  );
  if (markersIn(row).length > 0 || isOlder || isElsewhere) return "anothers";
  const bare = carriesMarker(base, marker) ? "lost its reference" : "never had one";
  return LOOKS[bare][isSameValue(row["name"], base["name"]) ? "same" : "another"][startOf(row, base)];
}

/** Whose a record of our objective without any reference is, by its name and its start. Total. */
export const LOOKS: Readonly<
  Record<"lost its reference" | "never had one", Record<"same" | "another", Record<Start, Identity>>>
> = {
  "lost its reference": {
    same: { same: "ours", none: "unclear", another: "unclear" },
    another: { same: "ours", none: "anothers", another: "anothers" },
  },
  // The centre does not keep our reference, so nothing better is to be had.
  "never had one": {
    same: { same: "ours", none: "ours", another: "ours" },
    another: { same: "ours", none: "anothers", another: "anothers" },
  },
};

type Start = "same" | "none" | "another";

function startOf(row: UpstreamRecord, base: UpstreamRecord): Start {
  if (!isSameValue(row["dateStart"], base["dateStart"])) return "another";
  return (base["dateStart"] ?? "") === "" ? "none" : "same";
}

/** What a record of the centre, whosever it is, is known by when it is seen again. */
export function recordFingerprint(row: UpstreamRecord): UpstreamRecord {
  const marker = markersIn(row)[0] ?? null;
  return { marker, ...Object.fromEntries(FINGERPRINT.map((field) => [field, row[field] ?? null])) };
}

/**
 * Whether a record of the centre is the one with these traits.
 * @returns `another` only where it bears another reference, because a dispatcher can have changed everything else
 */
export function compareFingerprints(
  row: UpstreamRecord,
  traits: UpstreamRecord,
): "same" | "unlike" | "another" {
  const markers = markersIn(row);
  const { marker } = traits;
  if (typeof marker === "string" && markers.length > 0) return markers.includes(marker) ? "same" : "another";
  return hasSameFingerprint(row, traits) ? "same" : "unlike";
}

const OBJECTIVE = ["objectiveType", "objectiveId"] as const;
const FINGERPRINT = [...OBJECTIVE, "name", "dateStart"] as const;

function hasSameFingerprint(row: UpstreamRecord, sent: UpstreamRecord): boolean {
  return FINGERPRINT.every((field) => isSameValue(row[field], sent[field]));
}

/** A centre may write an instant in another way, trim a text, and write nothing as null or as an empty text. */
function isSameValue(one: unknown, other: unknown): boolean {
  const [here, there] = [one ?? "", other ?? ""];
  if (here === there) return true;
  if (typeof here !== "string" || typeof there !== "string") return false;
  if (here.trim() === there.trim()) return true;
  // Without an offset both are meant in the same zone, whichever that is.
  const [hereMs, thereMs] = [here, there].map((text) => parseDateTime(text, "UTC"));
  return hereMs !== undefined && hereMs === thereMs;
}
