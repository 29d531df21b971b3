import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { LoadOptions } from "./load.ts";
import { dropInLines } from "./unit-drop-ins.ts";
import { parseBounded } from "./yaml-bounds.ts";

export const SYSTEM_FILE = "/etc/santinela/santinela.yaml";
export const SYSTEM_FILE_OF_CENTRE = "/etc/santinela/centre.yaml";
/** StateDirectory= of the units that run with these files. */
export const SYSTEM_DATA: ReadonlyMap<string, string> = new Map([
  [SYSTEM_FILE, "/var/lib/santinela"],
  [SYSTEM_FILE_OF_CENTRE, "/var/lib/santinela-centre"],
]);

/** Units whose drop-ins tell whether they may use another directory: of the site the daily backup, which would only do nothing. */
const UNITS: ReadonlyMap<string, string> = new Map([
  [SYSTEM_FILE, "santinela-backup.service"],
  [SYSTEM_FILE_OF_CENTRE, "santinela-centre.service"],
]);

/** Warns of a data directory that the services of the package may not use, unless their drop-ins name it. */
export function directoryWarnings(
  file: string | null,
  dataDir: string,
  units = "/etc/systemd/system",
): string[] {
  const unit = UNITS.get(file ?? "");
  // A container has the directory of a site for a dispatch centre too.
  if (unit === undefined || [...SYSTEM_DATA.values()].includes(dataDir)) return [];
  if (dropInLines(units, unit).some((line) => line.includes(dataDir))) return [];
  return [
    `dataDir is ${dataDir}, where the services of the package may not write, and which their daily backup does not find. Mount the disk at ${SYSTEM_DATA.get(file ?? "")} and remove dataDir, or see "Data on another disk" in /usr/share/doc/santinela/docs/installing.md`,
  ];
}

/** Name of the last good configuration in the data directory. */
export const COPY = "last-good.yaml";

/** Header that identifies the original file, because several files may share a data directory. */
export function headOf(file: string): string {
  return `# The last good copy of ${JSON.stringify(file)}. Kept by the daemon; edit that file, not this one.`;
}

/** Possible data directories of a file that may be invalid. */
export function dataDirectories(file: string, { env }: Pick<LoadOptions, "env">): string[] {
  const folder = dirname(file);
  const fromFile = dataDirIn(readIfExists(file) ?? "");
  const fromVariable = env["SANTINELA_DATADIR"] ?? env["SANTINELA_DATA_DIR"];
  const state = env["STATE_DIRECTORY"]?.split(":")[0];
  const ofUnit = SYSTEM_DATA.get(file);
  return [
    ...(fromVariable === undefined ? [] : [resolve(folder, fromVariable)]),
    ...(fromFile === undefined ? [] : [resolve(folder, fromFile)]),
    ...(state === undefined ? [] : [state]),
    // Of the package, whose services have STATE_DIRECTORY and whose users do not.
    ...(ofUnit === undefined ? [] : [ofUnit]),
    join(folder, "var"),
  ];
}

/** Of the possible data directories those in which a daemon has started with this file, such as before its `dataDir` was changed. */
export function directoriesUsedWith(file: string, options: Pick<LoadOptions, "env">): string[] {
  return dataDirectories(file, options).filter((folder) =>
    readIfExists(join(folder, COPY))?.startsWith(`${headOf(file)}\n`),
  );
}

/**
 * The value of `dataDir` in a text that may be invalid. Its entry is read alone if that works: each start asks, and the whole text
 * of a site with 500 objectives takes longer than the rest of its start, or nests too deep to be parsed.
 */
function dataDirIn(text: string): string | undefined {
  if (!text.includes("dataDir")) return undefined;
  // A value may continue on indented lines.
  const [entry = ""] = /^dataDir:.*(?:\n[ \t].*)*/m.exec(text) ?? [];
  return dataDirOf(entry, { isWhole: false }) ?? dataDirOf(text, { isWhole: true });
}

/** @param isWhole whether errors elsewhere in the text are ignored */
function dataDirOf(text: string, { isWhole }: { readonly isWhole: boolean }): string | undefined {
  const { document, tooDeep } = parseBounded(text);
  if (tooDeep) return undefined;
  const value: unknown = document.get("dataDir");
  if (document.errors.length > 0 && !isWhole) return undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The text of a file; undefined if it cannot be read. */
export function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
