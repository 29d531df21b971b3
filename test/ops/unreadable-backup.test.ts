import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { backUp } from "../../src/ops/backups.ts";
import { planRestore } from "../../src/ops/restore.ts";
import { openDatabase } from "../../src/store/database.ts";
import { MAIN_DATABASE } from "../../src/store/main-database.ts";
import { santinela, type Outcome } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A user without rights; root may read everything. */
const ORDINARY = 65_534;

let folder: string;
let backup: string;
beforeEach(async () => {
  folder = temporaryFolder();
  writeFileSync(join(folder, "santinela.yaml"), "dataDir: ./data\nmqtt: off\n");
  mkdirSync(join(folder, "data"));
  mkdirSync(join(folder, "usb"));
  openDatabase(join(folder, "data", "santinela.db"), MAIN_DATABASE).close();
  backup = join(folder, "usb", "hall.db");
  await backUp(join(folder, "data"), backup);
  chmodSync(folder, 0o755);
});
afterEach(() => chmodSync(join(folder, "usb"), 0o755));

const dryRun = (file: string): Promise<Outcome> =>
  santinela(["restore", "--dry-run", file, "--config", "santinela.yaml"], { cwd: folder });

/** Runs as a user other than root. */
function asOrdinaryUser<T>(run: () => T): T {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(ORDINARY);
  try {
    return run();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

test("a backup that the user may not read is reported with its user and remedy", () => {
  chmodSync(backup, 0o000);
  expect(() => asOrdinaryUser(() => planRestore(join(folder, "data"), backup))).toThrow(
    expect.objectContaining({
      code: "no-permission",
      message: expect.stringMatching(/hall\.db cannot be restored: .*user.* may not read it/) as string,
      hint: expect.stringMatching(/access to the file and to each directory above it/) as string,
    }),
  );
});

test("a backup in a directory that the user may not enter is not reported as missing", () => {
  chmodSync(join(folder, "usb"), 0o000);
  expect(() => asOrdinaryUser(() => planRestore(join(folder, "data"), backup))).toThrow(/may not read it/);
});

test("a directory instead of a backup is called one, and the remedy names a file in it", async () => {
  expect(await dryRun("usb")).toMatchObject({
    code: 65,
    stderr: expect.stringMatching(/usb cannot be restored: it is a directory\n.*usb\/<name>\.db/) as string,
  });
});

test("a missing backup is called missing, and the remedy names the scheduled backups", async () => {
  expect(await dryRun("usb/nowhere.db")).toMatchObject({
    code: 65,
    stderr: expect.stringMatching(
      /nowhere\.db cannot be restored: there is no such file\n.*backups/,
    ) as string,
  });
});

test("a device instead of a backup is not read", async () => {
  expect(await dryRun("/dev/zero")).toMatchObject({
    code: 65,
    stderr: expect.stringMatching(/\/dev\/zero cannot be restored: it is not a file/) as string,
  });
});
