import { closeSync, copyFileSync, ftruncateSync, openSync, rmSync, writeSync } from "node:fs";
import type { DatabaseKind } from "../store/database.ts";
import { renameDurably } from "../store/durable-files.ts";
import { fileProblems } from "../store/integrity.ts";
import type { LogVersion } from "../store/wal-census.ts";

/** Header offset of the journal mode; 1 means without a write-ahead log. */
const JOURNAL_MODE_AT = 18;

/**
 * Rebuilds a database from its file and its write-ahead log: the best version that passes every check.
 * @param damaged the damaged file, which stays unchanged
 * @param path where the rebuilt file is put
 * @returns the version; undefined if none is intact, and then nothing is written
 */
export function rebuild(
  damaged: string,
  path: string,
  kind: DatabaseKind,
  versions: readonly LogVersion[],
): LogVersion | undefined {
  const part = `${path}.part`;
  try {
    const whole = versions.find((version) => {
      writeVersion(damaged, part, version);
      return fileProblems(part, kind, "full").length === 0;
    });
    if (whole) renameDurably(part, path);
    return whole;
  } finally {
    for (const ending of ["", "-wal", "-shm"]) rmSync(part + ending, { force: true });
  }
}

function writeVersion(damaged: string, part: string, { overlay, pageCount, pageBytes }: LogVersion): void {
  copyFileSync(damaged, part);
  const file = openSync(part, "r+");
  try {
    for (const [page, content] of overlay)
      writeSync(file, content, 0, content.length, (page - 1) * pageBytes);
    if (pageCount !== null) ftruncateSync(file, pageCount * pageBytes);
    writeSync(file, Buffer.from([1, 1]), 0, 2, JOURNAL_MODE_AT);
  } finally {
    closeSync(file);
  }
}
