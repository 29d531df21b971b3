import { existsSync, rmSync, statfsSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";

/** Room for some hundreds of records, each written twice: what an alarm needs on a full disk until a person comes. */
export const RESERVE_BYTES = 8 * 1_048_576;
const CHUNK_BYTES = 262_144;
/** A small disk gives a quarter of what is free: the rest is for what the daemon does until then. */
const SHARE = 0.25;

/**
 * A file that only takes up space, to be given up when the disk is full: what fills the disk stops at its end, and
 * the alarms still have these megabytes.
 */
export class ReserveFile {
  readonly #path: string;
  #isFilling = false;
  /** The space that was given up in this run, and not taken again yet. */
  #released = 0;

  constructor(dataDir: string) {
    this.#path = join(dataDir, "ballast");
  }

  /** Gives the space up. @returns whether there was any */
  release(): boolean {
    if (!existsSync(this.#path)) return false;
    this.#released = statSync(this.#path).size;
    rmSync(this.#path, { force: true });
    return true;
  }

  /**
   * Takes the space, in small writes that leave the disk to others in between; what was given up is taken again only once
   * there is plenty, or the disk would be full again at once.
   * @param free bytes that are free now
   */
  async fill(free: number): Promise<void> {
    if (this.#isFilling || existsSync(this.#path) || free < this.#released / SHARE) return;
    const chunks = Math.floor(Math.min(RESERVE_BYTES, free * SHARE) / CHUNK_BYTES);
    if (chunks === 0) return;
    this.#isFilling = true;
    try {
      const file = await open(this.#path, "w", 0o600);
      try {
        // Not zeros: a file system that compresses would keep nothing.
        const chunk = Buffer.alloc(CHUNK_BYTES, "santinela ballast 0123456789 ");
        for (let written = 0; written < chunks; written += 1) await file.write(chunk);
        this.#released = 0;
      } finally {
        await file.close();
      }
    } catch (error) {
      // A part of it would be taken for the whole.
      this.release();
      throw error;
    } finally {
      this.#isFilling = false;
    }
  }
}

/** Bytes that this user can still write below a folder. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** What a condition says of the room that is left. */
export function roomLeft(folder: string): { freeMb: number; folder: string } {
  return { freeMb: Math.floor(freeBytes(folder) / 1_048_576), folder };
}
