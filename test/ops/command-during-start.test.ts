import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openForCommand } from "../../src/cli/direct-database.ts";
import { takeInstanceLock } from "../../src/store/instance-lock.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* A command may run in the moment in which the daemon starts, as when an installer signs in while the machine boots. */

test("a command with an intact log does not take the lock of the daemon, however long it reads", () => {
  const dataDir = temporaryFolder();
  const other = openMainDatabase(join(dataDir, "santinela.db"));
  // In its place is what cannot be locked.
  const lock = join(dataDir, "lock.db");
  mkdirSync(lock);
  expect(() => takeInstanceLock(lock)).toThrow(/cannot lock the data directory/);
  openForCommand(dataDir).close();
  other.close();
});
