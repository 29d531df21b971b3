import { rmSync } from "node:fs";
import type { Database } from "./database.ts";
import { copyAsNewest } from "./durable-files.ts";

/**
 * Copies the file to `<path>.v<version>` and closes its connection: the end of a copy releases the locks that this process has on the
 * file.
 */
export function keepCopy(database: Database, path: string, version: number): void {
  const whole = `${path}.whole`;
  // A power cut during an earlier attempt leaves it, as large as the database.
  rmSync(whole, { force: true });
  // After a full checkpoint the main file is the complete database; another program that reads it prevents one.
  const [{ busy }] = database.pragma("wal_checkpoint(TRUNCATE)") as [{ busy: 0 | 1 }];
  if (busy === 0) {
    database.close();
    copyAsNewest(path, ".v", version);
    return;
  }
  try {
    database.prepare("VACUUM INTO ?").run(whole);
    database.close();
    copyAsNewest(path, ".v", version, whole);
  } finally {
    rmSync(whole, { force: true });
  }
}
