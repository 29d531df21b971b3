import { existsSync } from "node:fs";
import { join } from "node:path";
import { ComparedRecords } from "../store/compared-records.ts";
import { isStorageError, readDatabase } from "../store/database.ts";
import { UpstreamCapabilities } from "../store/upstream-capabilities.ts";

/**
 * Whether a dispatch centre may have records of this installation: they carry its reference, so it must keep it. A database that
 * cannot be read may have some.
 * @param dataDir the data directory, which need not exist yet
 */
export function hasSentRecords(dataDir: string): boolean {
  const path = join(dataDir, "santinela.db");
  if (!existsSync(path)) return false;
  try {
    return readDatabase(
      path,
      (database) =>
        new ComparedRecords(database).hasSent() || new UpstreamCapabilities(database).highestRemoved > 0,
    );
  } catch (error) {
    if (!isStorageError(error)) throw error;
    return true;
  }
}
