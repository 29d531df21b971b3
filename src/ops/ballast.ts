import { existsSync, rmSync, statfsSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";

/** Room for some hundreds of records, each written twice: what an alarm needs on a full disk until somebody comes. */
export const BALLAST_BYTES = 8 * 1_048_576;
const CHUNK_BYTES = 262_144;

/**
 * A file that only takes up space, to be given up when the disk is full: whoever fills the disk stops at its end, and
 * the alarms still have these megabytes.
 */
export class Ballast {
  readonly #path: string;
  #isFilling = false;

  constructor(dataDir: string) {
    this.#path = join(dataDir, "ballast");
  }

  /** Gives the space up. @returns whether there was any */
  release(): boolean {
    if (!existsSync(this.#path)) return false;
    rmSync(this.#path, { force: true });
    return true;
  }

  /** Takes the space again, in small writes that leave the disk to others in between. */
  async fill(): Promise<void> {
    if (this.#isFilling || this.#isWhole()) return;
    this.#isFilling = true;
    try {
      const file = await open(this.#path, "w", 0o600);
      try {
        // Not zeros: a file system that compresses would keep nothing.
        const chunk = Buffer.alloc(CHUNK_BYTES, "santinela ballast 0123456789 ");
        for (let written = 0; written < BALLAST_BYTES; written += CHUNK_BYTES) await file.write(chunk);
      } finally {
        await file.close();
      }
    } finally {
      this.#isFilling = false;
    }
  }

  #isWhole(): boolean {
    return existsSync(this.#path) && statSync(this.#path).size >= BALLAST_BYTES;
  }
}

/** Bytes that this user can still write below a folder. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
