import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, test } from "vitest";

/** Path of the first installed program of these names; undefined if none is. */
export function findProgram(...names: readonly string[]): string | undefined {
  // Debian installs daemons in /usr/sbin, which is often not in PATH.
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  return folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

/**
 * Which of some programs are missing, and how to install them; undefined if none is.
 * @param programs each program with its package in Debian
 */
export function missingOf(programs: Readonly<Record<string, string>>): string | undefined {
  const missing = Object.keys(programs).filter((program) => findProgram(program) === undefined);
  const packages = [...new Set(missing.map((program) => programs[program]))];
  return missing.length === 0
    ? undefined
    : `not installed: ${missing.join(", ")}; on Debian: sudo apt-get install ${packages.join(" ")}`;
}

/**
 * Tests with requirements that not every machine meets: skipped with a reason, failed with CI=true.
 * @param missing what is missing and how to install it; undefined when it is present
 */
export function describeUnless(missing: string | undefined, name: string, tests: () => void): void {
  if (missing === undefined) describe(name, tests);
  else if (process.env["CI"] === "true") failing(missing, name);
  else describe.skip(nameOfSkipped(missing, name), tests);
}

/**
 * One test, as `describeUnless`.
 * @param isRequired false for what cannot be installed, such as a network: skipped with CI=true too
 */
export function testUnless(
  missing: string | undefined,
  name: string,
  run: () => Promise<void>,
  { isRequired = true } = {},
): void {
  if (missing === undefined) test(name, run);
  else if (process.env["CI"] === "true" && isRequired) failing(missing, name);
  else test.skip(nameOfSkipped(missing, name), run);
}

function failing(missing: string, name: string): void {
  test(name, () => {
    throw new Error(missing);
  });
}

/** The end of the check prints the reason (scripts/skipped-tests.mjs). */
function nameOfSkipped(missing: string, name: string): string {
  return `${name} (skipped: ${missing})`;
}
