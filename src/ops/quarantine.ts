import { existsSync, linkSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { flushFolder } from "../store/durable-files.ts";
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
  const folder = freshFolder(join(dirname(path), "quarantine"), fileStamp(nowMs));
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true, mode: 0o750 });
  const moved = ENDINGS.filter((ending) => existsSync(path + ending));
  for (const ending of moved) linkOrMove(path + ending, join(part, basename(path) + ending));
  flushFolder(part);
  renameSync(part, folder);
  flushFolder(dirname(folder));
  for (const ending of moved) rmSync(path + ending, { force: true });
  flushFolder(dirname(path));
  return join(folder, basename(path));
}

function linkOrMove(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // A file system without hard links; then the move itself is the only way.
    renameSync(from, to);
  }
}

function freshFolder(parent: string, name: string): string {
  let folder = join(parent, name);
  for (let number = 2; existsSync(folder); number += 1) folder = join(parent, `${name}-${number}`);
  return folder;
}
