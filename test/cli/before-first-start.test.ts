import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CheckResult } from "../../src/cli/check-result.ts";
import { santinela } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* What `doctor` says of a directory in which a command has created the first database, and no daemon has started yet. */

test("a journal that no start has created yet is no damage, and one that a start has created and is gone is", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "site.yaml"), "dataDir: ./data\nmqtt: off\nzones: []\n");
  const run = (line: string) =>
    santinela([...line.split(" "), "--config", "site.yaml"], { cwd: folder, input: "correct horse battery" });
  const databases = async (): Promise<CheckResult | undefined> =>
    (JSON.parse((await run("doctor --json")).stdout) as CheckResult[]).find(
      ({ check }) => check === "Databases",
    );
  expect((await run("user add --email ana@example.ro --role operator --password-stdin")).code).toBe(0);
  expect(await databases()).toMatchObject({
    status: "warning",
    text: "no journal.db yet: it is created at the first start",
  });

  writeFileSync(join(folder, "data", "installation-id"), "0".repeat(26));
  expect(await databases()).toMatchObject({ status: "error", text: expect.stringContaining("journal.db") });

  rmSync(join(folder, "data", "installation-id"));
  writeFileSync(join(folder, "data", "santinela.db"), "no database");
  expect(await databases()).toMatchObject({ status: "error", text: expect.stringContaining("santinela.db") });
});
