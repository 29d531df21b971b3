import { entryHash, type AuditRow, type TrailCut } from "./audit-chain.ts";

/** A place where the chain does not hold. */
export interface TrailBreak {
  /** The first entry after it, or the entry whose content is altered. */
  readonly position: number;
  readonly why: string;
  /** The number of entries that are missing before `position`; 0 for altered content. */
  readonly missing: number;
  /** Wall clock of the entries before and after it, milliseconds since 1970; null before the first entry of all. */
  readonly sinceMs: number | null;
  readonly untilMs: number;
  /** The stored hash of the entry at `position`. */
  readonly hash: string;
}

/** The result of verifying the chain. */
export interface TrailReport {
  readonly entries: number;
  /** Wall clock of the first and the last entry, milliseconds since 1970; null without entries. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Entries removed by retention, and the time of the last one. */
  readonly removed: number;
  readonly removedUntilMs: number | null;
  /** Hash of the last entry: stored elsewhere, it later shows whether the end was cut off. */
  readonly head: string;
  /** The first entry that does not match the chain; null if all do. */
  readonly broken: TrailBreak | null;
  /** All of them, at most `BREAKS_MAX`. */
  readonly breaks: readonly TrailBreak[];
  /** The position of the entry whose hash was sought; null if none has it. */
  readonly sought: number | null;
}

/** One damaged page causes one; a foreign table in its place could cause any number. */
const BREAKS_MAX = 100;

/** Verifies a chain, entry by entry. */
export class TrailCheck {
  readonly #cut: TrailCut;
  readonly #soughtHash: string | undefined;
  #last: Pick<TrailCut, "position" | "hash" | "at">;
  #entries = 0;
  #fromMs: number | null = null;
  #toMs: number | null = null;
  readonly #breaks: TrailBreak[] = [];
  #sought: number | null = null;

  /**
   * @param cut where the chain begins
   * @param soughtHash the hash of an entry to look for; optional
   */
  constructor(cut: TrailCut, soughtHash?: string) {
    this.#cut = cut;
    this.#last = cut;
    this.#soughtHash = soughtHash;
    if (cut.position > 0) this.#seek(cut);
  }

  /** The position of the last entry that was added; the beginning of the chain before the first one. */
  get position(): number {
    return this.#last.position;
  }

  /** Adds the next entry by position. */
  add(row: AuditRow): void {
    this.#entries += 1;
    this.#fromMs ??= row.at;
    this.#toMs = row.at;
    const why = this.#problemOf(row);
    if (why !== undefined && this.#breaks.length < BREAKS_MAX)
      this.#breaks.push({
        position: row.position,
        why,
        missing: row.position - this.#last.position - 1,
        sinceMs: this.#last.at,
        untilMs: row.at,
        hash: row.hash,
      });
    this.#seek(row);
    this.#last = row;
  }

  /** The result after the last entry. */
  report(): TrailReport {
    const { position: removed, at: removedUntilMs } = this.#cut;
    const [fromMs, toMs, head] = [this.#fromMs, this.#toMs, this.#last.hash];
    const [breaks, sought] = [this.#breaks, this.#sought];
    const broken = breaks[0] ?? null;
    return { entries: this.#entries, fromMs, toMs, removed, removedUntilMs, head, broken, breaks, sought };
  }

  #problemOf(row: AuditRow): string | undefined {
    const { position, hash } = this.#last;
    const first = position + 1;
    if (row.position === first + 1) return `the entry ${first} before it is missing`;
    if (row.position > first) return `the entries ${first} to ${row.position - 1} before it are missing`;
    return row.hash === entryHash(hash, row)
      ? undefined
      : "its content, or the entry before it, is not what it was when it was written";
  }

  #seek({ position, hash }: Pick<TrailCut, "position" | "hash">): void {
    if (hash === this.#soughtHash) this.#sought ??= position;
  }
}
