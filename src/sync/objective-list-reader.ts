import type { ObjectiveType } from "../domain/objective.ts";
import type { ReadOutcome } from "./reply-classification.ts";
import type { PageReader } from "./page-reader.ts";

/** What reading one of the centre's lists of objectives has brought. */
export type ListReadResult =
  /** The list to its end: each description as JSON, by id. */
  | { readonly kind: "complete"; readonly rows: ReadonlyMap<number, string> }
  /** Not all of it could be read, so nothing is known of what was not seen. */
  | { readonly kind: "unfinished"; readonly outcome: ReadOutcome };

export interface ListWalkSteps {
  /** Asked before each page; false ends the walk. */
  readonly mayGoOn: () => Promise<boolean>;
  /** Told after each page. @param rows how many objectives have been read so far */
  readonly onPage: (rows: number, outcome: ReadOutcome) => void;
}

/** Code of a walk that was ended before its end. */
export const INTERRUPTED = "INTERRUPTED";

/** Rows asked for at once; the centre may give fewer. */
const PAGE_ROWS = 200;
/** So many pages are read at most, also from a centre that gives seven rows at once. */
const PAGES_MAX = 2_000;
/** So many objectives are kept of one list: they are sorted and searched in memory, which takes a Pi 0.1 s. */
const ROWS_MAX = 10_000;
/** And so many characters of it, for descriptions that are longer than a building's. */
const CHARACTERS_MAX = 16 * 1024 * 1024;
/** Rows that are asked for twice: objectives deleted while paging shift the rest up. */
const OVERLAP_ROWS = 2;
/** So many pages without anything new are the end: this centre knows no pages, or its `_end` is not what we think. */
const STALE_PAGES_MAX = 3;

/** Reads one list from its beginning to its end. The interface promises no order, no page size and no total. */
export async function readList(
  pages: Pick<PageReader, "read">,
  type: ObjectiveType,
  { mayGoOn, onPage }: ListWalkSteps,
): Promise<ListReadResult> {
  const rows = new Map<number, string>();
  let characters = 0;
  let start = 0;
  let stale = 0;
  let received = 0;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    if (!(await mayGoOn())) return unfinished(INTERRUPTED, "the link rests");
    const read = await pages.read(`/${type}?_start=${start}&_end=${start + PAGE_ROWS}`);
    const { outcome } = read;
    if (read.kind === "failed") return { kind: "unfinished", outcome };
    if (read.kind === "whole") {
      onPage(read.rows.size, outcome);
      return { kind: "complete", rows: read.rows };
    }
    const { items, entries } = read;
    const before = rows.size;
    for (const [id, text] of entries) {
      characters += text.length - (rows.get(id)?.length ?? 0);
      rows.set(id, text);
    }
    // Behind the last rows come those that are asked for twice. An end without them is a fault in the middle of the list.
    const isEndExpected = page === 0 || stale > 0 || received <= OVERLAP_ROWS;
    if (items === 0 && !isEndExpected) return unfinished("TORN", "it ended in the middle");
    received = items;
    if (items > 0 && entries.length === 0) return unfinished("NO-IDS", "its rows have no number as id");
    if (rows.size > ROWS_MAX || characters > CHARACTERS_MAX)
      return unfinished(
        "TOO-MANY",
        `it has more than ${ROWS_MAX} objectives or ${CHARACTERS_MAX} characters`,
      );
    onPage(rows.size, outcome);
    stale = rows.size === before ? stale + 1 : 0;
    if (items === 0 || stale === STALE_PAGES_MAX || items > PAGE_ROWS + 1) return { kind: "complete", rows };
    start += stale > 0 ? items : Math.max(1, items - OVERLAP_ROWS);
  }
  return unfinished("TOO-MANY", `it has more than ${PAGES_MAX} pages`);
}

function unfinished(code: string, reason: string): ListReadResult {
  return { kind: "unfinished", outcome: { link: "ok", code, reason } };
}
