import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { buildProblem } = (await import(new URL("../../scripts/build-record.mjs", import.meta.url).href)) as {
  readonly buildProblem: (folder: string) => string | undefined;
};

// A single test file run after a change in src would otherwise use an outdated program. It is not built here:
// test files run in parallel, and one build would delete dist while another test uses it.
const problem = buildProblem(root);
if (problem !== undefined) throw new Error(problem);

/** Directory of the built program, up to date with the sources, with a trailing slash. */
const DIST = join(root, "dist/");

/** Directory of the compiled modules that the program is bundled from, with a trailing slash. */
export const BUILD = join(root, "build/");

/** The program as installers run it. */
export const MAIN = join(DIST, "main.js");

/** The web panel as the daemon serves it. */
export const BUILT_PANEL = join(DIST, "panel/");
