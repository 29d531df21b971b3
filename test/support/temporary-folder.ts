import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/**
 * A new folder, which is removed with its contents.
 * @param atEnd when it is removed: after the test by default, with `afterAll` after all tests of the file or `describe`
 */
export function temporaryFolder(atEnd: (remove: () => Promise<void>) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), "santinela-test-"));
  // Again if what a test has started creates a file while the folder is emptied.
  atEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
