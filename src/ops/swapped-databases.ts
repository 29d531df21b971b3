import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { flush } from "../store/durable-files.ts";
import { withLogFile } from "../store/log-file.ts";
import { haveSwappedLogs, versionsOf } from "../store/wal-census.ts";
import { DATABASE_FILE_SUFFIXES, type NamedDatabase } from "./database-files.ts";

/** Header offset of the application id ("application_id"). */
const APPLICATION_ID_AT = 68;
/** The files on their way, each under its new name. Until all are here, the next start moves them back. */
const COLLECTED = "santinela.db.exchanging";
/** All of them: the next start moves them into place. */
const COMPLETE = "santinela.db.exchanged";

/**
 * Corrects the names of two swapped databases, or of their swapped logs, as after a manual copy. Completes a
 * correction that a power cut has interrupted: a database with the log of the other one would look intact.
 * @returns whether anything was swapped
 */
export function correctSwappedDatabases(
  dataDir: string,
  [a, b]: readonly [NamedDatabase, NamedDatabase],
): boolean {
  const other = (file: string): string =>
    file.startsWith(a.name) ? b.name + file.slice(a.name.length) : a.name + file.slice(b.name.length);
  moveAll(join(dataDir, COLLECTED), dataDir, other);
  if (moveAll(join(dataDir, COMPLETE), dataDir, (file) => file)) return true;
  const endings = swappedEndings(dataDir, a, b);
  if (endings.length === 0) return false;
  const collected = join(dataDir, COLLECTED);
  mkdirSync(collected, { mode: 0o750 });
  for (const file of endings.flatMap((ending) => [a.name + ending, b.name + ending]))
    if (existsSync(join(dataDir, file))) renameSync(join(dataDir, file), join(collected, other(file)));
  flush(collected);
  flush(dataDir);
  renameSync(collected, join(dataDir, COMPLETE));
  flush(dataDir);
  return moveAll(join(dataDir, COMPLETE), dataDir, (file) => file);
}

/** Moves all files of a directory and removes it. @returns whether there was such a directory */
function moveAll(from: string, to: string, nameOf: (file: string) => string): boolean {
  if (!existsSync(from)) return false;
  for (const file of readdirSync(from)) renameSync(join(from, file), join(to, nameOf(file)));
  flush(to);
  rmdirSync(from);
  return true;
}

function swappedEndings(dataDir: string, a: NamedDatabase, b: NamedDatabase): readonly string[] {
  const [first, second] = [join(dataDir, a.name), join(dataDir, b.name)];
  if (haveSwappedLogs(first, second)) return ["-wal"];
  const isSwapped =
    applicationIdOf(first) === b.kind.applicationId && applicationIdOf(second) === a.kind.applicationId;
  return isSwapped ? DATABASE_FILE_SUFFIXES : [];
}

/** The application id of a database. The newest first page may be in its log. */
function applicationIdOf(path: string): number | undefined {
  const [newest] = versionsOf(path);
  const inLog = newest?.overlay.get(1);
  if (inLog) return Buffer.from(inLog).readUInt32BE(APPLICATION_ID_AT);
  if (!existsSync(path)) return undefined;
  const bytes = Buffer.alloc(4);
  return withLogFile(path, (file) => file.fill(bytes, APPLICATION_ID_AT)) ? bytes.readUInt32BE(0) : undefined;
}
