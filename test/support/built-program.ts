import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { buildProblem } = (await import(new URL("../../scripts/build-record.mjs", import.meta.url).href)) as {
  readonly buildProblem: (folder: string) => string | undefined;
};

// Whoever runs one test file after a change of src would otherwise be told about the program of yesterday. Not built
// here: files run side by side, and one would take dist away from under another.
const problem = buildProblem(root);
if (problem !== undefined) throw new Error(problem);

/** The folder of the built program, made from the sources that lie here, with a slash at the end. */
export const DIST = join(root, "dist/");

/** The program itself: these tests run what an installer runs. */
export const MAIN = join(DIST, "main.js");

/** The panel in it, as the daemon serves it. */
export const BUILT_PANEL = join(DIST, "panel/");
