import { closeSync, existsSync, openSync, readSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseKind } from "../store/database.ts";
import { flushFolder } from "../store/durable-files.ts";
import { haveSwappedLogs, versionsOf } from "../store/wal-census.ts";
import type { DatabaseName } from "./given-numbers.ts";

export interface NamedDatabase {
  readonly name: DatabaseName;
  readonly kind: DatabaseKind;
}

/** Header offset of the application id ("application_id"). */
const APPLICATION_ID_AT = 68;

/**
 * Corrects the names of two swapped databases, or of their swapped logs, as after a manual copy.
 * @returns whether anything was swapped
 */
export function exchangeSwapped(dataDir: string, [a, b]: readonly [NamedDatabase, NamedDatabase]): boolean {
  const [first, second] = [join(dataDir, a.name), join(dataDir, b.name)];
  const isSwapped =
    applicationIdOf(first) === b.kind.applicationId && applicationIdOf(second) === a.kind.applicationId;
  const endings = haveSwappedLogs(first, second) ? ["-wal"] : isSwapped ? ["", "-wal", "-shm"] : [];
  if (endings.length === 0) return false;
  for (const ending of endings) exchange(first + ending, second + ending);
  flushFolder(dataDir);
  return true;
}

/** The application id of a database. The newest first page may be in its log. */
function applicationIdOf(path: string): number | undefined {
  const [newest] = versionsOf(path);
  const inLog = newest?.overlay.get(1);
  if (inLog) return Buffer.from(inLog).readUInt32BE(APPLICATION_ID_AT);
  if (!existsSync(path)) return undefined;
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(4);
    return readSync(file, bytes, 0, 4, APPLICATION_ID_AT) === 4 ? bytes.readUInt32BE(0) : undefined;
  } finally {
    closeSync(file);
  }
}

function exchange(first: string, second: string): void {
  const temporary = `${first}.exchanged`;
  if (existsSync(first)) renameSync(first, temporary);
  if (existsSync(second)) renameSync(second, first);
  if (existsSync(temporary)) renameSync(temporary, second);
}
