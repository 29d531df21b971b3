import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { JournalChange } from "./journal-change.ts";

/** Maximum changes: a trip takes about two kilobytes, and a small device has memory for thousands. */
const CHANGES_MAX = 5_000;

/**
 * Journal changes that the disk rejected, in a file in memory (tmpfs), one JSON line each. They survive the process
 * but not a power cut. A truncated line was never acknowledged and is ignored.
 */
export class OffDiskChanges {
  /** Undefined without a directory in memory: then nothing is kept. */
  readonly file: string | undefined;
  readonly #changes: JournalChange[];

  constructor(file: string | undefined) {
    this.file = file;
    this.#changes = file !== undefined && existsSync(file) ? changesIn(readFileSync(file, "utf8")) : [];
  }

  get count(): number {
    return this.#changes.length;
  }

  /** The changes in order of arrival. */
  list(): readonly JournalChange[] {
    return this.#changes;
  }

  /** @returns whether the change was stored */
  add(change: JournalChange): boolean {
    if (this.file === undefined || this.#changes.length >= CHANGES_MAX) return false;
    try {
      mkdirSync(dirname(this.file), { recursive: true, mode: 0o750 });
      // The leading line break separates it from a truncated line.
      appendFileSync(this.file, `\n${JSON.stringify(change)}\n`, { mode: 0o600 });
    } catch {
      // Memory is full or not writable: the caller reports the error of the disk.
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
