import { existsSync, statSync } from "node:fs";
import type { DatabaseKind } from "../store/database.ts";
import { fileProblems, isTooNew, type CheckDepth } from "../store/integrity.ts";
import { logCensus, versionsOf, type LogCensus, type LogVersion } from "../store/wal-census.ts";

/** The state of a database file before it is opened. */
export interface FileCondition {
  /** Undefined if intact. */
  readonly problem: string | undefined;
  /** The recoverable states; call it before the files are moved. */
  readonly versions: () => readonly LogVersion[];
}

/** The state at the first run. */
export const INTACT: FileCondition = { problem: undefined, versions: () => [] };

/** Checks a closed database. The log is read first, because opening the database would overwrite it. */
export function conditionOf(path: string, kind: DatabaseKind, depth: CheckDepth): FileCondition {
  const census = logCensus(path);
  const versions = (): readonly LogVersion[] => census?.versions ?? versionsOf(path);
  return { problem: problemOf(path, kind, depth, census), versions };
}

function problemOf(
  path: string,
  kind: DatabaseKind,
  depth: CheckDepth,
  census: LogCensus | undefined,
): string | undefined {
  if (!existsSync(path)) return "the file is missing";
  // Do not open it: SQLite removes the log of an empty file.
  if (statSync(path).size === 0) return "the file is empty";
  if (census)
    return census.isTorn
      ? "the last commit in its write-ahead log is incomplete: a power cut interrupted it, or the log is damaged"
      : "its write-ahead log is damaged";
  // Opening it will be rejected, and the file stays in place.
  if (isTooNew(path, kind)) return undefined;
  const problems = fileProblems(path, kind, depth);
  return problems.length === 0 ? undefined : problems.join("; ");
}
