import type { UpstreamRecord } from "./merge.ts";
import type { MatchCandidate } from "./match-candidate.ts";
import { compareFingerprints } from "./record-fingerprint.ts";

/** Lowest id down to which the centre's records are read. */
export interface Watermark {
  /** The highest id at an earlier time; 0 to read all records. */
  readonly id: number;
  /** Fingerprint of the record that had this id; null if unknown. */
  readonly rowFingerprint: UpstreamRecord | null;
}

/**
 * Result of a page:
 * - `more`: the list continues. `reached`: further records are not relevant.
 * - `ended`: no further records, which does not prove that the list was complete.
 * - `repeats`: rows of the first page again, from a centre that ignores `_start`.
 */
export type PageResult = "more" | "reached" | "ended" | "repeats";

/** Overlap of two pages, because records deleted during the reading shift later ones up. */
const OVERLAP_ROWS = 2;
/** Pages without new records after which the list has ended; records created during the reading shift others down. */
const STALE_PAGES_MAX = 3;
/** Pages read below a missing watermark: usually its record was deleted, and no backup is older than this. */
const PAGES_BELOW_MAX = 20;

/** Reads the centre's records from the highest id down, and assumes nothing about the list that its pages do not show. */
export class ListReading {
  /** Offset of the next page. */
  start = 0;
  /** Total number of records, if the centre reports it. */
  total: number | undefined;
  readonly #seen = new Map<number, MatchCandidate>();
  readonly #watermark: Watermark;
  #first: number | undefined;
  /** Whether each total so far was the number of rows of its own page. */
  #countsPages = true;
  #stale = 0;
  #lowest = Number.POSITIVE_INFINITY;
  #pagesBelow = 0;
  /** Whether the rows so far were in descending order. */
  #isDescending = true;
  readonly #mayEndEarly: boolean;

  /** @param isOrdered false for a centre whose lists are not in the order of the ids: each is read to its end */
  constructor(watermark: Watermark, isOrdered = true) {
    this.#watermark = watermark;
    this.#mayEndEarly = isOrdered;
  }

  /** Adds the page at `start`. @param size rows of the page, including invalid ones */
  take(rows: readonly MatchCandidate[], size: number, total?: number): PageResult {
    this.total = total;
    if (total !== size) this.#countsPages = false;
    const sizeBefore = this.#seen.size;
    for (const row of rows) this.#add(row);
    if (this.#lowest <= this.#watermark.id) this.#pagesBelow += 1;
    const hasNew = this.#seen.size > sizeBefore;
    if (this.#isDone) return "reached";
    if (size === 0) return "ended";
    // The first row of a list cannot be on its second page, in whatever order.
    if (this.start > 0 && !hasNew && rows.some(({ id }) => id === this.#first)) return "repeats";
    this.#first ??= rows[0]?.id;
    this.#stale = hasNew ? 0 : this.#stale + 1;
    if (this.#stale === STALE_PAGES_MAX) return "ended";
    this.start += this.#stale > 0 ? size : Math.max(1, size - OVERLAP_ROWS);
    return "more";
  }

  /** Whether every row read had a lower id than those before it. */
  get isOrdered(): boolean {
    return this.#isDescending;
  }

  get rows(): readonly MatchCandidate[] {
    return [...this.#seen.values()];
  }

  /** Every record above the watermark, and all records if the watermark is no longer valid. */
  get newer(): readonly MatchCandidate[] {
    const least = this.#isWatermarkValid ? this.#watermark.id : 0;
    return this.rows.filter((row) => row.id > least);
  }

  /** Whether the watermark's id belongs to another record now: the centre was restored from a backup. */
  get isRestored(): boolean {
    const { id, rowFingerprint } = this.#watermark;
    const found = this.#seen.get(id);
    return (
      found !== undefined &&
      rowFingerprint !== null &&
      compareFingerprints(found, rowFingerprint) === "another"
    );
  }

  /**
   * Whether the centre's total equals the number of records read. Some centres send the number of rows of the page as the total:
   * only one that has differed from it counts the list.
   */
  get hasTotal(): boolean {
    return this.total !== undefined && !this.#countsPages && this.total === this.#seen.size;
  }

  /** The ids of the records, whose rows are dropped. */
  takeIds(): ReadonlySet<number> {
    const ids = new Set(this.#seen.keys());
    this.#seen.clear();
    return ids;
  }

  /** Whether an earlier reading found the same records, apart from new ones. */
  agreesWith(earlierIds: ReadonlySet<number>): boolean {
    const top = [...earlierIds].reduce((highest, id) => Math.max(highest, id), 0);
    const known = [...this.#seen.keys()].filter((id) => id <= top);
    return known.length === earlierIds.size && known.every((id) => earlierIds.has(id));
  }

  #add(row: MatchCandidate): void {
    if (!this.#seen.has(row.id) && row.id > this.#lowest) this.#isDescending = false;
    this.#lowest = Math.min(this.#lowest, row.id);
    this.#seen.set(row.id, row);
  }

  /** A list that is not in descending order is read to its end. */
  get #isDone(): boolean {
    if (!this.#mayEndEarly || !this.#isDescending || this.#pagesBelow === 0) return false;
    return this.#isWatermarkValid || this.#pagesBelow > PAGES_BELOW_MAX;
  }

  /** Whether the watermark is still valid: its record exists, or without a fingerprint, an id at least as high. */
  get #isWatermarkValid(): boolean {
    const { id, rowFingerprint } = this.#watermark;
    if (id === 0) return true;
    const found = this.#seen.get(id);
    if (rowFingerprint !== null)
      return found !== undefined && compareFingerprints(found, rowFingerprint) === "same";
    return [...this.#seen.keys()].some((seen) => seen >= id);
  }
}
