import Sqlite from "better-sqlite3";
import { AppError } from "../domain/errors.ts";
import type { Database } from "./database.ts";
import { StatementCache } from "./statement-cache.ts";

/**
 * Runs `work` in a transaction that takes the write lock at once, and rolls it back if `work` throws. On a full
 * disk it is retried once after space was freed. Inside another transaction it is a savepoint.
 * @param undo called with the error of each rollback
 */
export function transaction<T>(
  database: Database,
  work: () => T,
  undo: (error: unknown) => void = () => {},
): T {
  // A savepoint cannot be retried alone: a full disk may have rolled back the whole transaction.
  if (database.inTransaction) return within(database, SAVEPOINT, work);
  const attempt = (): T => {
    try {
      const result = within(database, TRANSACTION, work);
      commitListeners.get(database)?.();
      return result;
    } catch (error) {
      undo(error);
      throw error;
    }
  };
  try {
    return attempt();
  } catch (error) {
    if (!isDiskFull(error) || diskFullHandlers.get(database)?.() !== true) throw error;
    return attempt();
  }
}

/** Runs reads that show the database as it is at one moment. Writers do not wait for it. */
export function readTransaction<T>(database: Database, work: () => T): T {
  return database.inTransaction ? work() : within(database, READ_TRANSACTION, work);
}

/** Nested savepoints share a name, because SQLite uses the innermost (sqlite.org/lang_savepoint.html). */
const SAVEPOINT = {
  begin: "SAVEPOINT part",
  end: "RELEASE part",
  undo: ["ROLLBACK TO part", "RELEASE part"],
};
const READ_TRANSACTION = { begin: "BEGIN", end: "COMMIT", undo: ["ROLLBACK"] };
const TRANSACTION = { begin: "BEGIN IMMEDIATE", end: "COMMIT", undo: ["ROLLBACK"] };

/** Replaces the driver's `transaction`, which creates four functions per call. */
function within<T>(database: Database, { begin, end, undo }: typeof TRANSACTION, work: () => T): T {
  run(database, begin);
  try {
    const result = work();
    run(database, end);
    return result;
  } catch (error) {
    // A full or failing disk may have rolled back already.
    for (const statement of undo) if (database.inTransaction) run(database, statement);
    listeners.get(database)?.(error);
    throw error;
  }
}

/** Each statement is compiled once for a database: every record has two of them. */
function run(database: Database, sql: string): void {
  let statements = compiled.get(database);
  if (!statements) compiled.set(database, (statements = new StatementCache(database)));
  statements.prepare(sql).run();
}

/**
 * Sets the handler that frees space when a write meets a full disk.
 * @param freeSpace returns whether it has freed space
 */
export function setDiskFullHandler(database: Database, freeSpace: () => boolean): void {
  diskFullHandlers.set(database, freeSpace);
}

/** Sets the listener for errors that roll back a transaction. */
export function onRollback(database: Database, listener: (error: unknown) => void): void {
  listeners.set(database, listener);
}

/** Sets the listener for commits, which must not throw. */
export function onCommit(database: Database, listener: () => void): void {
  commitListeners.set(database, listener);
}

/** Tells the listener of an error that ended a part of a transaction without a rollback, such as a read of a damaged page. */
export function noteFailure(database: Database, error: unknown): void {
  listeners.get(database)?.(error);
}

/**
 * Whether an error means that the disk is full; SQLite reports a shared-memory file that cannot grow as an I/O
 * error.
 */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof Sqlite.SqliteError) return /^SQLITE_(FULL|IOERR_SHMSIZE)/.test(error.code);
  if (error instanceof AppError) return isDiskFull(error.cause);
  return error instanceof Error && "code" in error && error.code === "ENOSPC";
}

/** Whether an error means that nothing can be written: the disk is full, read-only, failing or missing. */
export function isUnwritable(error: unknown): boolean {
  if (error instanceof Sqlite.SqliteError) return /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/.test(error.code);
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === "string" && /^(ENOSPC|EDQUOT|EROFS|EIO|EFBIG)$/.test(code)) return true;
  return cause !== undefined && isUnwritable(cause);
}

const compiled = new WeakMap<Database, StatementCache>();
const diskFullHandlers = new WeakMap<Database, () => boolean>();
const commitListeners = new WeakMap<Database, () => void>();
const listeners = new WeakMap<Database, (error: unknown) => void>();
