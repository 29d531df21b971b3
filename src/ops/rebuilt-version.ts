import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from "node:fs";
import type { DatabaseKind } from "../store/database.ts";
import { copyFile } from "../store/durable-files.ts";
import { fileProblems } from "../store/integrity.ts";
import { isUnreadable } from "../store/unreadable-sectors.ts";
import type { LogVersion } from "../store/wal-census.ts";
import { DATABASE_FILE_SUFFIXES } from "./database-files.ts";

/** Header offset of the journal mode; 1 means without a write-ahead log. */
const JOURNAL_MODE_AT = 18;

/**
 * Rebuilds a database from its file and its write-ahead log: the best version that passes every check.
 * @param damaged the damaged file, which stays unchanged
 * @param staged where the rebuilt file is created
 * @returns the version; undefined if none is intact, and then nothing is left
 * @throws as `copyFile`, such as `ENOSPC`, but not for an unreadable sector: then no version is intact
 */
export function rebuild(
  damaged: string,
  staged: string,
  kind: DatabaseKind,
  versions: readonly LogVersion[],
): LogVersion | undefined {
  const whole = versions.find(
    (version) =>
      isVersionWritten(damaged, staged, version) && fileProblems(staged, kind, "full").length === 0,
  );
  if (!whole) for (const ending of DATABASE_FILE_SUFFIXES) rmSync(staged + ending, { force: true });
  return whole;
}

/**
 * Copies a file whole.
 * @returns false if the disk cannot read all of it: then there is no copy
 * @throws as `copyFile` for any other reason
 */
export function isCopied(from: string, to: string): boolean {
  try {
    copyFile(from, to);
    return true;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return false;
  }
}

function isVersionWritten(
  damaged: string,
  part: string,
  { overlay, pageCount, pageBytes }: LogVersion,
): boolean {
  if (!isCopied(damaged, part)) return false;
  const file = openSync(part, "r+");
  try {
    for (const [page, content] of overlay)
      writeSync(file, content, 0, content.length, (page - 1) * pageBytes);
    if (pageCount !== null) ftruncateSync(file, pageCount * pageBytes);
    writeSync(file, Buffer.from([1, 1]), 0, 2, JOURNAL_MODE_AT);
  } finally {
    closeSync(file);
  }
  return true;
}
