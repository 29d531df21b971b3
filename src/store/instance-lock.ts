import Sqlite from "better-sqlite3";
import { AppError, messageOf } from "../domain/errors.ts";

/**
 * Takes the data folder for this process: an open write transaction on a small file of its own. The kernel releases
 * it when the process dies, however it dies, so there is no stale lock to clean up.
 * @returns the release
 * @throws AppError `busy` when another daemon holds the folder, `storage` when the file cannot be used
 */
export function takeInstanceLock(path: string): () => void {
  const lock = openLock(path);
  try {
    // Nothing is ever written, so a full disk is no reason not to start; a journal on disk would need a block.
    lock.pragma("journal_mode = MEMORY");
    lock.exec("BEGIN IMMEDIATE");
  } catch (cause) {
    lock.close();
    throw isTaken(cause) ? takenError(path, cause) : unusableError(path, cause);
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
    throw unusableError(path, cause);
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

function takenError(path: string, cause: unknown): AppError {
  return new AppError("busy", `another daemon is using this data folder (${path} is locked)`, {
    hint: "Stop it first, or give this one a dataDir of its own.",
    cause,
  });
}

function unusableError(path: string, cause: unknown): AppError {
  return new AppError("storage", `cannot lock the data folder with ${path}: ${messageOf(cause)}`, {
    hint: "Check that the folder is on a healthy local disk and that this user may write to it.",
    cause,
  });
}
