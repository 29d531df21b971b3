import { rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../domain/errors.ts";
import { backUp } from "./backups.ts";

/** Copies of the main database for people to take away; the regular ones are left as they are. */
export class DatabaseCopy {
  readonly #dataDir: string;
  #isLent = false;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /**
   * Makes a copy, lends it to whoever takes it away, and removes it. One at a time, or impatience would fill the disk.
   * @throws AppError `conflict` while another one is lent, else as `backUp`
   */
  async lend(take: (path: string) => Promise<void>): Promise<void> {
    if (this.#isLent)
      throw new AppError("conflict", "a copy is being taken already; try again when it is there");
    this.#isLent = true;
    const path = join(this.#dataDir, "backups", "download.db");
    try {
      await backUp(this.#dataDir, path);
      await take(path);
    } finally {
      rmSync(path, { force: true });
      this.#isLent = false;
    }
  }
}
