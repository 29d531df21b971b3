import { existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { backupFolder, backUpRegularly, fileStamp } from "../../src/ops/backups.ts";
import { openDatabase } from "../../src/store/database.ts";
import { MAIN_DATABASE } from "../../src/store/main-database.ts";
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
