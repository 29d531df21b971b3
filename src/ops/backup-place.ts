import { statSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "../domain/errors.ts";

/**
 * Rejects a path at which no backup can be, before anything is written. Its directory is not created: without its stick,
 * `/media/usb` would be a directory on the card that the backup is to survive.
 * @throws AppError `cannot-create`
 */
export function assertBackupPlace(out: string): void {
  const folder = dirname(out);
  if (entryAt(folder) === "nothing")
    throw unwrittenBackup(
      out,
      `there is no directory ${folder}`,
      "Mount the medium, or create the directory.",
    );
  const present = entryAt(out);
  if (typeof present === "object" && present.isDirectory())
    throw unwrittenBackup(out, "it is a directory", `Name a file, such as ${join(out, "santinela.db")}.`);
}

/** The error of a backup that cannot be written. */
export function unwrittenBackup(out: string, why: string, hint: string, cause?: unknown): AppError {
  return new AppError("cannot-create", `cannot write the backup ${out}: ${why}`, { hint, cause });
}

/** What is at a path. One that this user may not enter is unknown: writing the backup then reports why. */
function entryAt(path: string): Stats | "nothing" | "unknown" {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? "nothing";
  } catch {
    return "unknown";
  }
}
