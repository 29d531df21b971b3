import type { ListPresence } from "../../domain/absence.ts";
import { LARGE_BYTES } from "../../client/response-body.ts";
import { ListReading, type Watermark } from "../../domain/list-reading.ts";
import type { UpstreamRecord } from "../../domain/merge.ts";
import type { OutboxEntry } from "../../domain/outbox.ts";
import type { MatchCandidate } from "../../domain/match-candidate.ts";
import { recordFingerprint } from "../../domain/record-fingerprint.ts";
import type { Turn } from "../list-turns.ts";
import type { ReadOutcome } from "../reply-classification.ts";
import type { UpstreamClient } from "../upstream-client.ts";
import { bytesOf } from "../upstream-records.ts";
import { itemsOf } from "../wrapped-body.ts";
import { CHANGING, INCOMPLETE_LISTS, NO_IDS, NO_PAGES, TOO_MANY, UNREAD } from "./last-codes.ts";
import { isMatchCandidate, lacksIds, readByParts, readOtherEnd, readSingly } from "./pageless-list.ts";

/** Watermark of a search through all records. */
export const NO_WATERMARK: Watermark = { id: 0, rowFingerprint: {} };
/** The same where a record of ours cannot be identified by its id. */
export const UNKNOWN_WATERMARK: Watermark = { id: 0, rowFingerprint: null };

/** The watermark down to which the record of an attempt can be. */
export function watermarkOf({ watermark, watermarkFingerprint }: OutboxEntry): Watermark {
  return {
    id: watermark ?? 0,
    rowFingerprint:
      watermarkFingerprint === null ? null : (JSON.parse(watermarkFingerprint) as UpstreamRecord),
  };
}

/** The result of a search through the centre's records. */
export type SearchOutcome =
  | {
      readonly kind: "complete";
      /** Every record above the watermark, and those below it that may have been created since. */
      readonly rows: readonly MatchCandidate[];
      /** Whether the watermark's id now belongs to another record: the centre was restored from a backup. */
      readonly isRestored: boolean;
    }
  | Undetermined;

/** The list is incomplete: a record that was not found may still be there. */
interface Undetermined {
  readonly kind: "undetermined";
  /** The rows that were read. */
  readonly seen: readonly MatchCandidate[];
  readonly outcome: ReadOutcome;
}

/** Maximum pages: a week of a busy dispatch centre. */
const PAGES_MAX = 400;

/** The first record when sorted by id, descending. */
export interface Top {
  /** Id 0 if the centre has no record. */
  readonly watermark: Watermark;
  /** As listed; undefined without one. */
  readonly row?: MatchCandidate;
  /** False for a centre that ignores the order: higher ids exist. */
  readonly isHighest: boolean;
}

/** Reads the centre's highest id, or gives the reason why it is unavailable. */
export async function readTop(centre: UpstreamClient): Promise<Top | { outcome: ReadOutcome }> {
  // The second row shows whether the list is sorted.
  const outcome = await centre.newest(0, 2);
  const items = itemsOf(outcome.value);
  if (!items) return { outcome };
  const [first, second] = items.filter(isMatchCandidate);
  if (!first) return { watermark: NO_WATERMARK, isHighest: true };
  const isHighest = centre.habits.isOrdered && first.id > (second?.id ?? 0);
  return {
    watermark: { id: first.id, rowFingerprint: isHighest ? recordFingerprint(first) : null },
    row: first,
    isHighest,
  };
}

/** Reads the highest id, also from a centre that ignores the order; that list is read completely. */
export async function readHighestId(
  centre: UpstreamClient,
): Promise<{ topId: number } | { outcome: ReadOutcome }> {
  const top = await readTop(centre);
  if ("outcome" in top) return top;
  if (top.isHighest) return { topId: top.watermark.id };
  const found = await recordsAbove(centre, NO_WATERMARK);
  if (found.kind === "undetermined") return found;
  return { topId: found.rows.reduce((highest, { id }) => Math.max(highest, id), 0) };
}

/**
 * Reads the centre's records from the newest down to the watermark, and further if the centre may have been
 * restored since. No filters are used: a dispatcher may have changed any field. A list that ends before the
 * watermark is read twice. A list without paging is read once as a whole. A list that cannot be proved complete is
 * undetermined.
 */
export function recordsAbove(centre: UpstreamClient, lowest: Watermark): Promise<SearchOutcome> {
  const { habits, isUrgent } = centre;
  // A centre that ignores pages sends the whole list for any watermark.
  const isWhole = lowest.id === 0 || habits.rowsMax > habits.pageRows;
  const name = isWhole ? "records" : undefined;
  return centre.limits.run((turn) => search(centre, lowest, turn), { isUrgent, name });
}

/** @returns undefined if it has given way, or the rows are large and no more than small ones are allowed */
async function search(
  centre: UpstreamClient,
  lowest: Watermark,
  turn: Turn,
): Promise<SearchOutcome | undefined> {
  const watermark = centre.habits.areIdsOrdered ? lowest : UNKNOWN_WATERMARK;
  const first = await readOnce(centre, watermark, turn);
  if (first === undefined || "outcome" in first) return first;
  if (first.end === "repeats") return readWhole(centre, watermark, { page: first.reading, turn });
  if (first.end === "reached" || first.reading.hasTotal) return complete(first.reading);
  // Only its ids are compared: two lists at a time may be too large for the memory.
  const earlierIds = first.reading.takeIds();
  const second = await readOnce(centre, watermark, turn);
  if (second === undefined || "outcome" in second) return second;
  if (second.end === "repeats") return readWhole(centre, watermark, { page: second.reading, turn });
  const isComplete =
    second.end === "reached" || second.reading.hasTotal || second.reading.agreesWith(earlierIds);
  return isComplete
    ? complete(second.reading)
    : undetermined(CHANGING, "two reads of the centre's list differ", second.reading);
}

/** Looks up one id in the list, for a record that a read by id does not find. */
export async function findInList(centre: UpstreamClient, id: number): Promise<ListPresence> {
  const part = await recordsAbove(centre, { id: id - 1, rowFingerprint: null });
  if (part.kind === "undetermined") return "undetermined";
  if (part.rows.some((row) => row.id === id)) return "listed";
  if (part.rows.some((row) => row.id > id)) return "passed";
  // No higher id: only the complete list proves that it is missing.
  const whole = await recordsAbove(centre, NO_WATERMARK);
  if (whole.kind === "undetermined") return "undetermined";
  return whole.rows.some((row) => row.id === id) ? "listed" : "passed";
}

async function readOnce(
  centre: UpstreamClient,
  watermark: Watermark,
  { rowsBytesMax: bytesMax, mustGiveWay }: Turn,
): Promise<{ end: "reached" | "ended" | "repeats"; reading: ListReading } | Undetermined | undefined> {
  const reading = new ListReading(watermark, centre.habits.isOrdered);
  let bytes = 0;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    if (mustGiveWay()) return undefined;
    const { start } = reading;
    const outcome = await centre.page(start);
    // Some servers answer 404 after the last page; a stray one is found by the second reading.
    const isAfterEnd = start > 0 && outcome.code === "404" && outcome.link === "ok";
    const items = isAfterEnd ? [] : itemsOf(outcome.value);
    if (!items) return unread(outcome, reading);
    centre.habits.rowsMax = Math.max(centre.habits.rowsMax, items.length);
    const rows = items.filter(isMatchCandidate);
    bytes += bytesOf(rows);
    if (bytes > bytesMax && isSmall(bytesMax)) return undefined;
    const end = reading.take(rows, items.length, outcome.total);
    if (lacksIds(items, rows)) return withoutIds(reading);
    if (end === "ended") centre.habits.isOrdered = reading.isOrdered;
    if (end !== "more") return { end, reading };
    if (bytes > bytesMax) return tooLarge(centre, bytesMax, reading);
  }
  return undetermined(TOO_MANY, `the centre has more than ${PAGES_MAX} pages of newer records`, reading);
}

/**
 * Reads the list of a centre that ignores paging: without page parameters, and in parts if that may be only a page. Its total
 * proves nothing: it may be that of the page.
 */
async function readWhole(
  centre: UpstreamClient,
  watermark: Watermark,
  { page, turn }: { page: ListReading; turn: Turn },
): Promise<SearchOutcome | undefined> {
  const { rowsBytesMax: bytesMax, mustGiveWay } = turn;
  const pageSize = page.rows.length;
  // The whole list has the same rows: a large page is not kept beside it.
  if (bytesOf(page.rows) > LARGE_BYTES) page.takeIds();
  const outcome = await centre.newest(0);
  const items = itemsOf(outcome.value);
  if (!items) return unread(outcome, page);
  const rows = items.filter(isMatchCandidate);
  if (lacksIds(items, rows)) return withoutIds(page);
  if (bytesOf(rows) > bytesMax) return isSmall(bytesMax) ? undefined : tooLarge(centre, bytesMax, page);
  centre.habits.rowsMax = Math.max(centre.habits.rowsMax, items.length);
  const reading = new ListReading(watermark, centre.habits.isOrdered);
  if (reading.take(rows, items.length) === "reached") return complete(reading);
  const fromBelow = await readOtherEnd(centre, rows);
  // Without an order only its length is left: longer than a page, so it is the whole list.
  const isWhole = fromBelow === "unordered" ? items.length > pageSize : fromBelow === "same";
  if (isWhole) return complete(reading);
  if (mustGiveWay()) return undefined;
  const parts = await readByParts(centre, rows, centre.habits.rowsMax, bytesMax - bytesOf(rows));
  if (parts.kind === "failed") return unread(parts.outcome, page);
  if (parts.kind === "cut" && parts.isTooLarge === true && isSmall(bytesMax)) return undefined;
  if (parts.kind === "whole") {
    const whole = new ListReading(watermark);
    whole.take(parts.rows, parts.rows.length);
    return complete(whole);
  }
  const reason = "the dispatch centre returns the same page for every request, so other records may exist";
  const single = await readSingly(centre, watermark.id);
  const seen = new Map([...rows, ...page.rows, ...parts.rows, ...single].map((row) => [row.id, row]));
  return { kind: "undetermined", outcome: { link: "ok", code: NO_PAGES, reason }, seen: [...seen.values()] };
}

/** Whether this is the limit of lists of which several may be read at once. */
function isSmall(bytesMax: number): boolean {
  return bytesMax === LARGE_BYTES;
}

function tooLarge(centre: UpstreamClient, bytesMax: number, reading: ListReading): Undetermined {
  centre.limits.noteTooLarge(bytesMax);
  const limit = `${bytesMax / 1024 / 1024} MiB`;
  return undetermined(TOO_MANY, `the centre's newer records take more than ${limit} of memory`, reading);
}

function complete(reading: ListReading): SearchOutcome {
  return { kind: "complete", rows: reading.newer, isRestored: reading.isRestored };
}

function undetermined(code: string, reason: string, { rows }: ListReading): Undetermined {
  return { kind: "undetermined", outcome: { link: "ok", code, reason }, seen: rows };
}

/** A page that was not read: the link is down, or the list fails each time and a person has to decide. */
function unread(outcome: ReadOutcome, { rows }: ListReading): Undetermined {
  return { kind: "undetermined", outcome: outcome.link === "ok" ? asUnread(outcome) : outcome, seen: rows };
}

/** The outcome of an incomplete list for a link that is up. */
export function asUnread(outcome: ReadOutcome): ReadOutcome {
  if (INCOMPLETE_LISTS.has(outcome.code)) return outcome;
  return { link: "ok", code: UNREAD, reason: `the centre's list cannot be read: ${outcome.reason}` };
}

function withoutIds(reading: ListReading): Undetermined {
  return undetermined(NO_IDS, "records in the centre's list have no numeric id", reading);
}
