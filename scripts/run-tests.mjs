import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Runs test files and sets the exit code of this process to theirs.
 * @param {readonly string[]} words names of the files, and options of vitest
 * @param {Readonly<Record<string, string | undefined>>} environment added to that of this process
 */
export function runTests(words, environment) {
  const { status } = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...words], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: "inherit",
    env: { ...process.env, ...environment },
  });
  process.exitCode = status ?? 1;
}
