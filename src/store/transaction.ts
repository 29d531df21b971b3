import Sqlite from "better-sqlite3";
import { AppError } from "../domain/errors.ts";
import type { Database } from "./database.ts";

/**
 * Runs `work` in one transaction that takes the write lock at once; rolled back when `work` throws. On a full disk it
 * runs once more after space has been made. Inside another transaction it is a part of that one, which can be taken
 * back alone.
 * @param undo told of what rolled it back, each time
 */
export function transaction<T>(
  database: Database,
  work: () => T,
  undo: (error: unknown) => void = () => {},
): T {
  // A part cannot be done again alone: a full disk may have taken back the whole.
  if (database.inTransaction) return within(database, PART, work);
  const attempt = (): T => {
    try {
      return within(database, WHOLE, work);
    } catch (error) {
      undo(error);
      throw error;
    }
  };
  try {
    return attempt();
  } catch (error) {
    if (!isDiskFull(error) || reliefs.get(database)?.() !== true) throw error;
    return attempt();
  }
}

/** The statements around some work; parts of parts share a name, for the innermost is meant (sqlite.org/lang_savepoint.html). */
const WHOLE = { begin: "BEGIN IMMEDIATE", end: "COMMIT", undo: ["ROLLBACK"] };
const PART = { begin: "SAVEPOINT part", end: "RELEASE part", undo: ["ROLLBACK TO part", "RELEASE part"] };

/** In place of the driver's `transaction`, which makes four functions anew for each piece of work. */
function within<T>(database: Database, { begin, end, undo }: typeof WHOLE, work: () => T): T {
  database.prepare(begin).run();
  try {
    const result = work();
    database.prepare(end).run();
    return result;
  } catch (error) {
    // A full or failing disk may have taken all of it back already.
    for (const statement of undo) if (database.inTransaction) database.prepare(statement).run();
    listeners.get(database)?.(error);
    throw error;
  }
}

/**
 * Says who can make space when a write meets a full disk.
 * @param relieve returns whether it has made any
 */
export function setDiskFullHandler(database: Database, relieve: () => boolean): void {
  reliefs.set(database, relieve);
}

/** Says who is told of each error that takes work back. */
export function onRollback(database: Database, tell: (error: unknown) => void): void {
  listeners.set(database, tell);
}

/** Whether an error says that the disk is full; SQLite calls a shared-memory file that cannot grow an I/O error. */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof Sqlite.SqliteError) return /^SQLITE_(FULL|IOERR_SHMSIZE)/.test(error.code);
  return error instanceof AppError && isDiskFull(error.cause);
}

/** Whether an error says that nothing can be written now: the disk is full, read-only, failing or gone. */
export function isUnwritable(error: unknown): boolean {
  if (error instanceof Sqlite.SqliteError) return /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/.test(error.code);
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === "string" && /^(ENOSPC|EDQUOT|EROFS|EIO|EFBIG)$/.test(code)) return true;
  return cause !== undefined && isUnwritable(cause);
}

const reliefs = new WeakMap<Database, () => boolean>();
const listeners = new WeakMap<Database, (error: unknown) => void>();
