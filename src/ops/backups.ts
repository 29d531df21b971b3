import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError, messageOf } from "../domain/errors.ts";
import { takeInstanceLock } from "../store/instance-lock.ts";
import { backupOnline } from "../store/online-backup.ts";
import { fileProblems, isDamage } from "../store/integrity.ts";
import { MAIN_DATABASE } from "../store/main-database.ts";
import { renameDurably, writeDurably } from "../store/durable-files.ts";
import { assertBackupPlace, unwrittenBackup } from "./backup-place.ts";
import { namesIfThere } from "./files-if-there.ts";
import { FULL_BYTES, freeBytes } from "./reserve-file.ts";

/** A stored backup of the main database. */
export interface Backup {
  readonly path: string;
  /** Wall clock of its creation, from its name: file times change when a file is copied. */
  readonly atMs: number;
}

const SCHEDULED = /^santinela-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db(\.part(-\w+)?)?$/;
const UNFINISHED = /\.part(-\w+)?$/;
const BACKUPS_KEPT = 3;
const WEEK_MS = 7 * 86_400_000;

/** A wall clock time as used in file names, such as `2026-11-21T03-17-00Z`. */
export function fileStamp(wallMs: number): string {
  return new Date(wallMs)
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(":", "-");
}

/** The stored backups, newest first. */
export function backupsIn(dataDir: string): Backup[] {
  return namesIfThere(backupFolder(dataDir))
    .flatMap((name) => {
      const [, day, hours, minutes, seconds] =
        /^santinela-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.db$/.exec(name) ?? [];
      const atMs = Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`);
      return Number.isNaN(atMs) ? [] : [{ path: join(backupFolder(dataDir), name), atMs }];
    })
    .sort((a, b) => b.atMs - a.atMs);
}

/** A clock that was a little ahead, or is behind now until it is set, makes no backup doubtful. */
const AHEAD_MS_MAX = 86_400_000;

/** The backups as they are to be used: those that a clock far ahead has dated come last, whatever their date. */
export function bestFirst(backups: readonly Backup[], nowMs: number): Backup[] {
  const isDoubtful = ({ atMs }: Backup): boolean => atMs > nowMs + AHEAD_MS_MAX;
  return [...backups.filter((one) => !isDoubtful(one)), ...backups.filter(isDoubtful)];
}

/**
 * Backs up the main database, which may be in use. The backup is checked before it gets its name.
 * @param out path of the backup; an existing file is replaced
 * @throws AppError `storage` if the backup fails its check, which means that the database is damaged; the next
 * start checks it. `cannot-create` if the backup cannot be written, or is damaged by its medium
 */
export async function backUp(dataDir: string, out: string): Promise<void> {
  await writeBackup(dataDir, out);
  finishBackup(dataDir, out, backupProblems(dataDir, out));
}

/** The first step of `backUp`: writes the backup under a temporary name. @throws AppError `cannot-create` */
export async function writeBackup(dataDir: string, out: string): Promise<void> {
  const part = partOf(out);
  if (dirname(out) !== backupFolder(dataDir)) assertBackupPlace(out);
  try {
    mkdirSync(dirname(out), { recursive: true, mode: 0o750 });
    removePart(part);
    assertRoom(dataDir, dirname(out));
    await backupOnline(join(dataDir, "santinela.db"), part);
  } catch (cause) {
    removePartIfPossible(part);
    throw unwrittenBackup(
      out,
      messageOf(cause),
      "Check the free space and the permissions of that directory.",
      cause,
    );
  }
}

/** A backup on the disk of the data directory leaves the space in which all records are accepted. */
function assertRoom(dataDir: string, folder: string): void {
  if (statSync(folder).dev !== statSync(dataDir).dev) return;
  const files = ["santinela.db", "santinela.db-wal"].map((name) => join(dataDir, name));
  const sizes = files.map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  const neededBytes = sizes.reduce((total, size) => total + size, FULL_BYTES);
  const free = freeBytes(folder);
  if (free >= neededBytes) return;
  const megabytes = (bytes: number): number => Math.ceil(bytes / 1_048_576);
  throw new Error(
    `about ${megabytes(neededBytes)} MB are needed in ${folder}, ${Math.floor(free / 1_048_576)} MB are free`,
  );
}

/**
 * The second step of `backUp`: the problems of the written backup; empty if there are none.
 * @throws AppError `cannot-create` if only the backup is damaged, as by its medium
 */
export function backupProblems(dataDir: string, out: string): string[] {
  const problems = fileProblems(partOf(out), MAIN_DATABASE, "full");
  if (problems.length === 0 || fileProblems(join(dataDir, "santinela.db"), MAIN_DATABASE, "full").length > 0)
    return problems;
  removePartIfPossible(partOf(out));
  throw new AppError("cannot-create", `the written backup ${out} is not intact: ${problems.join("; ")}`, {
    hint: "The database is intact. Use another medium, or check this one.",
  });
}

/** The last step of `backUp`. @throws AppError `storage`, or `cannot-create` if the backup cannot get its name */
export function finishBackup(dataDir: string, out: string, problems: readonly string[]): void {
  const part = partOf(out);
  if (problems.length > 0) {
    removePartIfPossible(part);
    requestIntegrityCheck(dataDir, problems.join("\n"));
    throw new AppError("storage", `the database is damaged: ${problems.join("; ")}`, {
      hint: "Earlier backups are kept. A running daemon restarts itself and recovers the database; otherwise start it.",
    });
  }
  try {
    renameDurably(part, out);
  } catch (cause) {
    removePartIfPossible(part);
    throw unwrittenBackup(
      out,
      messageOf(cause),
      "Check the medium and the permissions of that directory.",
      cause,
    );
  }
}

function partOf(out: string): string {
  return `${out}.part`;
}

/**
 * Creates a scheduled backup and removes expired ones.
 * @returns its path
 * @throws AppError as `backUp`; `busy` while another process makes one
 */
export async function backUpRegularly(dataDir: string, nowMs: number): Promise<string> {
  const folder = backupFolder(dataDir);
  const path = join(folder, `santinela-${fileStamp(nowMs)}.db`);
  const release = takeBackupLock(dataDir);
  try {
    // Left by a power cut. Each is as large as the database, and this backup may need its space.
    removeScheduled(dataDir, (name) => UNFINISHED.test(name));
    await backUp(dataDir, path);
    const kept = new Set(keptOf(bestFirst(backupsIn(dataDir), nowMs)).map((backup) => backup.path));
    removeScheduled(dataDir, (name) => !kept.has(join(folder, name)));
  } finally {
    release();
  }
  return path;
}

/** Removes only what `backUpRegularly` has written: a person may keep backups of their own in the folder. */
function removeScheduled(dataDir: string, isMeant: (name: string) => boolean): void {
  const folder = backupFolder(dataDir);
  for (const name of namesIfThere(folder))
    if (SCHEDULED.test(name) && isMeant(name)) rmSync(join(folder, name), { force: true });
}

/**
 * Excludes the scheduled backup of any other process, whose unfinished file would be removed. A directory that cannot be used is
 * reported by `backUp`.
 * @returns a function that releases it
 * @throws AppError `busy` while another process makes a backup
 */
export function takeBackupLock(dataDir: string): () => void {
  try {
    return takeInstanceLock(join(dataDir, "backup.lock"));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "busy") return () => {};
    throw new AppError("busy", "another backup is being made", { hint: "Try again when it is complete." });
  }
}

/** Removes an unfinished backup and SQLite's files beside it, which would be read into the next one. */
function removePart(part: string): void {
  for (const ending of ["", "-journal", "-wal", "-shm"]) rmSync(part + ending, { force: true });
}

/** For a caller that reports an error: a medium that is gone or fails must not hide it. */
function removePartIfPossible(part: string): void {
  try {
    removePart(part);
  } catch {
    // It stays: the next backup to this place removes it.
  }
}

/**
 * Requests an integrity check at the next start. Never fails, because the caller reports the error that it has met.
 * The file is written only once, so that a failing SD card is not kept busy; damage replaces what a start has left in it.
 * @param why reason, for readers of the file
 */
export function requestIntegrityCheck(dataDir: string, why: string): void {
  const file = integrityCheckFile(dataDir);
  try {
    const known = requestedIntegrityCheck(dataDir);
    if (known !== undefined && (known !== ALTERED_ROWS || why === ALTERED_ROWS)) return;
    writeDurably(file, `${why}\n`);
  } catch {
    // The request cannot be stored: the next start checks less.
  }
}

/** Requests the check when an error of reading means that the file is damaged; other errors change nothing. */
export function integrityCheckOnDamage(dataDir: string): (error: unknown) => void {
  return (error) => {
    if (isDamage(error)) requestIntegrityCheck(dataDir, messageOf(error));
  };
}

/** The reason of a check that a start requests: only a full one compares altered rows with the constraints of the schema. */
export const ALTERED_ROWS = "rows have a wrong checksum";

/** The reason of a requested integrity check; undefined if none is requested. @throws an error of the disk */
export function requestedIntegrityCheck(dataDir: string): string | undefined {
  const file = integrityCheckFile(dataDir);
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}

/** Path of the file that requests an integrity check. */
export function integrityCheckFile(dataDir: string): string {
  return join(dataDir, "check-failed.txt");
}

/** The best three backups, and the last one of an earlier week. @param backups as `bestFirst` */
function keptOf(backups: readonly Backup[]): Backup[] {
  const newest = backups.slice(0, BACKUPS_KEPT);
  const thisWeek = Math.floor((backups[0]?.atMs ?? 0) / WEEK_MS);
  const weekly = backups.slice(BACKUPS_KEPT).find(({ atMs }) => Math.floor(atMs / WEEK_MS) < thisWeek);
  return weekly ? [...newest, weekly] : newest;
}

export function backupFolder(dataDir: string): string {
  return join(dataDir, "backups");
}
