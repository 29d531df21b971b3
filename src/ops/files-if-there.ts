import { readdirSync, readFileSync } from "node:fs";

/** The text of a small file without the blanks and NULs around it; undefined if it cannot be read. */
export function textIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").replaceAll("\0", "").trim();
  } catch {
    return undefined;
  }
}

/** The names in a directory; none if it cannot be read. */
export function namesIfThere(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
