import { statSync } from "node:fs";
import { join } from "node:path";
import type { LogVersion } from "../store/wal-census.ts";
import { backupsIn } from "./backups.ts";
import type { DatabaseName } from "./database-files.ts";

/** Called before a start works on this many bytes of databases, which blocks the event loop. */
export type BeforeLongWork = (bytes: number) => void;

/** The size of a database with its write-ahead log. */
export function databaseBytes(path: string): number {
  const bytes = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  return sum(bytes);
}

/** Upper limit of the bytes that a recovery checks and copies. */
export function recoveryBytes(dataDir: string, name: DatabaseName, versions: readonly LogVersion[]): number {
  const backups = name === "santinela.db" ? backupsIn(dataDir) : [];
  const sizes = backups.map(({ path }) => databaseBytes(path));
  // Each version and each backup may be checked. Then the rows of the file are added to one of them.
  const base = Math.max(0, ...sizes);
  return databaseBytes(join(dataDir, name)) * (versions.length + 2) + sum(sizes) + base;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
