// npm run upgrade-fixture -- [--to FOLDER] [--commit COMMIT]
// --to writes the data directories of a site and its dispatch centre in which every feature was used: killed.tar.br as after a
// power cut, stopped.tar.br as after an orderly stop. test/upgrade/story.ts uses the built program of this tree; with --commit
// that of 0.1.0, which is built from history in a folder of its own. --commit alone tests the way back to that program. Needs
// mosquitto and faketime. Exits with 1 if a table has no rows, with 64 without an option.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runTests } from "./run-tests.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({ options: { to: { type: "string" }, commit: { type: "string" } } });
const { to, commit } = values;
if (to === undefined && commit === undefined) {
  process.stderr.write(
    "upgrade-fixture: name the folder of the archives (--to FOLDER) or a commit (--commit COMMIT)\n",
  );
  process.exitCode = 64;
} else {
  const earlier = commit === undefined ? undefined : buildOf(commit);
  try {
    const words = to === undefined ? ["main", "return.test.ts"] : ["long", "fixture.long.test.ts"];
    runTests([`--project=${words[0]}`, "--reporter=verbose", `test/upgrade/${words[1]}`], {
      ...(to === undefined ? {} : { UPGRADE_FIXTURE_TO: resolve(to) }),
      ...(earlier === undefined ? {} : { UPGRADE_FIXTURE_MAIN: join(earlier, "dist", "main.js") }),
    });
  } finally {
    if (earlier !== undefined) rmSync(earlier, { recursive: true, force: true });
  }
}

/** Builds the program of a commit. @returns its folder */
function buildOf(commit) {
  const folder = mkdtempSync(join(tmpdir(), "santinela-earlier-"));
  const tar = execFileSync("git", ["-C", root, "archive", commit], { maxBuffer: 2 ** 30 });
  execFileSync("tar", ["--extract", "--directory", folder], { input: tar });
  if (hasModulesOf(folder)) symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  else run(folder, "npm", "ci");
  run(folder, "npm", "run", "--silent", "build");
  return folder;
}

/** Whether node_modules of this tree has what the lock file of another one names: compiling takes minutes. */
function hasModulesOf(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  return Object.entries(packages).every(([path, { version, optional }]) => {
    const installed = join(root, path, "package.json");
    if (path === "" || (optional === true && !existsSync(installed))) return true;
    return existsSync(installed) && JSON.parse(readFileSync(installed, "utf8")).version === version;
  });
}

function run(cwd, command, ...words) {
  execFileSync(command, words, { cwd, stdio: ["ignore", process.stderr, "inherit"] });
}
