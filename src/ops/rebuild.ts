import { closeSync, copyFileSync, ftruncateSync, openSync, rmSync, writeSync } from "node:fs";
import type { DatabaseKind } from "../store/database.ts";
import { renameDurably } from "../store/durable-files.ts";
import { fileProblems } from "../store/integrity.ts";
import type { LogVersion } from "../store/wal-census.ts";

/** Where the header says how a database is journalled; 1 means without a write-ahead log. */
const JOURNALLING_AT = 18;

/**
 * Makes a database whole again out of its file and what its write-ahead log still has: the best version that passes every
 * check.
 * @param damaged the file, which stays as it is
 * @param path where the whole one is put
 * @returns the version; undefined when none is whole, and nothing was put there
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
    writeSync(file, Buffer.from([1, 1]), 0, 2, JOURNALLING_AT);
  } finally {
    closeSync(file);
  }
}
