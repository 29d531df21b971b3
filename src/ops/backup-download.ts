import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../domain/errors.ts";
import { freeBytes } from "./reserve-file.ts";
import type { BackupTasks } from "./backup-tasks.ts";

/** Copies of the main database for people to take away; the regular ones are left as they are. */
export class BackupDownload {
  readonly #dataDir: string;
  readonly #work: BackupTasks;
  #isLent = false;

  constructor(dataDir: string, work: BackupTasks) {
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
    let own: string | undefined;
    try {
      this.#assertRoom();
      mkdirSync(this.#folder, { recursive: true, mode: 0o750 });
      // Of its own: a copy that an ended run was still busy with is removed when its thread ends, and that is all.
      own = mkdtempSync(join(this.#folder, NAME));
      const path = join(own, "santinela.db");
      await this.#work.backUp(this.#dataDir, path);
      await take(path);
    } finally {
      if (own !== undefined) rmSync(own, { recursive: true, force: true });
      this.#isLent = false;
    }
  }

  /** The disk is for alarms first. */
  #assertRoom(): void {
    const sizeBytes = statSync(join(this.#dataDir, "santinela.db")).size;
    if (freeBytes(this.#dataDir) < sizeBytes + LEFT_FREE_BYTES)
      throw new AppError("conflict", "the disk of the data folder has too little room for a copy");
  }

  /** Removes what a run that was cut off has left. */
  forget(): void {
    let names: string[];
    try {
      names = readdirSync(this.#folder);
    } catch {
      // Nobody has ever made a copy here.
      return;
    }
    for (const name of names)
      if (name.startsWith(NAME)) rmSync(join(this.#folder, name), { recursive: true, force: true });
  }

  get #folder(): string {
    return join(this.#dataDir, "backups");
  }
}

const NAME = "download-";
/** What must be left for alarms while the copy lies there. */
const LEFT_FREE_BYTES = 64 * 1024 * 1024;
