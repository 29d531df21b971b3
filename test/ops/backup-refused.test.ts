import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { backUp } from "../../src/ops/backups.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("a backup below a path that cannot be entered is refused with its path and the remedy", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "file"), "");
  await expect(backUp(folder, join(folder, "file/further/copy.db"))).rejects.toMatchObject({
    message: expect.stringContaining("cannot write the backup"),
    hint: "Check the free space and the permissions of that directory.",
  });
});
