import { copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { checkpointLeftoverWal } from "../store/online-backup.ts";
import { flushFolder, renameDurably } from "../store/durable-files.ts";
import { fileStamp } from "./backups.ts";

/** A database is these files together: without its write-ahead log it is an older one, or none. */
const ENDINGS = ["", "-wal", "-shm"] as const;

/**
 * Moves a database out of the way, with its write-ahead log, into a folder of its own that is never deleted by itself.
 * The whole set stands there under its final name before the first original goes, so a power cut in between parts
 * nothing.
 * @returns where the database is now
 */
export function quarantine(path: string, nowMs: number): string {
  const kept = keep(path, nowMs, renameSync);
  removeSet(path, ENDINGS);
  return kept;
}

/** Where `quarantine` and `replaceKeeping` would put a database now. */
export function quarantinePath(path: string, nowMs: number): string {
  return join(freshFolder(join(dirname(path), "quarantine"), fileStamp(nowMs)), basename(path));
}

/**
 * Puts a finished database in the place of another one, which goes into quarantine. At no moment is there none.
 * @param ready one that is closed and needs no write-ahead log, on the same disk
 * @returns where the other one is now
 */
export function replaceAndQuarantine(path: string, ready: string, nowMs: number): string | null {
  checkpointLeftoverWal(path);
  const kept = existsSync(path) ? keep(path, nowMs, copyFileSync) : null;
  // A log that stayed would be read into the new one.
  removeSet(path, ["-wal", "-shm"]);
  renameDurably(ready, path);
  return kept;
}

/** @param otherwise for a file system without hard links @returns where the database is now as well */
function keep(path: string, nowMs: number, otherwise: (from: string, to: string) => void): string {
  const kept = quarantinePath(path, nowMs);
  const folder = dirname(kept);
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true, mode: 0o750 });
  for (const ending of ENDINGS)
    if (existsSync(path + ending)) linkOr(otherwise, path + ending, join(part, basename(path) + ending));
  flushFolder(part);
  renameSync(part, folder);
  flushFolder(dirname(folder));
  return kept;
}

function removeSet(path: string, endings: readonly string[]): void {
  for (const ending of endings) rmSync(path + ending, { force: true });
  flushFolder(dirname(path));
}

function linkOr(otherwise: (from: string, to: string) => void, from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    otherwise(from, to);
  }
}

function freshFolder(parent: string, name: string): string {
  let folder = join(parent, name);
  for (let number = 2; existsSync(folder); number += 1) folder = join(parent, `${name}-${number}`);
  return folder;
}
