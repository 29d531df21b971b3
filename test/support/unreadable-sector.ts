import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { missingOf } from "./required-programs.ts";

/** What is missing to make a sector unreadable; undefined if nothing is. */
export const MISSING_FOR_SECTORS = missingOf({ cc: "gcc" });

const SOURCE = fileURLToPath(new URL("unreadable-sector.c", import.meta.url));

/**
 * The environment of a program that cannot read a sector of a file, whatever name the file gets: another file in its place is fine.
 * @param offset of the sector in bytes
 * @param folder for the compiled library
 */
export function withUnreadableSector(path: string, offset: number, folder: string): NodeJS.ProcessEnv {
  const library = join(folder, "unreadable-sector.so");
  execFileSync("cc", ["-shared", "-fPIC", "-o", library, SOURCE, "-ldl"]);
  return {
    ...process.env,
    LD_PRELOAD: library,
    UNREADABLE_INODE: String(statSync(path, { bigint: true }).ino),
    UNREADABLE_OFFSET: String(offset),
  };
}
