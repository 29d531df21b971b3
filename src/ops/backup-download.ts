import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../domain/errors.ts";
import { freeBytes } from "./reserve-file.ts";
import type { BackupTasks } from "./backup-tasks.ts";

/** Temporary backups of the main database for download; scheduled backups are not affected. */
export class BackupDownload {
  readonly #dataDir: string;
  readonly #work: BackupTasks;
  #isBusy = false;

  constructor(dataDir: string, work: BackupTasks) {
    this.#dataDir = dataDir;
    this.#work = work;
  }

  /**
   * Creates a backup, passes its path to `take`, and deletes it. One at a time, because parallel ones could fill
   * the disk.
   * @throws AppError `conflict` while another one is in use, else as `backUp`
   */
  async lend(take: (path: string) => Promise<void>): Promise<void> {
    if (this.#isBusy) throw new AppError("conflict", "a backup is already being downloaded; try again later");
    this.#isBusy = true;
    let directory: string | undefined;
    try {
      this.#assertSpace();
      mkdirSync(this.#folder, { recursive: true, mode: 0o750 });
      // A separate directory: a backup of a stopped run may still be written until its thread ends.
      directory = mkdtempSync(join(this.#folder, NAME));
      const path = join(directory, "santinela.db");
      await this.#work.backUp(this.#dataDir, path);
      await take(path);
    } finally {
      if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
      this.#isBusy = false;
    }
  }

  /** Checks that the disk keeps enough space for alarms. */
  #assertSpace(): void {
    const sizeBytes = statSync(join(this.#dataDir, "santinela.db")).size;
    if (freeBytes(this.#dataDir) < sizeBytes + LEFT_FREE_BYTES)
      throw new AppError("conflict", "the disk of the data directory has too little space for a backup");
  }

  /** Removes backups left by an interrupted run. */
  forget(): void {
    let names: string[];
    try {
      names = readdirSync(this.#folder);
    } catch {
      // There has never been a backup here.
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
/** Space that stays free for alarms during the download. */
const LEFT_FREE_BYTES = 64 * 1024 * 1024;
