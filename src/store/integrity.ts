import { statSync } from "node:fs";
import Sqlite from "better-sqlite3";
import {
  isBusy,
  isNewer,
  newerProblem,
  readDatabase,
  stepsOf,
  storageError,
  type Database,
  type DatabaseKind,
} from "./database.ts";
import { readSchema } from "./tables.ts";
import { isDiskFull } from "./transaction.ts";

/** `quick` reads every page; `full` also checks each index against its table and each reference against its row. */
export type CheckDepth = "quick" | "full";

/** Maximum reported problems; one damaged page can cause thousands. */
const PROBLEMS_MAX = 10;
/** Above this one a table is taken for used up; no installation comes near it. */
const NUMBER_MAX = 2 ** 50;

/**
 * The problems of a database file; empty if there are none. The file is only read, including its write-ahead log.
 * A missing table counts: the daemon cannot start without it. None of these checks finds a flipped bit inside a value.
 * @throws AppError `storage` if another program holds the file, or the disk is full, so that it cannot be checked
 */
export function fileProblems(path: string, kind: DatabaseKind, depth: CheckDepth): string[] {
  return problemsOf(path, kind, (database) => [
    ...missingParts(database, kind).filter((problem) => problem.startsWith("table ")),
    ...checked(database, depth),
  ]);
}

/**
 * The problems of a database file from an unknown source, checked completely. Its schema is checked first: foreign
 * constraints may take forever to check, and foreign triggers would change the records.
 */
export function untrustedFileProblems(path: string, kind: DatabaseKind): string[] {
  return problemsOf(path, kind, (database) => {
    const foreign = schemaDrift(database, kind).slice(0, PROBLEMS_MAX);
    return foreign.length > 0 ? foreign : [...checked(database, "full"), ...usedUpTables(database)];
  });
}

function problemsOf(path: string, kind: DatabaseKind, check: (database: Database) => string[]): string[] {
  try {
    if (statSync(path).size === 0) return ["the file is empty"];
    return readDatabase(path, (database) => {
      const found = database.pragma("application_id", { simple: true });
      if (found !== kind.applicationId)
        return [`it is another kind of file (application_id ${String(found)})`];
      const problem = newerProblem(database, kind);
      return problem === undefined ? check(database) : [`it ${problem}`];
    });
  } catch (error) {
    // Another program holds it: that is no damage, and replacing it would lose what that program writes. Nor is a disk without
    // room for the index of its log.
    if (isBusy(error) || isDiskFull(error)) throw storageError(path, error);
    return [(error as Error).message];
  }
}

/** Whether a file is of a newer release that this one cannot use: it is not damaged, and is left as it is. @throws as `fileProblems` */
export function isTooNew(path: string, kind: DatabaseKind): boolean {
  try {
    return readDatabase(path, (database) => {
      const found = database.pragma("application_id", { simple: true });
      return found === kind.applicationId && newerProblem(database, kind) !== undefined;
    });
  } catch (error) {
    if (isBusy(error) || isDiskFull(error)) throw storageError(path, error);
    return false;
  }
}

/** Whether an error shows that the file is damaged, so that a retry cannot help. */
export function isDamage(error: unknown): boolean {
  if (error instanceof Sqlite.SqliteError) return /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
  return error instanceof Error && error.cause !== undefined && isDamage(error.cause);
}

function checked(database: Database, depth: CheckDepth): string[] {
  const pragma = depth === "quick" ? "quick_check" : "integrity_check";
  const lines = database.pragma(`${pragma}(${PROBLEMS_MAX})`) as Record<string, string>[];
  const problems = lines.flatMap((line) => Object.values(line)).filter((text) => text !== "ok");
  problems.push(...failedChecks(database));
  if (depth === "quick" || problems.length > 0) return problems;
  const broken = database.pragma("foreign_key_check") as { table: string; rowid: number | null }[];
  return broken
    .slice(0, PROBLEMS_MAX)
    .map(({ table, rowid }) => `row ${rowid ?? "?"} of ${table} refers to a missing row`);
}

/** SQLite leaves the CHECK constraints out where a file is opened for reading, in its own checks as well. */
function failedChecks(database: Database): string[] {
  const tables = database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%CHECK%'")
    .all() as { name: string; sql: string }[];
  return tables.flatMap(({ name, sql }) => {
    const isFailed = checksIn(sql).some(
      (check) => database.prepare(`SELECT 1 FROM "${name}" WHERE NOT (${check}) LIMIT 1`).get() !== undefined,
    );
    return isFailed ? [`CHECK constraint failed in ${name}`] : [];
  });
}

/** The expressions of the CHECK constraints in a CREATE TABLE statement. */
function checksIn(sql: string): string[] {
  const text = sql.replaceAll(/--.*$/gm, "");
  return [...text.matchAll(/\bCHECK\s*\(/gi)].map(({ index, 0: { length } }) => {
    const start = index + length;
    let depth = 1;
    let isQuoted = false;
    let end = start;
    for (; depth > 0 && end < text.length; end += 1) {
      if (text[end] === "'") isQuoted = !isQuoted;
      else if (!isQuoted && text[end] === "(") depth += 1;
      else if (!isQuoted && text[end] === ")") depth -= 1;
    }
    return text.slice(start, end - 1);
  });
}

/**
 * The differences of a file's schema from that of a release, one sentence each. Additional tables and indexes are
 * ignored as long as they reject no row; a newer release may have added them.
 */
function schemaDrift(database: Database, kind: DatabaseKind): string[] {
  const own = readSchema(kind, stepsOf(database), partsOf);
  const found = partsOf(database);
  const missing = missingParts(database, kind);
  const isOfNewer = isNewer(database, kind);
  const foreign = [...found].filter(([name, text]) => {
    const expected = own.get(name);
    if (expected === undefined) return !isHarmless(text);
    return expected !== text && !(isOfNewer && hasOnlyFurtherColumns(text, expected));
  });
  return [...missing, ...foreign.map(([name]) => `${name} differs from this release`)];
}

/** Columns that a newer release may have added to a table: a row can be added without them. */
const FURTHER_COLUMNS =
  /^(?:, ?(\w+) (?:TEXT(?: CHECK ?\(json_valid\(\1\)\))?|INTEGER(?:(?: NOT NULL)? DEFAULT (?:[01] CHECK ?\(\1 IN \(0, ?1\)\)|\d{1,15}))?|REAL|BLOB))+$/;

/** Whether the statement of a table differs from the one of this release only by such columns. */
function hasOnlyFurtherColumns(text: string, expected: string): boolean {
  const added = text.length - expected.length;
  for (let at = 0; at < expected.length && text.startsWith(expected.slice(0, at)); at += 1)
    if (text.endsWith(expected.slice(at)) && FURTHER_COLUMNS.test(text.slice(at, at + added))) return true;
  return false;
}

/** The tables of which the next row would get no number, as problems. One beyond those that JavaScript counts exactly is the last. */
function usedUpTables(database: Database): string[] {
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'")
    .pluck()
    .all() as string[];
  return tables
    .filter((name) => {
      const ids = `SELECT seq FROM sqlite_sequence WHERE name = ? UNION ALL SELECT max(rowid) FROM "${name}"`;
      return database.prepare(`SELECT 1 FROM (${ids}) WHERE seq > ${NUMBER_MAX}`).get(name) !== undefined;
    })
    .concat(usedUpTrail(database))
    .map((name) => `the numbers of table ${name} are used up`);
}

/** The tables of the audit trail, which counts its positions itself: each audited event, such as a sign-in, adds one. */
function usedUpTrail(database: Database): string[] {
  const exists = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  return ["audit", "audit_cut"].filter(
    (name) =>
      exists.get(name) !== undefined &&
      database.prepare(`SELECT 1 FROM ${name} WHERE position > ${NUMBER_MAX}`).get() !== undefined,
  );
}

/** The parts that this release creates and the file does not have, as problems. */
function missingParts(database: Database, kind: DatabaseKind): string[] {
  const found = partsOf(database);
  const own = [...readSchema(kind, stepsOf(database), partsOf).keys()];
  return own.filter((name) => !found.has(name)).map((name) => `${name} is missing`);
}

/** The parts of a schema by type and name, as SQL. */
function partsOf(database: Database): Map<string, string> {
  const rows = database
    .prepare(
      `SELECT type, name, sql FROM sqlite_schema
       WHERE sql IS NOT NULL AND name NOT IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4')`,
    )
    .all() as { type: string; name: string; sql: string }[];
  return new Map(rows.map(({ type, name, sql }) => [`${type} ${name}`, plain(sql)]));
}

/** Removes comments and line breaks. */
function plain(sql: string): string {
  return sql
    .replaceAll(/--[^\n]*/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/**
 * A table that refers to no other: a reference would keep rows of that one from being removed. An index of columns: one of an
 * expression rejects each row for which the expression fails.
 */
function isHarmless(text: string): boolean {
  if (/^CREATE TABLE /i.test(text)) return !/\bREFERENCES\b/i.test(text);
  return /^CREATE INDEX "?\w+"? ON "?\w+"? ?\([\w", ]+\)$/i.test(text);
}
