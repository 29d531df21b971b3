import Sqlite from "better-sqlite3";
import { AppError } from "../domain/errors.ts";
import { addonError } from "./addon.ts";
import { keepCopy } from "./migration-copy.ts";
import { maintainRowSums } from "./row-checksums.ts";
import { MarkedDatabase } from "./log-mark.ts";
import { transaction } from "./transaction.ts";

export type Database = Sqlite.Database;

/** One forward step of a schema. Steps are only ever appended; the file stores how many have run (`schemaOf`). */
type Migration = (database: Database) => void;

export interface DatabaseKind {
  /** SQLite's application_id, which identifies our files and distinguishes the two databases. */
  readonly applicationId: number;
  readonly migrations: readonly Migration[];
  /**
   * The number of steps a release must know to use this file. Later steps only add, and newer releases accept rows
   * written without them. So the previous release can be reinstalled without a backup and without data loss.
   * Without this value no earlier release can use the file.
   */
  readonly minReaderVersion?: number;
  /** Migrates rows that an earlier release has written in its own way; retried at the next opening. */
  readonly settle?: (database: Database) => void;
}

/**
 * Opens a database file, sets and checks its pragmas, and migrates its schema.
 *
 * Before the first pending migration the file is copied to `<path>.v<version>`, so that a bad migration can be
 * undone by hand; the copy of an earlier migration is removed. A file of a newer release is rejected, unless that release declares it readable by this one.
 * @param path file path, or `:memory:`
 * @throws AppError `storage` if the file is not ours, is too new, or rejects the pragmas
 */
export function openDatabase(path: string, kind: DatabaseKind): Database {
  let database = connect(path);
  try {
    assertIdentity(database, path, kind);
    setPragmas(database, path);
    if (path !== ":memory:" && isOlder(database, kind)) {
      keepCopy(database, path, stepsOf(database));
      database = connect(path);
      setPragmas(database, path);
    }
    migrate(database, path, kind);
    maintainRowSums(database);
    settle(database, kind);
  } catch (error) {
    database.close();
    throw error instanceof AppError ? error : storageError(path, error);
  }
  return database;
}

function connect(path: string): Database {
  try {
    return new MarkedDatabase(path);
  } catch (cause) {
    const hint = "Check that the directory exists and that this user may write to it.";
    const message = `cannot open the database ${path}: ${(cause as Error).message}`;
    throw addonError(cause) ?? new AppError("storage", message, { hint, cause });
  }
}

/** Reads and writes some tables. Statements are fields, because compiling one takes longer than running it. */
export abstract class Store {
  protected readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  /** Compiles a statement with rows of type `Row`. */
  protected prepare<Row = unknown>(sql: string): Sqlite.Statement<unknown[], Row> {
    return this.database.prepare<unknown[], Row>(sql);
  }
}

/** Reads a database file that may be in use. */
export function readDatabase<T>(path: string, read: (database: Database) => T): T {
  const database = connectForReading(path);
  try {
    return read(database);
  } finally {
    database.close();
  }
}

/** Whether an error comes from a database: the disk is full, missing or locked. Waiting may help, a restart does not. */
export function isStorageError(error: unknown): boolean {
  if (error instanceof AppError) return error.code === "storage";
  return error instanceof Sqlite.SqliteError || isServerError(error);
}

/** Whether PostgreSQL has reported it. Not by its class, which is in a package that a site does not load. */
function isServerError(error: unknown): boolean {
  return error instanceof Error && "severity" in error && "code" in error;
}

/** An error of SQLite that another thread has caught. */
export function sqliteError(message: string, code: string): Error {
  return new Sqlite.SqliteError(message, code);
}

/** Opens a database that another connection writes, to read what is durable: SQLite shows commits once they are on disk. */
export function openReadOnly(path: string): Database {
  const database = connectForReading(path);
  database.pragma("cell_size_check = ON");
  // Waiting would block the event loop; a writer blocks readers only while it repairs a log after a crash.
  database.pragma("busy_timeout = 250");
  database.pragma(`cache_size = ${CACHE_SIZE}`);
  return database;
}

function connectForReading(path: string): Database {
  try {
    return new Sqlite(path, { readonly: true, fileMustExist: true });
  } catch (cause) {
    throw addonError(cause) ?? cause;
  }
}

/** Whether another process held the lock for longer than the busy timeout, so that a retry helps. */
export function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

/** Whether a row does not fit the rules of its table or of those it refers to. */
export function isConstraint(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith("SQLITE_CONSTRAINT");
}

/** Page cache of each connection, in KiB if negative: the default of SQLite. That of the driver is 16 MB, for five connections. */
const CACHE_SIZE = -2000;

/** The pragmas of every connection. `synchronous = FULL` makes an acknowledged commit survive a power cut. */
const PRAGMAS: readonly (readonly [name: string, set: string | number, expected: string | number])[] = [
  ["journal_mode", "WAL", "wal"],
  ["synchronous", "FULL", 2],
  ["foreign_keys", "ON", 1],
  // The driver's default of five seconds would block the event loop.
  ["busy_timeout", 250, 250],
  ["wal_autocheckpoint", 1000, 1000],
  ["journal_size_limit", 4_194_304, 4_194_304],
  ["trusted_schema", "OFF", 0],
  ["cell_size_check", "ON", 1],
  ["mmap_size", 0, 0],
  ["cache_size", CACHE_SIZE, CACHE_SIZE],
];

const INCREMENTAL = 2;

function setPragmas(database: Database, path: string): void {
  // Takes effect only before the first table. Setting it again would write a page, which fails on a full disk.
  if (database.pragma("auto_vacuum", { simple: true }) !== INCREMENTAL)
    database.pragma("auto_vacuum = INCREMENTAL");
  for (const [name, set, expected] of PRAGMAS) {
    database.pragma(`${name} = ${set}`);
    const actual: unknown = database.pragma(name, { simple: true });
    const inMemory = path === ":memory:" && (name === "journal_mode" || name === "mmap_size");
    if (actual !== expected && !inMemory)
      throw new AppError("storage", `${path}: pragma ${name} is ${String(actual)} and must be ${expected}`, {
        hint: "The file system does not support durable databases. Use a local disk.",
      });
  }
}

function assertIdentity(database: Database, path: string, { applicationId }: DatabaseKind): void {
  const found = database.pragma("application_id", { simple: true });
  const version = database.pragma("user_version", { simple: true });
  const isNew = (): boolean =>
    found === 0 &&
    version === 0 &&
    database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  if (found === applicationId || isNew()) return;
  throw new AppError("storage", `${path} is not the expected database (application_id ${String(found)})`, {
    hint: "Set dataDir to the data directory of this installation.",
  });
}

function migrate(database: Database, path: string, kind: DatabaseKind): void {
  const { applicationId, migrations, minReaderVersion = migrations.length } = kind;
  const { version } = schemaOf(database);
  const problem = newerProblem(database, kind);
  if (problem !== undefined)
    throw new AppError("storage", `${path} ${problem}`, {
      hint: "Install that release again, or restore an older backup.",
    });
  if (version > migrations.length) return;
  const stamp = minReaderVersion * STEPS_MAX + migrations.length;
  if (database.pragma("user_version", { simple: true }) === stamp) return;
  transaction(database, () => {
    for (const step of migrations.slice(version)) step(database);
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${stamp}`);
  });
}

function settle(database: Database, kind: DatabaseKind): void {
  // The tables of a newer release are not touched.
  if (isNewer(database, kind)) return;
  try {
    kind.settle?.(database);
  } catch (error) {
    // The daemon must start even on a full disk.
    if (!isStorageError(error)) throw error;
  }
}

/** Upper bound of the number of steps; separates the two numbers in `user_version`. */
const STEPS_MAX = 1000;

/** The number of steps that have run on a file, and the number a release must know to use it. */
function schemaOf(database: Database): { version: number; minReaderVersion: number } {
  const stamp = database.pragma("user_version", { simple: true }) as number;
  const version = stamp % STEPS_MAX;
  // The first releases only stored the number of steps.
  return { version, minReaderVersion: stamp < STEPS_MAX ? version : Math.floor(stamp / STEPS_MAX) };
}

/** The number of steps that have run on a file. */
export function stepsOf(database: Database): number {
  return schemaOf(database).version;
}

/** Whether a newer release has created or migrated a file. */
export function isNewer(database: Database, { migrations }: DatabaseKind): boolean {
  return schemaOf(database).version > migrations.length;
}

/** Why this release cannot use a file of a newer one; undefined if it can. */
export function newerProblem(database: Database, { migrations }: DatabaseKind): string | undefined {
  const { version, minReaderVersion } = schemaOf(database);
  return minReaderVersion > migrations.length
    ? `was made by a newer release (schema ${version}, this one knows ${migrations.length})`
    : undefined;
}

/** Whether an earlier release has written the file. */
function isOlder(database: Database, { migrations }: DatabaseKind): boolean {
  const { version } = schemaOf(database);
  return version > 0 && version < migrations.length;
}

/** @returns an AppError `storage` with the path of the database and the message of its cause */
export function storageError(path: string, cause: unknown): AppError {
  return new AppError("storage", `cannot use the database ${path}: ${(cause as Error).message}`, { cause });
}
