import { existsSync, linkSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppError } from "../domain/errors.ts";
import { openDatabase, type DatabaseKind } from "../store/database.ts";
import { flush, readJson, writeDurably } from "../store/durable-files.ts";
import { fileStamp } from "./backups.ts";
import { namesIfThere } from "./files-if-there.ts";

/*
 * Replaces a database by another one. The other one is completed in a directory of its own, `<name>.preparing`, and
 * the present one stays as it is. Renaming that directory to `<name>.ready` is the decision: from then on each start
 * continues with what is left to do, so that a power cut at any moment loses neither of the two.
 */

export type DatabaseName = "santinela.db" | "journal.db";

export interface NamedDatabase {
  readonly name: DatabaseName;
  readonly kind: DatabaseKind;
}

/** The files of a database: without its write-ahead log it is outdated or invalid. */
export const DATABASE_FILE_SUFFIXES = ["", "-wal", "-shm", "-mark"] as const;

/** What is stored with a replacement until it is forgotten. */
export interface Replacement {
  /** Where the replaced database is kept; null if there was none. */
  readonly quarantined: string | null;
  /** Where the journal is kept that an empty one replaces too; missing if it stays. */
  readonly keptJournal?: string;
}

/**
 * Creates the directory in which a replacement is prepared; removes the rest of an interrupted one.
 * @returns the path at which the new database is to be created
 */
export function stageReplacement(path: string): string {
  clearStaging(path);
  mkdirSync(stagingOf(path), { mode: 0o750 });
  return join(stagingOf(path), basename(path));
}

/** Removes an unfinished replacement, which may be as large as the database. */
export function clearStaging(path: string): void {
  rmSync(stagingOf(path), { recursive: true, force: true });
}

/**
 * Puts the prepared database into the place of the present one, which goes into quarantine with its write-ahead log.
 * @param replacement remains available from `finishReplacement` until `forgetReplacement`
 * @throws AppError `storage` if the prepared database was not closed completely
 */
export function replaceDatabase(path: string, replacement: Replacement): void {
  const staged = join(stagingOf(path), basename(path));
  if (existsSync(`${staged}-wal`))
    throw new AppError("storage", `${staged} could not be completed`, { hint: "Check the disk." });
  flush(staged);
  decide(path, replacement);
  finishReplacement(path, () => replacement);
}

/** Notes a replacement that leaves the database in its place; it remains available as after `replaceDatabase`. */
export function noteReplacement(path: string, replacement: Replacement): void {
  stageReplacement(path);
  decide(path, replacement);
}

function decide(path: string, replacement: Replacement): void {
  writeDurably(join(stagingOf(path), NOTE), JSON.stringify(replacement));
  renameSync(stagingOf(path), readyOf(path));
  flush(dirname(path));
}

/**
 * Completes the last replacement.
 * @param unreadable gives the replacement if its note is damaged
 * @returns the replacement, complete; undefined if there was none or it is forgotten
 */
export function finishReplacement<R extends Replacement>(path: string, unreadable: () => R): R | undefined {
  const note = join(readyOf(path), NOTE);
  if (!existsSync(note)) {
    // Left by a power cut while it was forgotten: no later replacement could take its name.
    forgetReplacement(path);
    return undefined;
  }
  const replacement = (readJson(note) as R | undefined) ?? unreadable();
  const ready = join(readyOf(path), basename(path));
  if (!existsSync(ready)) return replacement;
  if (replacement.quarantined !== null) keep(path, replacement.quarantined);
  // A remaining log would be applied to the new database.
  for (const ending of DATABASE_FILE_SUFFIXES) if (ending !== "") rmSync(path + ending, { force: true });
  flush(dirname(path));
  renameSync(ready, path);
  flush(dirname(path));
  return replacement;
}

/** Puts an empty database into the place of one that goes into quarantine; can be repeated until the replacement is forgotten. */
export function beginAgain(path: string, kept: string, kind: DatabaseKind): void {
  keep(path, kept);
  for (const ending of DATABASE_FILE_SUFFIXES) rmSync(path + ending, { force: true });
  openDatabase(path, kind).close();
  flush(dirname(path));
}

export function forgetReplacement(path: string): void {
  rmSync(readyOf(path), { recursive: true, force: true });
}

/** Whether a start is still to complete or report the replacement of a database. */
export function isReplacementPending(path: string): boolean {
  return existsSync(readyOf(path));
}

/** Where a database that is replaced now is kept. @param mark added to the name of the directory, for a second database */
export function quarantinePath(path: string, nowMs: number, mark = ""): string {
  return join(freshFolder(join(dirname(path), QUARANTINE), `${fileStamp(nowMs)}${mark}`), basename(path));
}

/** The size of all databases in quarantine: nothing else limits it. */
export function quarantineBytes(dataDir: string): number {
  const folders = namesIfThere(join(dataDir, QUARANTINE)).map((name) => join(dataDir, QUARANTINE, name));
  return folders
    .flatMap((folder) => namesIfThere(folder).map((name) => join(folder, name)))
    .reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
}

const NOTE = "replacement.json";
const QUARANTINE = "quarantine";

function stagingOf(path: string): string {
  return `${path}.preparing`;
}

function readyOf(path: string): string {
  return `${path}.ready`;
}

/**
 * Gives a database with its log a second path in a directory that is never deleted automatically. The directory
 * gets its name when it is complete. What an interrupted call has moved stays in it.
 */
function keep(path: string, kept: string): void {
  // The data directory may have been moved since.
  const folder = join(dirname(path), QUARANTINE, basename(dirname(kept)));
  if (existsSync(folder)) return;
  const part = `${folder}.part`;
  mkdirSync(part, { recursive: true, mode: 0o750 });
  for (const ending of DATABASE_FILE_SUFFIXES)
    if (existsSync(path + ending)) linkOrMove(path + ending, join(part, basename(path) + ending));
  flush(part);
  renameSync(part, folder);
  flush(dirname(folder));
}

/** Moves a file on a file system without hard links; one that has both names already keeps them. */
function linkOrMove(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    renameSync(from, to);
  }
}

function freshFolder(parent: string, name: string): string {
  let folder = join(parent, name);
  for (let number = 2; existsSync(folder) || existsSync(`${folder}.part`); number += 1)
    folder = join(parent, `${name}-${number}`);
  return folder;
}
