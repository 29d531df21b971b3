import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, test } from "vitest";

/** Where the first program of one of these names is; undefined when there is none. */
export function findProgram(...names: readonly string[]): string | undefined {
  // Debian keeps daemons in /usr/sbin, which is not on everybody's PATH.
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  return folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

/**
 * Tests that need what not every machine has: skipped with a sentence where it is missing, failed where CI=true.
 * @param missing says what is missing and how it is had; undefined when it is there
 */
export function describeUnless(missing: string | undefined, name: string, tests: () => void): void {
  if (missing === undefined) describe(name, tests);
  else if (process.env["CI"] === "true")
    test(name, () => {
      throw new Error(missing);
    });
  else describe.skip(`${name} (skipped: ${missing})`, tests);
}
