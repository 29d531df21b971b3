import type { OutboxEntry } from "../domain/outbox.ts";
import type { CentreRecord } from "../domain/merge.ts";
import { compareTraits, traitsOf, type Sighting } from "../domain/sighting.ts";
import { itemsOf, type ReadVerdict } from "./answer.ts";
import type { Centre } from "./centre.ts";

/** Down to where the centre's records are read. */
export interface Watermark {
  /** Its highest id at a moment before; 0 for all of them. */
  readonly id: number;
  /** What the record that had this id then is known by; null where that is not known. */
  readonly witness: CentreRecord | null;
}

/** Every record. */
const NO_WATERMARK: Watermark = { id: 0, witness: null };

/** Down to where an attempt can have arrived. */
export function watermarkOf({ watermark, witness }: OutboxEntry): Watermark {
  return { id: watermark ?? 0, witness: witness === null ? null : (JSON.parse(witness) as CentreRecord) };
}

/** What a walk through the centre's records has brought. */
export type Walk =
  | {
      readonly kind: "complete";
      /** Every record above the watermark, and those below it that can have come in later. */
      readonly rows: readonly Sighting[];
      /** Whether the watermark's id is another record's now: the centre was restored from a backup. */
      readonly isRestored: boolean;
    }
  /** Not all of it could be read: what was not seen may be there nevertheless. */
  | { readonly kind: "undetermined"; readonly verdict: ReadVerdict };

/** Rows asked for at once; the centre may give fewer. */
const PAGE_ROWS = 100;
/** So many pages are read at most: a week of a busy centre. */
const PAGES_MAX = 400;
/** So many are read below a watermark whose record is no longer there: mostly it was deleted, and no backup is older. */
const PAGES_BELOW_MAX = 20;
/** Rows that are asked for twice: records deleted while paging shift the rest up. */
const OVERLAP_ROWS = 2;
/** So many pages without anything new are the end: this centre knows no pages. */
const STALE_PAGES_MAX = 3;

/** The first of the centre's records when they are asked for from the highest id down. */
export interface Top {
  /** Id 0 when the centre has no record. */
  readonly watermark: Watermark;
  /** False for a centre that ignores the order: then there are higher ones. */
  readonly isHighest: boolean;
}

/** Reads the centre's highest id; with the reason when it cannot be had. */
export async function topOf(centre: Centre): Promise<Top | { verdict: ReadVerdict }> {
  // The second row shows whether the first is the highest at all.
  const verdict = await centre.read("/interventii?_sort=id&_order=DESC&_start=0&_end=2");
  const items = itemsOf(verdict.value);
  if (!items) return { verdict };
  const [first, second] = items.filter(isSighting);
  if (!first) return { watermark: NO_WATERMARK, isHighest: true };
  const isHighest = first.id > (second?.id ?? 0);
  return { watermark: { id: first.id, witness: isHighest ? traitsOf(first) : null }, isHighest };
}

/** The highest id also of a centre that ignores the order, which is read to its end for it. */
export async function highestIdOf(centre: Centre): Promise<{ topId: number } | { verdict: ReadVerdict }> {
  const top = await topOf(centre);
  if ("verdict" in top) return top;
  if (top.isHighest) return { topId: top.watermark.id };
  const walk = await recordsAbove(centre, NO_WATERMARK);
  if (walk.kind === "undetermined") return walk;
  return { topId: walk.rows.reduce((highest, { id }) => Math.max(highest, id), 0) };
}

/**
 * Reads the centre's records from the newest down to the watermark, and on below it where the centre may have been
 * restored since. Filters are not used: a dispatcher may have changed whatever they would ask for.
 */
export async function recordsAbove(centre: Centre, watermark: Watermark): Promise<Walk> {
  const found = new Finds(watermark);
  let start = 0;
  let stale = 0;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const verdict = await centre.read(
      `/interventii?_sort=id&_order=DESC&_start=${start}&_end=${start + PAGE_ROWS}`,
    );
    const items = itemsOf(verdict.value);
    if (!items) return { kind: "undetermined", verdict };
    const hasNew = found.take(items.filter(isSighting));
    // Records that come in while paging push the rest down: one page without anything new is not the end yet.
    stale = hasNew ? 0 : stale + 1;
    if (items.length === 0 || stale === STALE_PAGES_MAX || found.isEnough) return found.walk;
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

/** What the pages of one walk have brought so far. */
class Finds {
  readonly #seen = new Map<number, Sighting>();
  readonly #watermark: Watermark;
  #lowest = Number.POSITIVE_INFINITY;
  #descends = true;
  #pagesBelow = 0;

  constructor(watermark: Watermark) {
    this.#watermark = watermark;
  }

  /** Takes the rows of one page. @returns whether any of them is new */
  take(rows: readonly Sighting[]): boolean {
    const sizeBefore = this.#seen.size;
    for (const row of rows) {
      if (!this.#seen.has(row.id) && row.id > this.#lowest) this.#descends = false;
      this.#lowest = Math.min(this.#lowest, row.id);
      this.#seen.set(row.id, row);
    }
    if (this.#lowest <= this.#watermark.id) this.#pagesBelow += 1;
    return this.#seen.size > sizeBefore;
  }

  /** A centre that ignores the order is read to its end. */
  get isEnough(): boolean {
    if (!this.#descends || this.#pagesBelow === 0) return false;
    return this.#isWatermarkThere ? true : this.#pagesBelow > PAGES_BELOW_MAX;
  }

  get walk(): Walk {
    const { id, witness } = this.#watermark;
    const least = this.#isWatermarkThere ? id : 0;
    const atWatermark = this.#seen.get(id);
    return {
      kind: "complete",
      rows: [...this.#seen.values()].filter((row) => row.id > least),
      isRestored:
        atWatermark !== undefined && witness !== null && compareTraits(atWatermark, witness) === "another",
    };
  }

  /** Whether the watermark still means what it did: the record that had its id is there, or no newer one is missing. */
  get #isWatermarkThere(): boolean {
    const { id, witness } = this.#watermark;
    if (id === 0) return true;
    const found = this.#seen.get(id);
    if (witness !== null) return found !== undefined && compareTraits(found, witness) === "same";
    return [...this.#seen.keys()].some((seen) => seen >= id);
  }
}

function isSighting(item: unknown): item is Sighting {
  return item !== null && typeof item === "object" && Number.isSafeInteger((item as { id?: unknown }).id);
}
