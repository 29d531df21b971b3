import Sqlite from "better-sqlite3";
import { AppError } from "../domain/errors.ts";
import { copyDurably } from "./durable-files.ts";
import { keepRowSums } from "./row-checksums.ts";
import { transaction } from "./transaction.ts";

export type Database = Sqlite.Database;

/** One forward step of a schema. Steps are only ever added; the file counts those that have run (`schemaOf`). */
export type Migration = (database: Database) => void;

export interface DatabaseKind {
  /** SQLite's application_id, so that a file of another program or of our other database is refused. */
  readonly applicationId: number;
  readonly migrations: readonly Migration[];
  /**
   * The number of steps that a release must know to work with this file: the steps after it only add, and the newest
   * release makes do with rows that such a release has written. So the release before can be put back without a copy,
   * and without losing what was recorded meanwhile. Without it no earlier release can.
   */
  readonly minReaderVersion?: number;
  /** Takes over what an earlier release has written meanwhile in its own way; tried again at the next opening. */
  readonly settle?: (database: Database) => void;
}

/**
 * Opens a database file, sets and asserts its pragmas, and brings its schema up to date.
 *
 * Before the first pending migration the file is copied to `<path>.v<version>`, so that a bad step can be undone by
 * hand. A file made by a newer release is refused, unless that release says that this one can work with it.
 * @param path file path, or `:memory:`
 * @throws AppError `storage` when the file is not ours, is too new, or does not accept the pragmas
 */
export function openDatabase(path: string, kind: DatabaseKind): Database {
  let database: Database;
  try {
    database = new Sqlite(path);
  } catch (cause) {
    throw new AppError("storage", `cannot open the database ${path}: ${(cause as Error).message}`, {
      hint: "Check that the folder exists and that this user may write to it.",
      cause,
    });
  }
  try {
    setPragmas(database, path);
    assertIdentity(database, path, kind);
    migrate(database, path, kind);
    keepRowSums(database);
    cacheStatements(database);
    settle(database, kind);
  } catch (error) {
    database.close();
    throw error instanceof AppError ? error : storageError(path, error);
  }
  return database;
}

/** Whether an error is SQLite's own: the disk is full, gone or locked, and waiting may help where a restart does not. */
export function isStorageError(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError || (error instanceof AppError && error.code === "storage");
}

/** Whether another process held the database for longer than we wait: trying again soon will help. */
export function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

/** The pragmas every connection has. FULL is what makes an acknowledged commit survive a power cut. */
const PRAGMAS: readonly (readonly [name: string, set: string | number, expected: string | number])[] = [
  ["journal_mode", "WAL", "wal"],
  ["synchronous", "FULL", 2],
  ["foreign_keys", "ON", 1],
  // The driver's five seconds would block the event loop for as long.
  ["busy_timeout", 250, 250],
  ["wal_autocheckpoint", 1000, 1000],
  ["journal_size_limit", 4_194_304, 4_194_304],
  ["trusted_schema", "OFF", 0],
  ["cell_size_check", "ON", 1],
  ["mmap_size", 0, 0],
];

/** More texts than the program has; lists with filters make new ones. */
const STATEMENTS_MAX = 200;

/** Compiling a statement takes longer than running it, so `prepare` gives the same one again for the same text. */
function cacheStatements(database: Database): void {
  const prepare = database.prepare.bind(database);
  const kept = new Map<string, Sqlite.Statement>();
  database.prepare = ((text: string): Sqlite.Statement => {
    const found = kept.get(text);
    // Whoever plucks says so each time; the next one may want the whole row.
    if (found) return found.reader ? found.pluck(false) : found;
    const made = prepare(text);
    if (kept.size >= STATEMENTS_MAX) kept.delete(kept.keys().next().value ?? "");
    kept.set(text, made);
    return made;
  }) as typeof database.prepare;
}

const INCREMENTAL = 2;

function setPragmas(database: Database, path: string): void {
  // Takes effect only while the file has no table yet. Set again it would write a page, which a full disk refuses.
  if (database.pragma("auto_vacuum", { simple: true }) !== INCREMENTAL)
    database.pragma("auto_vacuum = INCREMENTAL");
  for (const [name, set, expected] of PRAGMAS) {
    database.pragma(`${name} = ${set}`);
    const actual: unknown = database.pragma(name, { simple: true });
    const inMemory = path === ":memory:" && (name === "journal_mode" || name === "mmap_size");
    if (actual !== expected && !inMemory)
      throw new AppError("storage", `${path}: pragma ${name} is ${String(actual)} and must be ${expected}`, {
        hint: "The file system does not support what a durable database needs; use a local disk.",
      });
  }
}

function assertIdentity(database: Database, path: string, { applicationId }: DatabaseKind): void {
  const found = database.pragma("application_id", { simple: true });
  const version = database.pragma("user_version", { simple: true });
  if (found === applicationId || (found === 0 && version === 0)) return;
  throw new AppError(
    "storage",
    `${path} is not the database it should be (application_id ${String(found)})`,
    {
      hint: "Point dataDir to the folder of this installation.",
    },
  );
}

function migrate(database: Database, path: string, kind: DatabaseKind): void {
  const { applicationId, migrations, minReaderVersion = migrations.length } = kind;
  const { version } = schemaOf(database);
  const problem = newerProblem(database, kind);
  if (problem !== undefined)
    throw new AppError("storage", `${path} ${problem}`, {
      hint: "Install that release again, or restore an older copy.",
    });
  if (version > migrations.length) return;
  const stamp = minReaderVersion * STEPS_MAX + migrations.length;
  if (database.pragma("user_version", { simple: true }) === stamp) return;
  if (version > 0 && version < migrations.length && path !== ":memory:") keepCopy(database, path, version);
  transaction(database, () => {
    for (const step of migrations.slice(version)) step(database);
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${stamp}`);
  });
}

function settle(database: Database, kind: DatabaseKind): void {
  // What a newer release has made of its tables is its own business.
  if (isNewer(database, kind)) return;
  try {
    kind.settle?.(database);
  } catch (error) {
    // A full disk keeps no daemon from starting.
    if (!isStorageError(error)) throw error;
  }
}

/** More steps than there will be; tells the two numbers in `user_version` apart. */
const STEPS_MAX = 1000;

/** How many steps have run on a file, and how many a release must know to work with it. */
function schemaOf(database: Database): { version: number; minReaderVersion: number } {
  const stamp = database.pragma("user_version", { simple: true }) as number;
  const version = stamp % STEPS_MAX;
  // The first releases wrote the number of steps alone.
  return { version, minReaderVersion: stamp < STEPS_MAX ? version : Math.floor(stamp / STEPS_MAX) };
}

/** How many steps have run on a file. */
export function stepsOf(database: Database): number {
  return schemaOf(database).version;
}

/** Whether a newer release has made a file, or changed it. */
export function isNewer(database: Database, { migrations }: DatabaseKind): boolean {
  return schemaOf(database).version > migrations.length;
}

/** What keeps this release from working with a newer one's file; undefined when nothing does. */
export function newerProblem(database: Database, { migrations }: DatabaseKind): string | undefined {
  const { version, minReaderVersion } = schemaOf(database);
  return minReaderVersion > migrations.length
    ? `was made by a newer release (schema ${version}, this one knows ${migrations.length})`
    : undefined;
}

function keepCopy(database: Database, path: string, version: number): void {
  // After a full checkpoint the main file alone is the whole database.
  database.pragma("wal_checkpoint(TRUNCATE)");
  copyDurably(path, `${path}.v${version}`);
}

function storageError(path: string, cause: unknown): AppError {
  return new AppError("storage", `cannot use the database ${path}: ${(cause as Error).message}`, { cause });
}
