import { existsSync, statSync } from "node:fs";
import type { DatabaseKind } from "../store/database.ts";
import { fileProblems, isTooNew, type CheckDepth } from "../store/integrity.ts";
import { logCensus, versionsOf, type LogCensus, type LogVersion } from "../store/wal-census.ts";

/** What is found of a database before it is opened. */
export interface FileCondition {
  /** Undefined where nothing is wrong. */
  readonly problem: string | undefined;
  /** What a recovery may make the database of; to be asked before the files are moved. */
  readonly versions: () => readonly LogVersion[];
}

/** What a first start finds. */
export const NOTHING_WRONG: FileCondition = { problem: undefined, versions: () => [] };

/** What is wrong with a database that is not open. Its log is looked at first: opening it would write over the log. */
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
  // Not to be opened: SQLite removes the log of an empty file.
  if (statSync(path).size === 0) return "the file is empty";
  if (census)
    return census.isTorn
      ? "the last commit in its write-ahead log is incomplete: the power went during it, or the log is damaged"
      : "its write-ahead log is damaged";
  // That one is refused by the opening, and stays where it is.
  if (isTooNew(path, kind)) return undefined;
  const problems = fileProblems(path, kind, depth);
  return problems.length === 0 ? undefined : problems.join("; ");
}
