import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import { backupFolder } from "./backups.ts";
import { namesIfThere } from "./files-if-there.ts";
import { freeBytes } from "./reserve-file.ts";
import type { BackupTasks } from "./backup-worker.ts";
import type { RestorePlan } from "./restore.ts";

/** Space that stays free for alarms during a download, an upload and a restore. */
const LEFT_FREE_BYTES = 64 * 1024 * 1024;
/** Start of the names of temporary backups. */
const NAME = "download-";
/**
 * Maximum size. A site with ten thousand records and a full event log has about fifty megabytes, and the daemon
 * does not run during a restore.
 */
const BYTES_MAX = 256 * 1024 * 1024;
/** A download that takes longer is ended: its client reads too slowly, and others wait for it. The maximum size at 1.2 Mbit/s. */
const DOWNLOAD_MS_MAX = 30 * 60_000;
/** An upload that was not restored by then is deleted. */
const UPLOAD_LIFETIME_MS = 30 * 60_000;

interface TransferParts {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly work: BackupTasks;
}

/** Temporary backups of the main database for download; scheduled backups are not affected. */
export class TemporaryBackups {
  readonly #dataDir: string;
  readonly #folder: string;
  readonly #clock: Pick<Clock, "after">;
  readonly #work: BackupTasks;
  #isBusy = false;

  constructor({ dataDir, clock, work }: TransferParts) {
    this.#dataDir = dataDir;
    this.#folder = backupFolder(dataDir);
    this.#clock = clock;
    this.#work = work;
  }

  /**
   * Creates a backup, passes its path to `take`, and deletes it. One at a time, because parallel ones could fill
   * the disk.
   * @param take sends it; `signal` is aborted when it takes too long
   * @throws AppError `conflict` while another one is in use, else as `backUp`
   */
  async withBackupPath(take: (path: string, signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.#isBusy) throw new AppError("conflict", "a backup is already being downloaded; try again later");
    this.#isBusy = true;
    let directory: string | undefined;
    let cancelLimit: CancelTimer = () => {};
    try {
      this.#assertSpace();
      mkdirSync(this.#folder, { recursive: true, mode: 0o750 });
      // A separate directory: a backup of a stopped run may still be written until its thread ends.
      directory = mkdtempSync(join(this.#folder, NAME));
      const path = join(directory, "santinela.db");
      await this.#work.backUp(this.#dataDir, path);
      const tooSlow = new AbortController();
      cancelLimit = this.#clock.after(DOWNLOAD_MS_MAX, () => tooSlow.abort());
      await take(path, tooSlow.signal);
    } finally {
      cancelLimit();
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
    for (const name of namesIfThere(this.#folder))
      if (name.startsWith(NAME)) rmSync(join(this.#folder, name), { recursive: true, force: true });
  }
}

/** A backup that is uploaded in pieces to be restored; one at a time. */
export class UploadedBackup {
  readonly path: string;
  readonly #dataDir: string;
  readonly #clock: Clock;
  readonly #work: BackupTasks;
  /** The running check, and the state of the upload it applies to. */
  #check: { readonly copy: number; readonly bytes: number; readonly plan: Promise<RestorePlan> } | undefined;
  #number = 0;
  #bytes = 0;
  #cancelExpiry: CancelTimer = () => {};

  constructor({ dataDir, clock, work }: TransferParts) {
    this.#dataDir = dataDir;
    this.#clock = clock;
    this.#work = work;
    this.path = join(backupFolder(dataDir), "handed-in.db"); // words: allowed
  }

  /**
   * Adds a piece; a piece at 0 starts a new upload.
   * @param from offset of the piece in bytes
   * @returns the number of the upload, and its size so far
   * @throws AppError `conflict` for a wrong offset, `too-large`, `cannot-create`
   */
  add(from: number, piece: Uint8Array): { copy: number; bytes: number } {
    if (from === 0) this.#start();
    else if (from !== this.#bytes)
      throw new AppError("conflict", `the next piece must start at byte ${this.#bytes}, not ${from}`, {
        hint: "Upload the backup again.",
      });
    const bytes = from + piece.byteLength;
    if (bytes > BYTES_MAX) throw new AppError("too-large", `a backup may have at most ${BYTES_MAX} bytes`);
    if (freeBytes(this.#dataDir) < LEFT_FREE_BYTES + bytes)
      throw new AppError("conflict", "the disk of the data directory has too little space for this backup");
    // A full disk may have stored a part of this piece when it was sent before.
    truncateSync(this.path, from);
    appendFileSync(this.path, piece);
    this.#bytes = bytes;
    this.release();
    return { copy: this.#number, bytes };
  }

  /**
   * Determines the effect of restoring the upload. Concurrent calls for the same upload share one check.
   * @throws AppError `conflict` if it is not the current upload, or no longer at the end of the check; `bad-data`
   * if it is not intact
   */
  async plan(copy: number): Promise<RestorePlan> {
    this.#assertHere(copy);
    const bytes = this.#bytes;
    if (this.#check && (this.#check.copy !== copy || this.#check.bytes !== bytes))
      throw new AppError("conflict", "the previous upload is still being checked; try again shortly");
    this.#check ??= {
      copy,
      bytes,
      plan: this.#work.planRestore(this.#dataDir, this.path).finally(() => (this.#check = undefined)),
    };
    const plan = await this.#check.plan;
    this.#assertHere(copy);
    if (this.#bytes !== bytes)
      throw new AppError("conflict", "a piece was uploaded during the check; try again");
    return plan;
  }

  /** Keeps the upload until it is restored, however long the daemon takes to stop. */
  retain(): void {
    this.#cancelExpiry();
  }

  /** Deletes it half an hour from now, unless another piece arrives or it is restored. */
  release(): void {
    this.#cancelExpiry();
    this.#cancelExpiry = this.#clock.after(UPLOAD_LIFETIME_MS, () => this.forget());
  }

  /** Deletes the upload. */
  forget(): void {
    this.#cancelExpiry();
    rmSync(this.path, { force: true });
    this.#bytes = 0;
  }

  #assertHere(copy: number): void {
    const isHere = statSync(this.path, { throwIfNoEntry: false }) !== undefined;
    if (copy !== this.#number || !isHere)
      throw new AppError("conflict", "the upload has expired; upload the backup again");
  }

  #start(): void {
    this.forget();
    this.#number += 1;
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o750 });
    writeFileSync(this.path, "", { mode: 0o600 });
  }
}
