import Sqlite from "better-sqlite3";
import { AppError, messageOf } from "../domain/errors.ts";
import { addonError } from "./addon.ts";
import { isBusy } from "./database.ts";

/**
 * Locks the data directory for this process, with an open write transaction on a small file. The kernel releases it
 * when the process ends, so there are no stale locks.
 * @returns a function that releases the lock
 * @throws AppError `busy` if another daemon holds the directory, `storage` if the file cannot be used, `unavailable` without the
 *   add-on of the database
 */
export function takeInstanceLock(path: string): () => void {
  const lock = openLock(path);
  try {
    // Nothing is ever written, so a full disk does not prevent the start; a journal on disk would need a block.
    lock.pragma("journal_mode = MEMORY");
    lock.exec("BEGIN IMMEDIATE");
  } catch (cause) {
    lock.close();
    throw isBusy(cause) ? takenError(path, cause) : unusableError(path, cause);
  }
  return () => {
    lock.exec("ROLLBACK");
    lock.close();
  };
}

function openLock(path: string): Sqlite.Database {
  try {
    return new Sqlite(path, { timeout: 0 });
  } catch (cause) {
    throw addonError(cause) ?? unusableError(path, cause);
  }
}

function takenError(path: string, cause: unknown): AppError {
  return new AppError("busy", `another daemon is using this data directory (${path} is locked)`, {
    hint: "Stop that daemon first, or set another dataDir for this one.",
    cause,
  });
}

function unusableError(path: string, cause: unknown): AppError {
  return new AppError("storage", `cannot lock the data directory with ${path}: ${messageOf(cause)}`, {
    hint: "Check that the directory is on a healthy local disk and that this user may write to it.",
    cause,
  });
}
