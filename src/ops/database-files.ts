import {
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseKind } from "../store/database.ts";
import { checkpointLeftoverWal } from "../store/online-backup.ts";
import { flushFolder, renameDurably } from "../store/durable-files.ts";
import { haveSwappedLogs, versionsOf } from "../store/wal-census.ts";
import { fileStamp } from "./backups.ts";

export type DatabaseName = "santinela.db" | "journal.db";

export interface NamedDatabase {
  readonly name: DatabaseName;
  readonly kind: DatabaseKind;
}

/** The files of a database: without its write-ahead log it is outdated or invalid. */
const ENDINGS = ["", "-wal", "-shm"] as const;
/** Header offset of the application id ("application_id"). */
const APPLICATION_ID_AT = 68;

/**
 * Moves a database with its write-ahead log into a directory of its own, which is never deleted automatically. The
 * complete set exists under its final name before the originals are removed, so that a power cut does not split it.
 * @returns the path of the moved database
 */
export function quarantine(path: string, nowMs: number): string {
  const kept = keep(path, nowMs, renameSync);
  removeSet(path, ENDINGS);
  return kept;
}

/** Where `quarantine` and `replaceAndQuarantine` would put a database now. */
export function quarantinePath(path: string, nowMs: number): string {
  return join(freshFolder(join(dirname(path), "quarantine"), fileStamp(nowMs)), basename(path));
}

/**
 * Replaces a database, which goes into quarantine. One of the two is in place at any time.
 * @param ready a closed database without write-ahead log, on the same file system
 * @returns the path of the replaced database; null if there was none
 */
export function replaceAndQuarantine(path: string, ready: string, nowMs: number): string | null {
  checkpointLeftoverWal(path);
  const kept = existsSync(path) ? keep(path, nowMs, copyFileSync) : null;
  // A remaining log would be applied to the new database.
  removeSet(path, ["-wal", "-shm"]);
  renameDurably(ready, path);
  return kept;
}

/**
 * @param fallback used on a file system without hard links
 * @returns the second path of the database
 */
function keep(path: string, nowMs: number, fallback: (from: string, to: string) => void): string {
  const kept = quarantinePath(path, nowMs);
  const folder = dirname(kept);
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true, mode: 0o750 });
  for (const ending of ENDINGS)
    if (existsSync(path + ending)) linkOr(fallback, path + ending, join(part, basename(path) + ending));
  flushFolder(part);
  renameSync(part, folder);
  flushFolder(dirname(folder));
  return kept;
}

function removeSet(path: string, endings: readonly string[]): void {
  for (const ending of endings) rmSync(path + ending, { force: true });
  flushFolder(dirname(path));
}

function linkOr(fallback: (from: string, to: string) => void, from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    fallback(from, to);
  }
}

function freshFolder(parent: string, name: string): string {
  let folder = join(parent, name);
  for (let number = 2; existsSync(folder); number += 1) folder = join(parent, `${name}-${number}`);
  return folder;
}

/**
 * Corrects the names of two swapped databases, or of their swapped logs, as after a manual copy.
 * @returns whether anything was swapped
 */
export function exchangeSwapped(dataDir: string, [a, b]: readonly [NamedDatabase, NamedDatabase]): boolean {
  const [first, second] = [join(dataDir, a.name), join(dataDir, b.name)];
  const isSwapped =
    applicationIdOf(first) === b.kind.applicationId && applicationIdOf(second) === a.kind.applicationId;
  const endings = haveSwappedLogs(first, second) ? ["-wal"] : isSwapped ? ["", "-wal", "-shm"] : [];
  if (endings.length === 0) return false;
  for (const ending of endings) exchange(first + ending, second + ending);
  flushFolder(dataDir);
  return true;
}

/** The application id of a database. The newest first page may be in its log. */
function applicationIdOf(path: string): number | undefined {
  const [newest] = versionsOf(path);
  const inLog = newest?.overlay.get(1);
  if (inLog) return Buffer.from(inLog).readUInt32BE(APPLICATION_ID_AT);
  if (!existsSync(path)) return undefined;
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(4);
    return readSync(file, bytes, 0, 4, APPLICATION_ID_AT) === 4 ? bytes.readUInt32BE(0) : undefined;
  } finally {
    closeSync(file);
  }
}

function exchange(first: string, second: string): void {
  const temporary = `${first}.exchanged`;
  if (existsSync(first)) renameSync(first, temporary);
  if (existsSync(second)) renameSync(second, first);
  if (existsSync(temporary)) renameSync(temporary, second);
}
