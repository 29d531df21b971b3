import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openForCommand } from "../../src/cli/direct-database.ts";
import { takeInstanceLock } from "../../src/store/instance-lock.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* A command may run in the moment in which the daemon starts, as when an installer signs in while the machine boots. */

let readLogs = 0;
vi.mock(import("../../src/store/wal-census.ts"), async (original) => {
  const real = await original();
  return {
    ...real,
    logCensus(path) {
      readLogs += 1;
      // What a start does; it does not wait.
      takeInstanceLock(path.replace("santinela.db", "lock.db"))();
      return real.logCensus(path);
    },
  };
});

test("the daemon can start while a command reads the log, however long that takes", () => {
  const dataDir = temporaryFolder();
  const other = openMainDatabase(join(dataDir, "santinela.db"));
  openForCommand(dataDir).close();
  expect(readLogs).toBe(1);
  other.close();
});
