// Builds the program of an earlier commit in a folder of its own, for tests that begin with it.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Runs `work` with the environment of a test that needs the program of `commit`, and removes the program afterwards.
 * @param {string | undefined} commit without one, the environment is empty
 * @param {(environment: { readonly UPGRADE_FIXTURE_MAIN?: string }) => void} work
 */
export function withEarlierProgram(commit, work) {
  const folder = commit === undefined ? undefined : buildOf(commit);
  try {
    work(folder === undefined ? {} : { UPGRADE_FIXTURE_MAIN: join(folder, "dist", "main.js") });
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
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
