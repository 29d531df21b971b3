import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import Sqlite from "better-sqlite3";
import { beforeEach, describe, expect, test } from "vitest";
import { MAIN_DATABASE, openMainDatabase } from "../../src/store/main-database.ts";
import type { BackupWorker } from "../../src/ops/backup-worker.ts";
import { BUILD } from "../support/built-program.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { Installation } from "../support/installation.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { uploaded } from "../support/uploaded-backup.ts";

const BUILT = pathToFileURL(join(BUILD, "ops", "backup-worker.js")).href;

let folder: string;
let copy: string;
beforeEach(() => {
  folder = temporaryFolder();
  openMainDatabase(join(folder, "santinela.db")).close();
  copy = join(folder, "copy.db");
  makeHostile(copy);
});

/**
 * A backup that claims a newer release, with an additional table that takes SQLite hours to check: each row has to fulfil
 * a slow condition.
 */
function makeHostile(path: string): void {
  openMainDatabase(path).close();
  const database = new Sqlite(path);
  const { minReaderVersion = 0, migrations } = MAIN_DATABASE;
  database.pragma(`user_version = ${minReaderVersion * 1000 + migrations.length + 1}`);
  database.pragma("ignore_check_constraints = ON");
  database.exec(`
    CREATE TABLE slow(x INTEGER CHECK (length(replace(hex(zeroblob(2000000 + x % 2)), '0', 'ab')) > 0));
    WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 20000) INSERT INTO slow SELECT x FROM n;
  `);
  database.close();
}

async function processWith(limitMs: number): Promise<BackupWorker> {
  const built = (await import(BUILT)) as {
    BackupWorker: new (options: { checkMsMax: number }) => BackupWorker;
  };
  return new built.BackupWorker({ checkMsMax: limitMs });
}

/** Whether a process still runs; one that has ended may wait for its parent to read its exit code. */
function isRunning(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) && !/\) Z /.test(readFileSync(stat, "utf8"));
}

/** Child processes of a process. */
function childrenOf(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return [];
  return readdirSync(tasks).flatMap((task) =>
    readFileSync(join(tasks, task, "children"), "utf8")
      .split(" ")
      .filter(Boolean)
      .map(Number),
  );
}

describe("a backup of a database whose check takes hours", () => {
  const before = new Set(childrenOf(process.pid));
  const checking = (): number | undefined =>
    childrenOf(process.pid).find((pid) => !before.has(pid) && isRunning(pid));
  beforeEach(() => makeHostile(join(folder, "santinela.db")));

  test("ends with the daemon, and its process exits", async () => {
    const work = await processWith(600_000);
    const answer = work.backUp(folder, join(folder, "out.db"));
    await eventually("the check to run", () => checking() !== undefined);
    work.stop();
    await expect(answer).rejects.toThrow(/daemon is restarting/);
    await eventually("the end of the check", () => checking() === undefined);
    expect(existsSync(join(folder, "out.db"))).toBe(false);
  });

  test("does not hold up the next start of the web server when a defect ends it", async () => {
    const order = `import(${JSON.stringify(BUILT)}).then(({ BackupWorker }) =>
      new BackupWorker().backUp(${JSON.stringify(folder)}, ${JSON.stringify(join(folder, "out.db"))}))`;
    const front = new Worker(order, { eval: true });
    await eventually("the check to run", () => checking() !== undefined);
    await front.terminate();
    await eventually("the end of the check", () => checking() === undefined);
  });
});

describe("an uploaded backup whose check takes hours", () => {
  test("is rejected at the time-out", async () => {
    const work = await processWith(1_500);
    await expect(work.planRestore(folder, copy)).rejects.toThrow(/its check takes longer than 1.5 s/);
  });

  test("ends with the daemon, and its process exits", async () => {
    const work = await processWith(600_000);
    const before = new Set(childrenOf(process.pid));
    const answer = work.planRestore(folder, copy);
    const [child = 0] = childrenOf(process.pid).filter((pid) => !before.has(pid));
    expect(child).toBeGreaterThan(0);
    work.stop();
    await expect(answer).rejects.toThrow(/daemon is restarting/);
    expect(existsSync(`/proc/${child}`)).toBe(false);
  });

  test("ends when the daemon is killed, and no process remains", async () => {
    const order = `import(${JSON.stringify(BUILT)}).then(({ BackupWorker }) =>
      new BackupWorker({ checkMsMax: 600000 }).planRestore(${JSON.stringify(folder)}, ${JSON.stringify(copy)}))`;
    const daemon = spawn(process.execPath, ["-e", order], { stdio: "ignore" });
    const pid = daemon.pid ?? 0;
    await eventually("the check to run", () => childrenOf(pid).length > 0);
    const [child = 0] = childrenOf(pid);
    await eventually("the check to have a thread", () => readdirSync(`/proc/${child}/task`).length > 8);
    daemon.kill("SIGKILL");
    await eventually("the end of the check", () => !existsSync(`/proc/${child}`));
  });

  test("does not affect the check of a valid one", async () => {
    const good = join(folder, "good.db");
    openMainDatabase(good).close();
    const work = await processWith(60_000);
    expect(await work.planRestore(folder, good)).toEqual({
      recordsInBackup: 0,
      onlyInCurrent: [],
      onlyInBackup: [],
    });
  });
});

test("an uploaded backup whose check takes hours does not hold up the stop of the daemon", async () => {
  const installation = Installation.temporary();
  const site = installation.daemon("site", "http: { port: 0 }\nmqtt: off\n");
  await site.start();
  const { pid } = site;
  const dataDir = join(installation.folder, "site");
  const number = await uploaded(dataDir, readFileSync(copy));
  const answer = askDaemon(dataDir, "POST", "/site/restore", { copy: number, dryRun: true }).then(
    ({ status }) => status,
    () => "cut off",
  );
  const checking = await eventually("the check", () => childrenOf(pid ?? 0)[0]);
  await site.end("SIGTERM");
  expect(await answer).not.toBe(200);
  await eventually("the end of the check", () => !isRunning(checking));
  // The uploaded file is not restored by the next start.
  await site.start();
  expect((await askDaemon(dataDir, "GET", "/site/status")).status).toBe(200);
}, 120_000);
