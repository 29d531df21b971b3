/** What the pages of a list show about its length. */
export class ListLength {
  #firstId: number | undefined;
  /** The lowest total sent: objectives may be added or removed during the reading. */
  #total = Number.POSITIVE_INFINITY;
  /** Whether each total so far was the number of items of its own page. */
  #countsPages = true;
  /** Items that are not stored: without an id, or with that of another one. */
  #leftOut = 0;
  #repeatsStart = false;

  /**
   * Adds a page.
   * @param start offset of the page
   * @param ids ids of its objectives
   * @param items number of its items, including invalid ones
   * @param total total number of items in the list; undefined if not sent
   */
  take(start: number, ids: readonly number[], items: number, total: number | undefined): void {
    const [first] = ids;
    // The first row of a list cannot be on its second page.
    if (start > 0 && first !== undefined && first === this.#firstId) this.#repeatsStart = true;
    this.#firstId ??= first;
    this.#leftOut += items - new Set(ids).size;
    if (total === undefined) return;
    this.#total = Math.min(this.#total, total);
    if (total !== items) this.#countsPages = false;
  }

  /** Whether the total says that there are more objectives than were read. Some servers send that of the page. */
  isAbove(objectives: number): boolean {
    return Number.isFinite(this.#total) && !this.#countsPages && this.#total > objectives + this.#leftOut;
  }

  /** Whether the server ignores `_start`, so that its page may be the whole list or only a part. */
  get mayBeCut(): boolean {
    return this.#repeatsStart;
  }
}
