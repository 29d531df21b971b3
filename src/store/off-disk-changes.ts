import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { JournalChange } from "./journal-change.ts";

/** A trip is some two kilobytes; the memory of a small device has room for thousands and not for a storm without end. */
const CHANGES_MAX = 5_000;

/**
 * Changes of the journal that its disk did not take, in a file in memory (tmpfs), one JSON line each. They outlive the
 * process and not a power cut. A line that a crash has cut off was never acknowledged and counts for nothing.
 */
export class OffDiskChanges {
  /** Undefined where there is no folder in memory: then nothing is kept. */
  readonly file: string | undefined;
  readonly #changes: JournalChange[];

  constructor(file: string | undefined) {
    this.file = file;
    this.#changes = file !== undefined && existsSync(file) ? changesIn(readFileSync(file, "utf8")) : [];
  }

  get count(): number {
    return this.#changes.length;
  }

  /** In the order in which they came. */
  list(): readonly JournalChange[] {
    return this.#changes;
  }

  /** @returns whether it is kept */
  add(change: JournalChange): boolean {
    if (this.file === undefined || this.#changes.length >= CHANGES_MAX) return false;
    try {
      mkdirSync(dirname(this.file), { recursive: true, mode: 0o750 });
      // A line of its own whatever a crash has left before it.
      appendFileSync(this.file, `\n${JSON.stringify(change)}\n`, { mode: 0o600 });
    } catch {
      // Memory is full as well, or not ours to write: the caller still has the error of the disk.
      return false;
    }
    this.#changes.push(change);
    return true;
  }

  clear(): void {
    this.#changes.length = 0;
    if (this.file !== undefined) rmSync(this.file, { force: true });
  }
}

function changesIn(text: string): JournalChange[] {
  return text.split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as JournalChange];
    } catch {
      return [];
    }
  });
}
