import type { ListPresence } from "../domain/absence.ts";
import { ListReading, type Watermark } from "../domain/list-reading.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import { recordFingerprint, type MatchCandidate } from "../domain/match-candidate.ts";
import { itemsOf, type ReadOutcome } from "./reply-classification.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import { isMatchCandidate, readByParts } from "./pageless-list.ts";

/** Every record: before the first one there was none. */
export const NO_WATERMARK: Watermark = { id: 0, witness: {} };

/** Down to where an attempt can have arrived. */
export function watermarkOf({ watermark, watermarkFingerprint }: OutboxEntry): Watermark {
  return {
    id: watermark ?? 0,
    witness: watermarkFingerprint === null ? null : (JSON.parse(watermarkFingerprint) as UpstreamRecord),
  };
}

/** What a walk through the centre's records has brought. */
export type SearchOutcome =
  | {
      readonly kind: "complete";
      /** Every record above the watermark, and those below it that can have come in later. */
      readonly rows: readonly MatchCandidate[];
      /** Whether the watermark's id is another record's now: the centre was restored from a backup. */
      readonly isRestored: boolean;
    }
  | Undetermined;

/** Not all of it could be read: what was not seen may be there nevertheless. */
interface Undetermined {
  readonly kind: "undetermined";
  /** What was seen nevertheless. */
  readonly seen: readonly MatchCandidate[];
  readonly outcome: ReadOutcome;
}

/** Rows asked for at once; the centre may give fewer. */
const PAGE_ROWS = 100;
/** So many pages are read at most: a week of a busy centre. */
const PAGES_MAX = 400;

/** Why a list could not be read whole although the centre has answered: codes of a outcome. */
export const NO_PAGES = "NO-PAGES";
const CHANGING = "CHANGING";
const TOO_MANY = "TOO-MANY";
export const INCOMPLETE_LISTS: ReadonlySet<string> = new Set([NO_PAGES, CHANGING, TOO_MANY]);

/** The first of the centre's records when they are asked for from the highest id down. */
export interface Top {
  /** Id 0 when the centre has no record. */
  readonly watermark: Watermark;
  /** False for a centre that ignores the order: then there are higher ones. */
  readonly isHighest: boolean;
}

/** Reads the centre's highest id; with the reason when it cannot be had. */
export async function readTop(centre: UpstreamClient): Promise<Top | { outcome: ReadOutcome }> {
  // The second row shows whether the first is the highest at all.
  const outcome = await centre.read("/interventii?_sort=id&_order=DESC&_start=0&_end=2");
  const items = itemsOf(outcome.value);
  if (!items) return { outcome };
  const [first, second] = items.filter(isMatchCandidate);
  if (!first) return { watermark: NO_WATERMARK, isHighest: true };
  const isHighest = first.id > (second?.id ?? 0);
  return { watermark: { id: first.id, witness: isHighest ? recordFingerprint(first) : null }, isHighest };
}

/** The highest id also of a centre that ignores the order, which is read to its end for it. */
export async function readHighestId(
  centre: UpstreamClient,
): Promise<{ topId: number } | { outcome: ReadOutcome }> {
  const top = await readTop(centre);
  if ("outcome" in top) return top;
  if (top.isHighest) return { topId: top.watermark.id };
  const walk = await recordsAbove(centre, NO_WATERMARK);
  if (walk.kind === "undetermined") return walk;
  return { topId: walk.rows.reduce((highest, { id }) => Math.max(highest, id), 0) };
}

/**
 * Reads the centre's records from the newest down to the watermark, and on below it where the centre may have been
 * restored since. Filters are not used: a dispatcher may have changed whatever they would ask for. A list that only
 * ends is read twice, and one that knows no pages once as a whole: what cannot be shown to be all of it is undetermined.
 */
export async function recordsAbove(centre: UpstreamClient, watermark: Watermark): Promise<SearchOutcome> {
  const first = await readOnce(centre, watermark);
  if ("outcome" in first) return first;
  if (first.word === "repeats") return readWhole(centre, watermark, first.reading);
  if (first.word === "reached" || first.reading.hasTotal) return complete(first.reading);
  const second = await readOnce(centre, watermark);
  if ("outcome" in second) return second;
  const isSure =
    second.word === "reached" || second.reading.hasTotal || second.reading.agreesWith(first.reading);
  return isSure
    ? complete(second.reading)
    : undetermined(CHANGING, "two readings of the centre's list differ", second.reading);
}

/** What the centre's list says of one id, for a record that it does not show when asked for that id. */
export async function findInList(centre: UpstreamClient, id: number): Promise<ListPresence> {
  const part = await recordsAbove(centre, { id: id - 1, witness: null });
  if (part.kind === "undetermined") return "undetermined";
  if (part.rows.some((row) => row.id === id)) return "listed";
  if (part.rows.some((row) => row.id > id)) return "passed";
  // Nothing above it: then only the whole list says that it is not there.
  const whole = await recordsAbove(centre, NO_WATERMARK);
  if (whole.kind === "undetermined") return "undetermined";
  return whole.rows.some((row) => row.id === id) ? "listed" : "passed";
}

async function readOnce(
  centre: UpstreamClient,
  watermark: Watermark,
): Promise<{ word: "reached" | "ended" | "repeats"; reading: ListReading } | Undetermined> {
  const reading = new ListReading(watermark);
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { start } = reading;
    const outcome = await centre.read(
      `/interventii?_sort=id&_order=DESC&_start=${start}&_end=${start + PAGE_ROWS}`,
    );
    const items = itemsOf(outcome.value);
    if (!items) return { kind: "undetermined", outcome, seen: reading.rows };
    centre.rowsMax = Math.max(centre.rowsMax, items.length);
    const word = reading.take(items.filter(isMatchCandidate), items.length, outcome.total);
    if (word !== "more") return { word, reading };
  }
  return undetermined(TOO_MANY, `the centre has more than ${PAGES_MAX} pages of newer records`, reading);
}

/** The list of a centre that knows no pages, asked for without them, and in parts where that is a page as well. */
async function readWhole(
  centre: UpstreamClient,
  watermark: Watermark,
  page: ListReading,
): Promise<SearchOutcome> {
  const outcome = await centre.read("/interventii?_sort=id&_order=DESC");
  const items = itemsOf(outcome.value);
  if (!items) return { kind: "undetermined", outcome, seen: page.rows };
  const rows = items.filter(isMatchCandidate);
  const reading = new ListReading(watermark);
  const word = reading.take(rows, items.length, outcome.total);
  // Longer than the page, it is no page.
  if (word === "reached" || reading.hasTotal || items.length > page.rows.length) return complete(reading);
  const parts = await readByParts(centre, rows, centre.rowsMax);
  if (parts.kind === "failed") return { kind: "undetermined", outcome: parts.outcome, seen: page.rows };
  if (parts.kind === "whole") {
    const whole = new ListReading(watermark);
    whole.take(parts.rows, parts.rows.length);
    return complete(whole);
  }
  const reason =
    "the centre's list gives the same page whatever is asked for, so that what is not on it may be there";
  const seen = new Map([...page.rows, ...parts.rows].map((row) => [row.id, row]));
  return { kind: "undetermined", outcome: { link: "ok", code: NO_PAGES, reason }, seen: [...seen.values()] };
}

function complete(reading: ListReading): SearchOutcome {
  return { kind: "complete", rows: reading.newer, isRestored: reading.isRestored };
}

function undetermined(code: string, reason: string, { rows }: ListReading): Undetermined {
  return { kind: "undetermined", outcome: { link: "ok", code, reason }, seen: rows };
}
