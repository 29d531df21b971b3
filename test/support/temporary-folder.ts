import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/**
 * A new folder, which is removed with its contents.
 * @param atEnd when it is removed: after the test by default, with `afterAll` after all tests of the file or `describe`
 */
export function temporaryFolder(atEnd: (remove: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), "santinela-test-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
