import { statSync } from "node:fs";
import Sqlite from "better-sqlite3";
import { newerProblem, type DatabaseKind } from "./database.ts";

/** `quick` reads every page; `full` also holds each index against its table and each reference against its row. */
export type CheckDepth = "quick" | "full";

/** Enough to tell somebody what is wrong; a damaged page can produce thousands of lines. */
const PROBLEMS_MAX = 10;

/**
 * What is wrong with a database file; empty when nothing is. The file is only read, and a write-ahead log beside it is
 * taken into account. A flipped bit inside a value cannot be found by any of these checks.
 */
export function fileProblems(path: string, kind: DatabaseKind, depth: CheckDepth): string[] {
  let database: Sqlite.Database | undefined;
  try {
    if (statSync(path).size === 0) return ["the file is empty"];
    database = new Sqlite(path, { readonly: true, fileMustExist: true });
    const found = database.pragma("application_id", { simple: true });
    if (found !== kind.applicationId) return [`it is another kind of file (application_id ${String(found)})`];
    const problem = newerProblem(database, kind);
    if (problem !== undefined) return [`it ${problem}`];
    return checked(database, depth);
  } catch (error) {
    return [(error as Error).message];
  } finally {
    database?.close();
  }
}

/** Whether an error says that the file itself is damaged, so that trying again cannot help. */
export function isDamage(error: unknown): boolean {
  if (error instanceof Sqlite.SqliteError) return /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
  return error instanceof Error && error.cause !== undefined && isDamage(error.cause);
}

function checked(database: Sqlite.Database, depth: CheckDepth): string[] {
  const pragma = depth === "quick" ? "quick_check" : "integrity_check";
  const lines = database.pragma(`${pragma}(${PROBLEMS_MAX})`) as Record<string, string>[];
  const problems = lines.flatMap((line) => Object.values(line)).filter((text) => text !== "ok");
  if (depth === "quick" || problems.length > 0) return problems;
  const broken = database.pragma("foreign_key_check") as { table: string; rowid: number | null }[];
  return broken
    .slice(0, PROBLEMS_MAX)
    .map(({ table, rowid }) => `row ${rowid ?? "?"} of ${table} refers to nothing`);
}
