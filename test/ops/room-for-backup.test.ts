import { existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { backupFolder, backUp, backUpRegularly, fileStamp } from "../../src/ops/backups.ts";
import { freeBytes } from "../../src/ops/reserve-file.ts";
import { planRestore, restore } from "../../src/ops/restore.ts";
import { openDatabase } from "../../src/store/database.ts";
import { MAIN_DATABASE } from "../../src/store/main-database.ts";
import { TESTER } from "../support/app.ts";
import { describeUnless } from "../support/required-programs.ts";
import { NO_MOUNT, SmallDisk } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* A backup needs as much space as the database. */

const MEGABYTE = 1_048_576;
const NOW_MS = Date.UTC(2026, 10, 21, 3, 17);

/** A data directory with a database of about three megabytes. */
function siteIn(folder: string): string {
  const dataDir = join(folder, "site");
  mkdirSync(dataDir);
  const database = openDatabase(join(dataDir, "santinela.db"), MAIN_DATABASE);
  const put = database.prepare("INSERT INTO objectives VALUES('obiective/bunuri', ?, ?, 'config')");
  for (let id = 1; id <= 3; id += 1) put.run(id, JSON.stringify({ name: "x".repeat(MEGABYTE) }));
  database.close();
  return dataDir;
}

const partOf = (atMs: number): string => `santinela-${fileStamp(atMs)}.db.part`;

test("a backup that a power cut has interrupted is removed before the next one, and those of a person stay", async () => {
  const dataDir = siteIn(temporaryFolder());
  const folder = backupFolder(dataDir);
  await backUpRegularly(dataDir, NOW_MS - 86_400_000);
  for (const name of [partOf(NOW_MS - 3_600_000), `${partOf(NOW_MS - 3_600_000)}-journal`, "mine.db.part"])
    writeFileSync(join(folder, name), "");
  truncateSync(join(dataDir, "santinela.db"), 100);
  await expect(backUpRegularly(dataDir, NOW_MS)).rejects.toThrow(/./);
  expect(readdirSync(folder).sort()).toEqual([
    "mine.db.part",
    `santinela-${fileStamp(NOW_MS - 86_400_000)}.db`,
  ]);
});

test("a second backup at the same time leaves the first one alone", async () => {
  const dataDir = siteIn(temporaryFolder());
  const first = backUpRegularly(dataDir, NOW_MS);
  await expect(backUpRegularly(dataDir, NOW_MS + 1000)).rejects.toMatchObject({
    code: "busy",
    message: "another backup is being made",
  });
  expect(existsSync(await first)).toBe(true);
  expect(existsSync(await backUpRegularly(dataDir, NOW_MS + 2000))).toBe(true);
});

describeUnless(NO_MOUNT, "a disk with little space", () => {
  let disk: SmallDisk;
  let dataDir: string;
  beforeEach(() => {
    disk = new SmallDisk(60);
    dataDir = siteIn(disk.folder);
  });
  afterEach(() => disk.remove());

  test("is not filled by a backup, which may go to another disk", async () => {
    disk.fill(18 * MEGABYTE);
    const before = freeBytes(dataDir);
    await expect(backUpRegularly(dataDir, NOW_MS)).rejects.toMatchObject({
      code: "cannot-create",
      message: expect.stringMatching(/about (19|20) MB are needed in .*backups, 1[78] MB are free/),
    });
    expect(before - freeBytes(dataDir)).toBeLessThan(65_536);
    const elsewhere = join(temporaryFolder(), "copy.db");
    await backUp(dataDir, elsewhere);
    disk.drain();
    disk.fill(22 * MEGABYTE);
    expect(existsSync(await backUpRegularly(dataDir, NOW_MS))).toBe(true);
  });

  test("says at a restore how much is needed, and keeps the current database", async () => {
    const copy = join(temporaryFolder(), "copy.db");
    await backUp(dataDir, copy);
    const plan = planRestore(dataDir, copy);
    disk.fill(MEGABYTE);
    const before = readdirSync(dataDir);
    expect(() => restore(dataDir, copy, NOW_MS, TESTER, plan)).toThrow(
      expect.objectContaining({
        code: "storage",
        message: expect.stringMatching(
          /about [3-5] MB are needed in .*, [01] MB are free; the current database stays in use/,
        ),
      }),
    );
    const left = readdirSync(dataDir).filter((name) => !before.includes(name));
    expect(left.sort()).toEqual(["lock.db", "secrets"]);
    disk.drain();
    restore(dataDir, copy, NOW_MS, TESTER, plan);
  });
});
