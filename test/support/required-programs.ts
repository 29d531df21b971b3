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
 * Tests with requirements that not every machine meets: skipped with a reason, failed with CI=true.
 * @param missing what is missing and how to install it; undefined when it is present
 */
export function describeUnless(missing: string | undefined, name: string, tests: () => void): void {
  if (missing === undefined) describe(name, tests);
  else if (process.env["CI"] === "true")
    test(name, () => {
      throw new Error(missing);
    });
  else describe.skip(`${name} (skipped: ${missing})`, tests);
}
