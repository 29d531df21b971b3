import { createHash } from "node:crypto";
import { join, resolve } from "node:path";

/** The file in a directory in memory for changes that the disk does not take; its name is unique for each data directory. */
export function offDiskFile(runtimeDirectory: string, dataDir: string): string {
  const which = createHash("sha256").update(resolve(dataDir)).digest("hex").slice(0, 12);
  return join(runtimeDirectory, `trips-${which}.ndjson`);
}
