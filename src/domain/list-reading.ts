import type { UpstreamRecord } from "./merge.ts";
import { compareFingerprints, type MatchCandidate } from "./match-candidate.ts";

/** Down to where the centre's records are read. */
export interface Watermark {
  /** Its highest id at a moment before; 0 for all of them. */
  readonly id: number;
  /** What the record that had this id then is known by; null where that is not known. */
  readonly witness: UpstreamRecord | null;
}

/**
 * What a page says about the list:
 * - `more`: it goes on. `reached`: nothing further down can matter.
 * - `ended`: nothing more comes, which is no proof that this was all.
 * - `repeats`: the first page once more, as of a centre that does not look at `_start`.
 */
export type PageWord = "more" | "reached" | "ended" | "repeats";

/** Rows that are asked for twice: records deleted while paging shift the rest up. */
const OVERLAP_ROWS = 2;
/** So many pages without anything new are the end. Records that come in while paging push the rest down. */
const STALE_PAGES_MAX = 3;
/** So many are read below a watermark whose record is no longer there: mostly it was deleted, and no backup is older. */
const PAGES_BELOW_MAX = 20;

/** One reading of the centre's records from the highest id down. It believes of a list only what the list shows. */
export class ListReading {
  /** Offset of the next page. */
  start = 0;
  /** How many records there are, where the centre says so. */
  total: number | undefined;
  readonly #seen = new Map<number, MatchCandidate>();
  readonly #watermark: Watermark;
  #first: number | undefined;
  #stale = 0;
  #lowest = Number.POSITIVE_INFINITY;
  #descends = true;
  #pagesBelow = 0;

  constructor(watermark: Watermark) {
    this.#watermark = watermark;
  }

  /** Takes the rows of the page at `start`. @param size rows of the page, also those that are no records */
  take(rows: readonly MatchCandidate[], size: number, total?: number): PageWord {
    this.total = total;
    const sizeBefore = this.#seen.size;
    for (const row of rows) this.#note(row);
    if (this.#lowest <= this.#watermark.id) this.#pagesBelow += 1;
    const hasNew = this.#seen.size > sizeBefore;
    if (this.#isEnough) return "reached";
    if (size === 0) return "ended";
    // From the highest id down, the highest one is on no second page.
    if (this.start > 0 && !hasNew && rows[0]?.id === this.#first) return "repeats";
    this.#first ??= rows[0]?.id;
    this.#stale = hasNew ? 0 : this.#stale + 1;
    if (this.#stale === STALE_PAGES_MAX) return "ended";
    this.start += this.#stale > 0 ? size : Math.max(1, size - OVERLAP_ROWS);
    return "more";
  }

  get rows(): readonly MatchCandidate[] {
    return [...this.#seen.values()];
  }

  /** Every record above the watermark, and those below it that can have come in later. */
  get newer(): readonly MatchCandidate[] {
    const least = this.#isWatermarkThere ? this.#watermark.id : 0;
    return this.rows.filter((row) => row.id > least);
  }

  /** Whether the watermark's id is another record's now: the centre was restored from a backup. */
  get isRestored(): boolean {
    const { id, witness } = this.#watermark;
    const found = this.#seen.get(id);
    return found !== undefined && witness !== null && compareFingerprints(found, witness) === "another";
  }

  /** Whether the centre says that it has no more records than were read. */
  get hasTotal(): boolean {
    return this.total !== undefined && this.total === this.#seen.size;
  }

  /** Whether an earlier reading brought the same records; what came in since does not count. */
  agreesWith(earlier: ListReading): boolean {
    const top = Math.max(0, ...earlier.#seen.keys());
    const known = [...this.#seen.keys()].filter((id) => id <= top);
    return known.length === earlier.#seen.size && known.every((id) => earlier.#seen.has(id));
  }

  #note(row: MatchCandidate): void {
    if (!this.#seen.has(row.id) && row.id > this.#lowest) this.#descends = false;
    this.#lowest = Math.min(this.#lowest, row.id);
    this.#seen.set(row.id, row);
  }

  /** A centre that ignores the order is read to its end. */
  get #isEnough(): boolean {
    if (!this.#descends || this.#pagesBelow === 0) return false;
    return this.#isWatermarkThere ? true : this.#pagesBelow > PAGES_BELOW_MAX;
  }

  /** Whether the watermark still means what it did: the record that had its id is there, or no newer one is missing. */
  get #isWatermarkThere(): boolean {
    const { id, witness } = this.#watermark;
    if (id === 0) return true;
    const found = this.#seen.get(id);
    if (witness !== null) return found !== undefined && compareFingerprints(found, witness) === "same";
    return [...this.#seen.keys()].some((seen) => seen >= id);
  }
}
