import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../domain/errors.ts";
import type { CopyWork } from "./copy-work.ts";

/** Copies of the main database for people to take away; the regular ones are left as they are. */
export class DatabaseCopy {
  readonly #dataDir: string;
  readonly #work: CopyWork;
  #isLent = false;

  constructor(dataDir: string, work: CopyWork) {
    this.#dataDir = dataDir;
    this.#work = work;
  }

  /**
   * Makes a copy, lends it to whoever takes it away, and removes it. One at a time, or impatience would fill the disk.
   * @throws AppError `conflict` while another one is lent, else as `backUp`
   */
  async lend(take: (path: string) => Promise<void>): Promise<void> {
    if (this.#isLent)
      throw new AppError("conflict", "a copy is being taken already; try again when it is there");
    this.#isLent = true;
    const path = join(this.#folder, NAME);
    try {
      await this.#work.backUp(this.#dataDir, path);
      await take(path);
    } finally {
      this.forget();
      this.#isLent = false;
    }
  }

  /** Removes it, whole or half, and what SQLite has left beside a half one. */
  forget(): void {
    let names: string[];
    try {
      names = readdirSync(this.#folder);
    } catch {
      // Nobody has ever made a copy here.
      return;
    }
    for (const name of names) if (name.startsWith(NAME)) rmSync(join(this.#folder, name), { force: true });
  }

  get #folder(): string {
    return join(this.#dataDir, "backups");
  }
}

const NAME = "download.db";
