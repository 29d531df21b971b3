import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The lines of the drop-ins of a unit, as systemd reads them: without comments, and a line with a backslash at its end continued by the
 * next one.
 * @param units the folder of the units of this machine
 */
export function dropInLines(units: string, unit: string): string[] {
  const folder = join(units, `${unit}.d`);
  return filesIn(folder)
    .filter((name) => name.endsWith(".conf"))
    .flatMap((name) => linesOf(textOf(join(folder, name))));
}

function linesOf(text: string): string[] {
  return text
    .replaceAll(/^\s*[#;].*\n?/gm, "")
    .replaceAll(/\\\r?\n/g, " ")
    .split("\n")
    .map((line) => line.trim());
}

/** The names of the files in a folder; none if it cannot be read. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
