import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppError } from "../domain/errors.ts";
import { backupOnline } from "../store/online-backup.ts";
import { fileProblems } from "../store/integrity.ts";
import { MAIN_DATABASE } from "../store/main-database.ts";
import { renameDurably, writeDurably } from "../store/durable-files.ts";

/** A kept copy of the main database. */
export interface Backup {
  readonly path: string;
  /** Wall clock of its making, from its name: a copied file's own times are the copier's. */
  readonly atMs: number;
}

const BACKUPS_KEPT = 3;
const WEEK_MS = 7 * 86_400_000;

/** A wall-clock moment as it stands in names of files, such as `2026-11-21T03-17-00Z`. */
export function fileStamp(wallMs: number): string {
  return new Date(wallMs)
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(":", "-");
}

/** The kept copies, the newest first. */
export function backupsIn(dataDir: string): Backup[] {
  let names: string[];
  try {
    names = readdirSync(backupFolder(dataDir));
  } catch {
    return [];
  }
  return names
    .flatMap((name) => {
      const [, day, hours, minutes, seconds] =
        /^santinela-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.db$/.exec(name) ?? [];
      const atMs = Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`);
      return Number.isNaN(atMs) ? [] : [{ path: join(backupFolder(dataDir), name), atMs }];
    })
    .sort((a, b) => b.atMs - a.atMs);
}

/**
 * Copies the main database while it may be in use, checks the copy as a whole, and only then gives it its name.
 * @param out the copy; what is there already is replaced
 * @throws AppError `storage` when the copy fails its check: then the database itself is damaged, which the next start
 * of the daemon looks into; `cannot-create` when the copy cannot be written
 */
export async function backUp(dataDir: string, out: string): Promise<void> {
  const part = `${out}.part`;
  try {
    mkdirSync(dirname(out), { recursive: true, mode: 0o750 });
    forgetPart(part);
    await backupOnline(join(dataDir, "santinela.db"), part);
  } catch (cause) {
    forgetPart(part);
    throw new AppError("cannot-create", `cannot write the copy ${out}: ${(cause as Error).message}`, {
      hint: "Check the free space and the permissions of that folder.",
      cause,
    });
  }
  const problems = fileProblems(part, MAIN_DATABASE, "full");
  if (problems.length > 0) {
    forgetPart(part);
    requestIntegrityCheck(dataDir, problems.join("\n"));
    throw new AppError("storage", `the database is damaged: ${problems.join("; ")}`, {
      hint: "The earlier copies are kept. Restart the daemon: it restores the newest good copy and saves what can be read.",
    });
  }
  renameDurably(part, out);
}

/** Makes one of the regular copies and removes those that are no longer kept. @returns its path */
export async function backUpRegularly(dataDir: string, nowMs: number): Promise<string> {
  const path = join(backupFolder(dataDir), `santinela-${fileStamp(nowMs)}.db`);
  await backUp(dataDir, path);
  const kept = new Set(keptOf(backupsIn(dataDir)).map((backup) => backup.path));
  for (const name of readdirSync(backupFolder(dataDir))) {
    const found = join(backupFolder(dataDir), name);
    if (/^santinela-.*\.db(\.part(-\w+)?)?$/.test(basename(name)) && !kept.has(found))
      rmSync(found, { force: true });
  }
  return path;
}

/** Removes an unfinished copy and what SQLite writes beside it, which would be read into the next one. */
function forgetPart(part: string): void {
  for (const ending of ["", "-journal", "-wal", "-shm"]) rmSync(part + ending, { force: true });
}

/**
 * Has the next start look at every page of the databases, and never fails: whoever has met the damage has an error of its
 * own to tell. Once is enough; a flush for each write that meets it would keep a failing card busy.
 * @param why for whoever finds the file
 */
export function requestIntegrityCheck(dataDir: string, why: string): void {
  const file = integrityCheckFile(dataDir);
  if (existsSync(file)) return;
  try {
    writeDurably(file, `${why}\n`);
  } catch {
    // A disk that takes no note: the next start only looks less closely.
  }
}

/** Where a failed check is noted for the next start. */
export function integrityCheckFile(dataDir: string): string {
  return join(dataDir, "check-failed.txt");
}

/** The newest three, and the last one of an earlier week. */
function keptOf(backups: readonly Backup[]): Backup[] {
  const newest = backups.slice(0, BACKUPS_KEPT);
  const thisWeek = Math.floor((backups[0]?.atMs ?? 0) / WEEK_MS);
  const weekly = backups.slice(BACKUPS_KEPT).find(({ atMs }) => Math.floor(atMs / WEEK_MS) < thisWeek);
  return weekly ? [...newest, weekly] : newest;
}

function backupFolder(dataDir: string): string {
  return join(dataDir, "backups");
}
