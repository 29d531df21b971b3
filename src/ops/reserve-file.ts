import { rmSync, statfsSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../domain/clock.ts";

/** Space for hundreds of records, each written twice: enough for alarms on a full disk until a person frees space. */
export const RESERVE_BYTES = 8 * 1_048_576;
const CHUNK_BYTES = 262_144;
/** Maximum share of the free space on a small disk; the rest is for normal operation. */
const SHARE = 0.25;

/** Reserve file: frees space for alarms when the disk is full. */
export class ReserveFile {
  readonly #path: string;
  #isFilling = false;
  /** Bytes of the last known reserve; 0 if there was none. Another thread may have released it meanwhile. */
  #lastBytes: number;

  constructor(dataDir: string) {
    this.#path = join(dataDir, "ballast"); // words: allowed
    this.#lastBytes = this.#bytes() ?? 0;
  }

  /**
   * Releases the space.
   * @returns whether there was any
   */
  release(): boolean {
    const bytes = this.#bytes();
    if (bytes === undefined) return false;
    this.#lastBytes = bytes;
    rmSync(this.#path, { force: true });
    return true;
  }

  /**
   * Reserves the space, in small writes so that others can write in between. Released space is reserved again only
   * when there is plenty, or the disk would be full again.
   * @param free free bytes
   */
  async fill(free: number): Promise<void> {
    if (this.#isFilling) return;
    const bytes = this.#bytes();
    if (bytes !== undefined) return void (this.#lastBytes = bytes);
    if (free < this.#lastBytes / SHARE) return;
    const chunks = Math.floor(Math.min(RESERVE_BYTES, free * SHARE) / CHUNK_BYTES);
    if (chunks === 0) return;
    this.#isFilling = true;
    try {
      const file = await open(this.#path, "w", 0o600);
      try {
        // Not zeros, which a compressing file system would not store.
        const chunk = Buffer.alloc(CHUNK_BYTES, "santinela reserve 0123456789 ");
        for (let written = 0; written < chunks; written += 1) await file.write(chunk);
      } finally {
        await file.close();
      }
      this.#lastBytes = chunks * CHUNK_BYTES;
    } catch (error) {
      // An incomplete file would count as complete.
      this.release();
      throw error;
    } finally {
      this.#isFilling = false;
    }
  }

  /** Its size; undefined if there is no reserve. */
  #bytes(): number | undefined {
    return statSync(this.#path, { throwIfNoEntry: false })?.size;
  }
}

/** Below this a condition is raised in time, and old rows are removed at once. */
export const NEARLY_FULL_BYTES = 64 * 1_048_576;
/** Below this new records of low and medium priority are rejected, because they could take the space of an alarm. */
export const FULL_BYTES = 16 * 1_048_576;

/** Bytes that this user can still write in a directory. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Asking the file system takes 3 % of the time of a POST. */
const ASKED_EVERY_MS = 1_000;

/** Tells whether a disk has less than `FULL_BYTES`, as of the last second. */
export function fullDisk(folder: string, clock: Pick<Clock, "monotonicMs">): () => boolean {
  let askedMs = Number.NEGATIVE_INFINITY;
  let isFull = false;
  return () => {
    const nowMs = clock.monotonicMs();
    if (nowMs - askedMs >= ASKED_EVERY_MS) {
      isFull = freeBytes(folder) < FULL_BYTES;
      askedMs = nowMs;
    }
    return isFull;
  };
}

/** The free space, as values of a condition. */
export function roomLeft(folder: string): { freeMb: number; folder: string } {
  return { freeMb: Math.floor(freeBytes(folder) / 1_048_576), folder };
}
