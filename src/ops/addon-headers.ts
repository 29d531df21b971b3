import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Directory of the installed database add-on. */
const ADDON = dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json"));

/**
 * Whether the database add-on was compiled locally against headers that make it abort. Affected are Node.js 24.19
 * to 24.21, at a garbage collection between two tasks (nodejs/node issue 65446). Add-ons compiled against other
 * headers, like that of the package, run on all versions.
 * @param folder directory of the add-on, with the files of node-gyp
 * @returns a sentence with the remedy; undefined if not affected
 */
export function addonWarning(folder = ADDON): string | undefined {
  const version = headersOf(folder);
  if (!version) return undefined;
  const [major, minor] = version;
  if (major !== 24 || minor < 19 || minor > 21) return undefined;
  return (
    `the database add-on was compiled against Node.js ${major}.${minor}, which makes it abort during garbage ` +
    "collection. Install the package, or compile it with another Node.js version (npm rebuild better-sqlite3)"
  );
}

/** @returns undefined if it was not compiled locally, or the headers are missing */
function headersOf(folder: string): [major: number, minor: number] | undefined {
  try {
    const settings = readFileSync(join(folder, "build/config.gypi"), "utf8");
    const home = /"nodedir": "([^"]+)"/.exec(settings)?.[1] ?? "";
    const header = readFileSync(join(home, "include/node/node_version.h"), "utf8");
    const number = (name: string): number =>
      Number(new RegExp(`#define NODE_${name}_VERSION (\\d+)`).exec(header)?.[1]);
    return [number("MAJOR"), number("MINOR")];
  } catch {
    return undefined;
  }
}
