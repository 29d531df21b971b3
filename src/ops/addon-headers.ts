import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The database's add-on as it is installed here. */
const ADDON = dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json"));

/**
 * Whether the database's add-on was compiled here against headers that make it end the process: those of Node.js 24.19
 * to 24.21, at a garbage collection between two tasks (nodejs/node issue 65446). What was compiled against others, as
 * the package's is, runs on all of them.
 * @param folder the add-on's, with what node-gyp has left there
 * @returns a sentence with the remedy
 */
export function addonWarning(folder = ADDON): string | undefined {
  const version = headersOf(folder);
  if (!version) return undefined;
  const [major, minor] = version;
  if (major !== 24 || minor < 19 || minor > 21) return undefined;
  return (
    `the database's add-on was compiled against Node.js ${major}.${minor}, with which it ends the process when memory ` +
    "is collected. Install the package, or compile it with another Node.js (npm rebuild better-sqlite3)"
  );
}

/** @returns undefined where it was not compiled here, or the headers are gone */
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
