import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { backUp } from "../../src/ops/backups.ts";
import { daemonControl } from "../../src/daemon-control.ts";
import { localRemote } from "../../src/domain/remote.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { translateToRomanian } from "../../src/panel/messages/ro-more.ts";
import { SiteSettings, type DaemonControl } from "../../src/site/settings.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { TESTER } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { IN_PROCESS_TASKS } from "../support/in-process-tasks.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let dataDir: string;
let control: DaemonControl;
let settings: SiteSettings;
let clock: ManualClock;
let orders: (() => void)[];
let piece: Buffer;

beforeEach(async () => {
  dataDir = temporaryFolder();
  marks("INSERT INTO centre_facts(name, value) VALUES('mark', '7')");
  await backUp(dataDir, join(dataDir, "copy.db"));
  marks("UPDATE centre_facts SET value = '8' WHERE name = 'mark'");
  piece = readFileSync(join(dataDir, "copy.db"));
  orders = [];
  clock = new ManualClock();
  control = newControl();
  settings = startedFront();
});

/** Changes the database of the site. */
function marks(sql: string): void {
  const database = openMainDatabase(join(dataDir, "santinela.db"));
  database.exec(sql);
  database.close();
}

/** Runs the restart that was asked for, after which the database is that of the backup. */
function restarts(): void {
  expect(orders).toHaveLength(1);
  orders[0]?.();
  const database = openMainDatabase(join(dataDir, "santinela.db"));
  expect(database.prepare("SELECT value FROM centre_facts WHERE name = 'mark'").pluck().all()).toEqual(["7"]);
  database.close();
}

const log = new JsonLog({ level: "error", clock: new ManualClock(), write: () => {} });

const newControl = (conditions = new ConditionRegistry(clock, log)): DaemonControl =>
  daemonControl({
    config: { dataDir },
    clock,
    log,
    conditions,
    effectiveOptions: () => [],
    reload: () => expect.fail("no reload was asked for"),
    applyConfiguration: () => expect.fail("no change was asked for"),
    restart: (meanwhile) => void orders.push(meanwhile),
  });

/** The settings of a front that has just been started, also after a defect has ended an earlier one. */
function startedFront(): SiteSettings {
  const backupWorker = IN_PROCESS_TASKS;
  const started = new SiteSettings({
    config: { dataDir },
    clock,
    backupWorker,
    control: localRemote(control),
  });
  started.start();
  return started;
}

test("an upload during a pending restore does not replace the backup", async () => {
  const { copy } = settings.add(0, piece);
  await settings.restore(copy, TESTER);
  expect(() => settings.add(0, Buffer.from("another one"))).toThrow(/is restarting/);
  await expect(settings.restore(copy, TESTER)).rejects.toThrow(/is restarting/);
  settings.stop();
  restarts();
});

test("a backup that expires during the shutdown is still restored", async () => {
  const { copy } = settings.add(0, piece);
  clock.advance(30 * 60_000 - 1);
  await settings.restore(copy, TESTER);
  clock.advance(60_000);
  settings.stop();
  restarts();
});

test("a backup is still restored if a defect ends the front during the shutdown, and it is started again", async () => {
  const { copy } = settings.add(0, piece);
  await settings.restore(copy, TESTER);
  startedFront();
  restarts();
  expect(readdirSync(join(dataDir, "backups"))).toEqual([]);
});

test("a backup whose restore a power cut has prevented is reported and removed at the next start", async () => {
  const { copy } = settings.add(0, piece);
  await settings.restore(copy, TESTER);
  const conditions = new ConditionRegistry(clock, log);
  newControl(conditions);
  expect(conditions.list()).toMatchObject([{ code: "restore-failed" }]);
  expect(translateToRomanian(conditions.list()[0]?.text ?? "")).toMatch(/^serviciul s-a oprit .* copia/);
  expect(readdirSync(join(dataDir, "backups"))).toEqual([]);
});

test("a download that takes longer than half an hour is ended, and the next one begins", async () => {
  const ends: (() => void)[] = [];
  const download = (): Promise<void> =>
    settings.withTemporaryBackup(
      (_path, signal) =>
        new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => resolve());
          ends.push(resolve);
        }),
    );
  const slow = download();
  await eventually("the download to begin", () => ends.length === 1);
  await expect(download()).rejects.toThrow(/already being downloaded/);
  clock.advance(30 * 60_000);
  await slow;
  const next = download();
  await eventually("the next download to begin", () => ends.length === 2);
  ends[1]?.();
  await next;
});

test("a restore that cannot begin is reported, and can be repeated", async () => {
  const { copy } = settings.add(0, piece);
  const inTheWay = join(dataDir, "backups", "being-restored.db");
  mkdirSync(inTheWay);
  await expect(settings.restore(copy, TESTER)).rejects.toThrow(/being-restored/);
  rmSync(inTheWay, { recursive: true });
  await settings.restore(copy, TESTER);
  expect(orders).toHaveLength(1);
  restarts();
});

test("the upload of a restore that could not begin expires", async () => {
  const { copy } = settings.add(0, piece);
  mkdirSync(join(dataDir, "backups", "being-restored.db"));
  await expect(settings.restore(copy, TESTER)).rejects.toThrow(/being-restored/);
  clock.advance(30 * 60_000);
  expect(readdirSync(join(dataDir, "backups"))).toEqual(["being-restored.db"]);
});

test("during a restart a restore is rejected", async () => {
  const { copy } = settings.add(0, piece);
  await settings.restart();
  await expect(settings.restore(copy, TESTER)).rejects.toThrow(/is restarting/);
  expect(orders).toHaveLength(1);
});

test("two concurrent restores of a backup are one restore", async () => {
  const { copy } = settings.add(0, piece);
  const both = await Promise.allSettled([settings.restore(copy, TESTER), settings.restore(copy, TESTER)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(orders).toHaveLength(1);
});

test("a partial upload after a power cut is removed at the next start", () => {
  settings.add(0, piece);
  mkdirSync(join(dataDir, "backups", "download-x1y2z3"));
  for (const ending of ["", ".part", ".part-journal"])
    writeFileSync(join(dataDir, "backups", "download-x1y2z3", `santinela.db${ending}`), piece);
  settings.start();
  expect(readdirSync(join(dataDir, "backups"))).toEqual([]);
});
