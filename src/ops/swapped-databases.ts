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

/** Where the header names the kind of a database ("application_id"). */
const APPLICATION_ID_AT = 68;

/**
 * Gives two databases their own names again where each has the other's, and their own logs, as after a copy by hand.
 * @returns whether they had
 */
export function exchangeSwapped(dataDir: string, [a, b]: readonly [NamedDatabase, NamedDatabase]): boolean {
  const [first, second] = [join(dataDir, a.name), join(dataDir, b.name)];
  const isSwapped = kindIn(first) === b.kind.applicationId && kindIn(second) === a.kind.applicationId;
  const endings = haveSwappedLogs(first, second) ? ["-wal"] : isSwapped ? ["", "-wal", "-shm"] : [];
  if (endings.length === 0) return false;
  for (const ending of endings) exchange(first + ending, second + ending);
  flushFolder(dataDir);
  return true;
}

/** The newest head of a database is in its log where the log has the first page. */
function kindIn(path: string): number | undefined {
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
  const meanwhile = `${first}.exchanged`;
  if (existsSync(first)) renameSync(first, meanwhile);
  if (existsSync(second)) renameSync(second, first);
  if (existsSync(meanwhile)) renameSync(meanwhile, second);
}
