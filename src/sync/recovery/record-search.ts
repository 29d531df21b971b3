import type { ListPresence } from "../../domain/absence.ts";
import { ListReading, type Watermark } from "../../domain/list-reading.ts";
import type { UpstreamRecord } from "../../domain/merge.ts";
import type { OutboxEntry } from "../../domain/outbox.ts";
import type { MatchCandidate } from "../../domain/match-candidate.ts";
import { recordFingerprint } from "../../domain/record-fingerprint.ts";
import type { ReadOutcome } from "../reply-classification.ts";
import type { UpstreamClient } from "../upstream-client.ts";
import { bytesOf, ROWS_BYTES_MAX } from "../upstream-records.ts";
import { itemsOf } from "../wrapped-body.ts";
import { CHANGING, INCOMPLETE_LISTS, NO_IDS, NO_PAGES, TOO_MANY, UNREAD } from "./last-codes.ts";
import { isMatchCandidate, lacksIds, readByParts } from "./pageless-list.ts";

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
export async function recordsAbove(centre: UpstreamClient, lowest: Watermark): Promise<SearchOutcome> {
  const watermark = centre.habits.areIdsOrdered ? lowest : UNKNOWN_WATERMARK;
  const first = await readOnce(centre, watermark);
  if ("outcome" in first) return first;
  if (first.end === "repeats") return readWhole(centre, watermark, first.reading);
  if (first.end === "reached" || first.reading.hasTotal) return complete(first.reading);
  // Only its ids are compared: two lists at a time may be too large for the memory.
  const earlierIds = first.reading.takeIds();
  const second = await readOnce(centre, watermark);
  if ("outcome" in second) return second;
  if (second.end === "repeats") return readWhole(centre, watermark, second.reading);
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
): Promise<{ end: "reached" | "ended" | "repeats"; reading: ListReading } | Undetermined> {
  const reading = new ListReading(watermark, centre.habits.isOrdered);
  let bytes = 0;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { start } = reading;
    const outcome = await centre.page(start);
    // Some servers answer 404 after the last page; a stray one is found by the second reading.
    const isAfterEnd = start > 0 && outcome.code === "404" && outcome.link === "ok";
    const items = isAfterEnd ? [] : itemsOf(outcome.value);
    if (!items) return unread(outcome, reading);
    centre.habits.rowsMax = Math.max(centre.habits.rowsMax, items.length);
    const rows = items.filter(isMatchCandidate);
    const end = reading.take(rows, items.length, outcome.total);
    if (lacksIds(items, rows)) return withoutIds(reading);
    if (end === "ended") centre.habits.isOrdered = reading.isOrdered;
    if (end !== "more") return { end, reading };
    bytes += bytesOf(rows);
    if (bytes > ROWS_BYTES_MAX)
      return undetermined(TOO_MANY, "the texts of the centre's newer records have more than 32 MiB", reading);
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
  page: ListReading,
): Promise<SearchOutcome> {
  const outcome = await centre.newest(0);
  const items = itemsOf(outcome.value);
  if (!items) return unread(outcome, page);
  const rows = items.filter(isMatchCandidate);
  if (lacksIds(items, rows)) return withoutIds(page);
  centre.habits.rowsMax = Math.max(centre.habits.rowsMax, items.length);
  const reading = new ListReading(watermark, centre.habits.isOrdered);
  if (reading.take(rows, items.length) === "reached") return complete(reading);
  const fromBelow = await readOtherEnd(centre, rows);
  // Without an order only its length is left: longer than a page, so it is the whole list.
  const isWhole = fromBelow === "unordered" ? items.length > page.rows.length : fromBelow === "same";
  if (isWhole) return complete(reading);
  const parts = await readByParts(centre, rows, centre.habits.rowsMax);
  if (parts.kind === "failed") return unread(parts.outcome, page);
  if (parts.kind === "whole") {
    const whole = new ListReading(watermark);
    whole.take(parts.rows, parts.rows.length);
    return complete(whole);
  }
  const reason = "the dispatch centre returns the same page for every request, so other records may exist";
  const single = await readSingly(centre, watermark.id);
  const seen = new Map([...page.rows, ...parts.rows, ...single].map((row) => [row.id, row]));
  return { kind: "undetermined", outcome: { link: "ok", code: NO_PAGES, reason }, seen: [...seen.values()] };
}

/**
 * Reads the same list with the lowest id first. A centre that returns a page of a longer list shows other records then; the same
 * ones in the opposite order are the whole list, apart from newer ones.
 */
async function readOtherEnd(
  centre: UpstreamClient,
  down: readonly MatchCandidate[],
): Promise<"same" | "different" | "unordered"> {
  const up = (itemsOf((await centre.oldest()).value) ?? []).filter(isMatchCandidate);
  if (up.length === 0 || !rises(up) || !rises(down.toReversed())) return "unordered";
  const top = down[0]?.id ?? 0;
  const known = up.filter(({ id }) => id <= top);
  const isSame =
    known.length === down.length && known.every(({ id }, index) => id === down.at(-1 - index)?.id);
  return isSame ? "same" : "different";
}

function rises(rows: readonly MatchCandidate[]): boolean {
  return rows.every(({ id }, index) => index === 0 || id > (rows[index - 1]?.id ?? 0));
}

/** Ids read one by one: as many as a busy centre assigns while a response is late. */
const IDS_READ_MAX = 32;
/** Ids in a row without a record: deleted ones, or ids after the newest. */
const ABSENT_IN_A_ROW_MAX = 8;

/** Reads the ids directly above the watermark: a record that was posted since has one of them, whatever the list shows. */
async function readSingly(centre: UpstreamClient, watermarkId: number): Promise<MatchCandidate[]> {
  const rows: MatchCandidate[] = [];
  let absent = 0;
  for (let id = watermarkId + 1; id <= watermarkId + IDS_READ_MAX && absent < ABSENT_IN_A_ROW_MAX; id += 1) {
    const { value, link } = await centre.record(id);
    // A lost link answers none of the others either, and each would wait for its timeout.
    if (link !== "ok") break;
    const row = isMatchCandidate(value) && value.id === id ? value : undefined;
    absent = row ? 0 : absent + 1;
    if (row) rows.push(row);
  }
  return rows;
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
