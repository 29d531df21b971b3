import { AppError } from "../domain/errors.ts";

/**
 * The error of a start before `npm install` has ended, or with another version of Node.js: a package is missing, or the native
 * add-on of the database is missing or does not fit. It says nothing about the file that was to be opened, or its disk.
 * @param cause what loading the program or opening a database has thrown
 * @returns AppError `unavailable`; undefined for any other error
 */
export function addonError(cause: unknown): AppError | undefined {
  const what = cause instanceof Error ? problemOf(cause) : undefined;
  if (what === undefined) return undefined;
  return new AppError("unavailable", what, {
    hint: "Let `npm install` end, or run `npm rebuild better-sqlite3`, then start again. If the package is installed: sudo apt install --reinstall santinela.",
    cause,
  });
}

function problemOf({ message, code }: NodeJS.ErrnoException): string | undefined {
  const [reason = ""] = message.split("\n");
  if (reason.startsWith("Could not locate the bindings file"))
    return "the native add-on of better-sqlite3 is not installed";
  if (code === "ERR_DLOPEN_FAILED")
    return `the native add-on of better-sqlite3 does not fit this machine and Node.js ${process.versions.node}: ${reason}`;
  // Not one of our own files, which have a path.
  const missing = /^Cannot find (?:module|package) '([^'./][^']*)'/.exec(reason)?.[1];
  return missing === undefined ? undefined : `the Node.js package ${missing} is not installed`;
}
