import { mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { copyDurably, flush } from "../store/durable-files.ts";
import { isUnreadable } from "../store/unreadable-sectors.ts";
import { noteReplacement, quarantinePath } from "./database-files.ts";
import type { RecoveryOptions } from "./recovery.ts";
import { withSentence } from "./recovery-sentence.ts";

/**
 * Keeps the log of a database that ends with an incomplete commit, and notes its recovery: SQLite then uses the database without
 * that commit. The database itself is neither copied nor kept. A power cut leaves one on many machines, and each copy would be as
 * large as the database, also on a disk that has no room for it.
 * @param nowMs the time of the recovery
 * @returns false if the disk cannot read all of the log: SQLite could not use the database either, so that it must be recovered
 * @throws as `copyFile` for any other reason, such as `ENOSPC`
 */
export function keepTornLog(
  { dataDir, name, problem, versions }: Omit<RecoveryOptions, "kind" | "clock">,
  nowMs: number,
): boolean {
  const path = join(dataDir, name);
  const quarantined = quarantinePath(path, nowMs);
  try {
    copyLog(`${path}-wal`, dirname(quarantined));
  } catch (error) {
    if (isUnreadable(error)) return false;
    throw error;
  }
  const lostPages = versions[0]?.lostPages ?? 0;
  const result = { name, problem, quarantined, isWhole: true, isEarlier: false, isOnlyCut: true, lostPages };
  noteReplacement(path, withSentence({ ...result, backup: null, salvage: null, lastNumbers: {} }));
  return true;
}

/** The directory gets its name when it is complete. */
function copyLog(log: string, folder: string): void {
  const part = `${folder}.part`;
  try {
    mkdirSync(part, { recursive: true, mode: 0o750 });
    copyDurably(log, join(part, basename(log)));
    flush(part);
  } catch (error) {
    // Each start on a full disk would leave another one.
    rmSync(part, { recursive: true, force: true });
    throw error;
  }
  renameSync(part, folder);
  flush(dirname(folder));
}
