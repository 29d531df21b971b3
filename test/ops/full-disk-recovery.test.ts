import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, cpSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { Databases } from "../../src/ops/databases.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { prepareDataDir } from "../../src/ops/secrets.ts";
import { ReserveFile } from "../../src/ops/reserve-file.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { describeUnless } from "../support/required-programs.ts";
import { NO_MOUNT, SmallDisk } from "../support/small-disk.ts";

/** Enough for the indexes of the logs, which SQLite creates, but not for a copy of a database. */
const ROOM_BYTES = 400_000;

/** A power cut while the disk is almost full. */
describeUnless(NO_MOUNT, "a damaged database on a full disk", () => {
  const clock = new ManualClock();
  const log = new JsonLog({ level: "debug", clock, write: () => {} });
  let disk: SmallDisk;
  let dataDir: string;
  beforeEach(() => {
    disk = new SmallDisk(12);
    dataDir = join(disk.folder, "site");
    mkdirSync(join(disk.folder, "worked"));
    const databases = open(join(disk.folder, "worked"));
    const put = databases.main.prepare("INSERT INTO objectives VALUES('obiective/bunuri', ?, ?, 'config')");
    for (let id = 1; id <= 3; id += 1) put.run(id, JSON.stringify({ name: "x".repeat(200_000) }));
    databases.main.pragma("wal_checkpoint(TRUNCATE)");
    for (let id = 4; id <= 6; id += 1) put.run(id, "{}");
    // As a power cut leaves it: without the index of the log, which is in memory.
    cpSync(join(disk.folder, "worked"), dataDir, { recursive: true });
    databases.close();
    for (const name of ["santinela.db-shm", "journal.db-shm"]) rmSync(join(dataDir, name), { force: true });
    rmSync(join(disk.folder, "worked"), { recursive: true });
  });
  afterEach(() => disk.remove());

  function open(folder: string): Databases {
    return new Databases({
      dataDir: folder,
      clock,
      log,
      conditions: new ConditionRegistry(clock, log),
      reserveFile: new ReserveFile(folder),
      newIdentity: randomUUID,
    });
  }

  function damage(name: string, offset: number): void {
    const file = openSync(join(dataDir, name), "r+");
    writeSync(file, Buffer.alloc(64, 0xa5), 0, 64, offset);
    closeSync(file);
  }

  test("opens without the incomplete commit at the end of its log, which needs no copy", () => {
    damage("santinela.db-wal", statSync(join(dataDir, "santinela.db-wal")).size - 100);
    disk.fill(ROOM_BYTES);
    const databases = open(dataDir);
    expect(databases.main.prepare("SELECT id FROM objectives ORDER BY id").pluck().all()).toEqual([
      1, 2, 3, 4, 5,
    ]);
    databases.close();
  });

  test("is not taken for damaged only because nothing is free for the index of its log: the reserve is used", async () => {
    await new ReserveFile(dataDir).fill(4 * 1_048_576);
    disk.fill();
    const databases = open(dataDir);
    expect(readdirSync(dataDir)).not.toContain("recovery.txt");
    expect(databases.main.prepare("SELECT count(*) FROM objectives").pluck().get()).toBe(6);
    databases.close();
  });

  test("is named as read-only when the system has made the disk so", () => {
    prepareDataDir(dataDir);
    execFileSync("mount", ["-o", "remount,ro", disk.folder]);
    expect(() => prepareDataDir(dataDir)).toThrow(/^the disk of the data directory .* is read-only$/);
  });

  test("is not taken for a failing disk when only the service may not write to it", () => {
    prepareDataDir(dataDir);
    execFileSync("mount", ["-o", "remount,bind,ro", disk.folder]);
    for (const folder of [dataDir, join(disk.folder, "missing")])
      expect(() => prepareDataDir(folder)).toThrow(
        expect.objectContaining({
          message: `the service may not write to the data directory ${folder}`,
          hint: expect.stringContaining(`ReadWritePaths=${folder}`) as string,
        }),
      );
  });

  test("is refused with the room that is needed and what could be removed, and nothing is left behind", () => {
    damage("santinela.db", 8192);
    disk.fill(ROOM_BYTES);
    expect(() => open(dataDir)).toThrow(
      /^santinela\.db is damaged \(.*\), and there is no room to recover it: about \d MB are needed in .*, 0 MB are free$/,
    );
    expect(readdirSync(dataDir).filter((name) => /quarantine|preparing|ready/.test(name))).toEqual([]);
  });
});
