import type { Sighting } from "../domain/sighting.ts";
import { itemsOf, type ReadVerdict } from "./answer.ts";
import type { Centre } from "./centre.ts";

/** What a walk through the centre's records has brought. */
export type Walk =
  /** Every record above the watermark. */
  | { readonly kind: "complete"; readonly rows: readonly Sighting[] }
  /** Not all of it could be read: what was not seen may be there nevertheless. */
  | { readonly kind: "undetermined"; readonly verdict: ReadVerdict };

/** Rows asked for at once; the centre may give fewer. */
const PAGE_ROWS = 100;
/** So many pages are read at most: a week of a busy centre. */
const PAGES_MAX = 400;
/** Rows that are asked for twice: records deleted while paging shift the rest up. */
const OVERLAP_ROWS = 2;
/** So many pages without anything new are the end: this centre knows no pages. */
const STALE_PAGES_MAX = 3;

/** The first of the centre's ids when they are asked for from the highest down. */
export interface Top {
  /** 0 when the centre has no record. */
  readonly topId: number;
  /** False for a centre that ignores the order: then there are higher ones. */
  readonly isHighest: boolean;
}

/** Reads the centre's highest id; with the reason when it cannot be had. */
export async function topIdOf(centre: Centre): Promise<Top | { verdict: ReadVerdict }> {
  // The second row shows whether the first is the highest at all.
  const verdict = await centre.read("/interventii?_sort=id&_order=DESC&_start=0&_end=2");
  const items = itemsOf(verdict.value);
  if (!items) return { verdict };
  const [first = 0, second = -1] = items.filter(isSighting).map(({ id }) => id);
  return { topId: first, isHighest: first > second };
}

/** The same also of a centre that ignores the order, which is read to its end for it. */
export async function highestIdOf(centre: Centre): Promise<{ topId: number } | { verdict: ReadVerdict }> {
  const top = await topIdOf(centre);
  if ("verdict" in top || top.isHighest) return top;
  const walk = await recordsAbove(centre, 0);
  if (walk.kind === "undetermined") return walk;
  return { topId: walk.rows.reduce((highest, { id }) => Math.max(highest, id), 0) };
}

/**
 * Reads the centre's records from the newest down to the watermark. Filters are not used: a dispatcher may have changed
 * whatever they would ask for.
 */
export async function recordsAbove(centre: Centre, watermark: number): Promise<Walk> {
  const seen = new Map<number, Sighting>();
  let mark = watermark;
  let start = 0;
  let descends = true;
  let stale = 0;
  let lowest = Number.POSITIVE_INFINITY;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const verdict = await centre.read(
      `/interventii?_sort=id&_order=DESC&_start=${start}&_end=${start + PAGE_ROWS}`,
    );
    const items = itemsOf(verdict.value);
    if (!items) return { kind: "undetermined", verdict };
    const rows = items.filter(isSighting);
    const fresh = rows.filter(({ id }) => !seen.has(id));
    for (const row of rows) {
      if (!seen.has(row.id) && row.id > lowest) descends = false;
      lowest = Math.min(lowest, row.id);
      seen.set(row.id, row);
    }
    // A centre that ignores the order is read to its end.
    // A highest id below the watermark is of a centre that was restored from a backup and gives ids again.
    if (page === 0 && descends && rows.every(({ id }) => id < watermark)) mark = 0;
    const isPastWatermark = descends && lowest <= mark;
    // Records that come in while paging push the rest down: one page without anything new is not the end yet.
    stale = fresh.length === 0 ? stale + 1 : 0;
    if (items.length === 0 || stale === STALE_PAGES_MAX || isPastWatermark)
      return { kind: "complete", rows: [...seen.values()].filter(({ id }) => id > mark) };
    start += stale > 0 ? items.length : Math.max(1, items.length - OVERLAP_ROWS);
  }
  return {
    kind: "undetermined",
    verdict: {
      link: "ok",
      code: "TOO-MANY",
      reason: `the centre has more than ${PAGES_MAX} pages of newer records`,
    },
  };
}

function isSighting(item: unknown): item is Sighting {
  return item !== null && typeof item === "object" && Number.isSafeInteger((item as { id?: unknown }).id);
}
