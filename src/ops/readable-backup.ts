import { closeSync, existsSync, openSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { AppError } from "../domain/errors.ts";
import { copyFile } from "../store/durable-files.ts";
import { freeBytes } from "./reserve-file.ts";
import { databaseBytes } from "./start-work.ts";

/**
 * Names the reason of the file system: SQLite has one message for all of them.
 * @throws AppError `bad-data` if the file is missing or is not a file, `no-permission` if it may not be read, `no-input` otherwise
 */
export function assertReadable(file: string): void {
  try {
    const found = statSync(file);
    if (found.isDirectory())
      throw new AppError("bad-data", `${file} cannot be restored: it is a directory`, {
        hint: `Name one of the files in it, for example ${join(file, "<name>.db")}.`,
      });
    // A pipe would block here.
    if (!found.isFile()) throw new AppError("bad-data", `${file} cannot be restored: it is not a file`);
    closeSync(openSync(file, "r"));
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw unreadable(file, cause as NodeJS.ErrnoException);
  }
}

function unreadable(file: string, cause: NodeJS.ErrnoException): AppError {
  const where = "The scheduled backups are in the directory backups of the data directory.";
  const { code = "" } = cause;
  if (code === "ENOENT" || code === "ENOTDIR")
    return new AppError("bad-data", `${file} cannot be restored: there is no such file`, { hint: where });
  if (code === "EACCES" || code === "EPERM")
    return new AppError("no-permission", `${file} cannot be restored: ${userText()} may not read it`, {
      hint: "Give that user access to the file and to each directory above it (chmod o+r, o+x), or copy it to the data directory.",
      cause,
    });
  return new AppError("no-input", `${file} cannot be restored: ${cause.message}`, {
    hint: "Check the medium, or use another backup.",
    cause,
  });
}

/** With the package, a command of root runs as the service's user, which surprises a user who can read the file as root. */
function userText(): string {
  try {
    return `the user ${userInfo().username}`;
  } catch {
    return "this user";
  }
}

/**
 * Copies a database with its write-ahead log, without which it would be outdated.
 * @returns the path of the copy
 * @throws AppError `bad-data` if it was deleted in the meantime: an empty database must not replace the current one
 */
export function copyOf(file: string, to: string): string {
  if (!existsSync(file)) throw new AppError("bad-data", `${file} cannot be restored: there is no such file`);
  for (const ending of ["", "-wal"]) if (existsSync(file + ending)) copyFile(file + ending, to + ending);
  return to;
}

/** The error of a restore on a full disk. */
export function noRoomError(dataDir: string, file: string, cause: unknown): AppError {
  const neededMb = Math.ceil(databaseBytes(file) / 1_048_576);
  const freeMb = Math.floor(freeBytes(dataDir) / 1_048_576);
  return new AppError(
    "storage",
    `${file} cannot be restored: about ${neededMb} MB are needed in ${dataDir}, ${freeMb} MB are free; the current database stays in use`,
    {
      hint: "Move old directories of quarantine/, older files of backups/ and *.db.v<n> from the data directory to another disk.",
      cause,
    },
  );
}
