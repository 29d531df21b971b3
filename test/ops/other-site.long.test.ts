import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { DaemonControl } from "../../src/site/settings.ts";
import { localRemote } from "../../src/domain/remote.ts";
import { backUp } from "../../src/ops/backups.ts";
import { IN_PROCESS_TASKS } from "../support/in-process-tasks.ts";
import { SystemClock } from "../../src/ops/system-clock.ts";
import { SiteSettings } from "../../src/site/settings.ts";
import { TESTER } from "../support/app.ts";
import { santinela } from "../support/command-line.ts";
import { askDaemon } from "../support/control-socket.ts";
import { daemonInProcess, machineWith } from "../support/daemon-in-process.ts";

/* An installer has backups of several sites on one medium, and takes the wrong one. */

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "santinela-other-site-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a site with this reference for a moment, and creates a record on request. */
async function run(name: string, ref: string, { withRecord }: { withRecord: boolean }): Promise<void> {
  mkdirSync(join(folder, name), { recursive: true });
  const file = join(folder, `${name}.yaml`);
  writeFileSync(
    file,
    `dataDir: ./${name}
site: { ref: ${ref} }
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 1, name: Hall } ] }
`,
  );
  const daemon = daemonInProcess(file, machineWith(join(folder, "machine")));
  await daemon.start();
  const record = { name: "Patrol", objectiveType: "obiective/cladiri", objectiveId: 1 };
  if (withRecord)
    expect((await askDaemon(join(folder, name), "POST", "/interventii", record)).status).toBe(201);
  await daemon.stop();
}

const restore = (name: string, ...words: string[]) =>
  santinela(["restore", "--config", `${name}.yaml`, ...words], { cwd: folder });
/** References of the sites whose records a data directory has, as the next restore would compare them. */
const backupOf = async (name: string): Promise<string> => {
  const file = join(folder, `${name}-copy.db`);
  await backUp(join(folder, name), file);
  return file;
};

test("a backup of another site is restored only if that is meant, and says of which site it is", async () => {
  await run("north", "hala-nord", { withRecord: true });
  await run("south", "depozit-sud", { withRecord: true });
  const copy = await backupOf("north");
  const before = readFileSync(join(folder, "south/santinela.db"));
  const refused = await restore("south", copy);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/of another site: hala-nord[^]*--other-site[^]*site\.ref/),
  ]);
  expect(readFileSync(join(folder, "south/santinela.db"))).toEqual(before);
  expect((await restore("south", "--dry-run", copy)).stdout).toMatch(
    /^The backup is of another site: hala-nord\n/,
  );
  expect(await restore("south", "--other-site", copy)).toMatchObject({ code: 0, stdout: /Restored/ });
  // From now on it has been both.
  await run("south", "depozit-sud", { withRecord: false });
  expect(await restore("south", copy)).toMatchObject({ code: 0, stdout: /Restored/ });
});

test("a new machine takes the backup of the dead one without a question, and a named one does not", async () => {
  await run("dead", "hala-nord", { withRecord: true });
  const copy = await backupOf("dead");
  await run("replacement", "site-9f2c41a07b", { withRecord: false });
  expect(await restore("replacement", copy)).toMatchObject({ code: 0, stdout: /Restored/ });
  await run("same", "hala-nord", { withRecord: false });
  expect(await restore("same", copy)).toMatchObject({ code: 0, stdout: /Restored/ });
  await run("named", "depozit-sud", { withRecord: false });
  expect(await restore("named", copy)).toMatchObject({ code: 1, stderr: /another site: hala-nord/ });
  await run("used", "site-9f2c41a07b", { withRecord: true });
  expect(await restore("used", copy)).toMatchObject({ code: 1, stderr: /another site: hala-nord/ });
});

test("a machine that has its configuration, but no database that names its site, asks about the backup of another site", async () => {
  await run("south", "depozit-sud", { withRecord: true });
  const copy = await backupOf("south");
  const configured = (name: string): void =>
    writeFileSync(
      join(folder, `${name}.yaml`),
      `dataDir: ./${name}\nsite: { ref: hala-nord }\nobjectives: { obiective/cladiri: [ { id: 1, name: Hall } ] }\n`,
    );
  configured("empty");
  expect(await restore("empty", copy)).toMatchObject({ code: 1, stderr: /another site: depozit-sud/ });
  expect(existsSync(join(folder, "empty/santinela.db"))).toBe(false);
  await run("started", "new-site", { withRecord: false });
  configured("started");
  expect(await restore("started", copy)).toMatchObject({ code: 1, stderr: /another site: depozit-sud/ });
  mkdirSync(join(folder, "damaged"));
  writeFileSync(join(folder, "damaged/santinela.db"), "unreadable");
  configured("damaged");
  expect(await restore("damaged", copy)).toMatchObject({ code: 1, stderr: /another site: depozit-sud/ });
  expect(await restore("damaged", "--other-site", copy)).toMatchObject({ code: 0, stdout: /Restored/ });
  await run("north", "hala-nord", { withRecord: true });
  expect(await restore("empty", await backupOf("north"))).toMatchObject({ code: 0, stdout: /Restored/ });
});

test("a backup from before the site had a name is restored on its replacement, whose configuration has one", async () => {
  await run("unnamed", "site-9f2c41a07b", { withRecord: true });
  const copy = await backupOf("unnamed");
  writeFileSync(
    join(folder, "named.yaml"),
    "dataDir: ./named\nsite: { ref: hala-nord }\nobjectives: { obiective/cladiri: [ { id: 1, name: Hall } ] }\n",
  );
  expect(await restore("named", copy)).toMatchObject({ code: 0, stdout: /Restored/ });
});

test("a site that has changed its reference takes its own earlier backup", async () => {
  await run("site", "hala-nord", { withRecord: true });
  const copy = await backupOf("site");
  await run("site", "hala-noua", { withRecord: true });
  expect(await restore("site", copy)).toMatchObject({ code: 0, stdout: /Restored/ });
});

test("the web panel needs a confirmation for the backup of another site", async () => {
  await run("north", "hala-nord", { withRecord: true });
  await run("south", "depozit-sud", { withRecord: true });
  const orders: string[] = [];
  const control = {
    restore: ({ path }: { path: string }) => void orders.push(path),
  } as unknown as DaemonControl;
  const settings = new SiteSettings({
    config: { dataDir: join(folder, "south") },
    clock: new SystemClock(),
    backupWorker: IN_PROCESS_TASKS,
    control: localRemote(control),
  });
  settings.start();
  const { copy } = settings.add(0, readFileSync(await backupOf("north")));
  expect(await settings.plan(copy)).toMatchObject({ otherSite: "hala-nord", onlyInBackup: [] });
  await expect(settings.restore(copy, TESTER)).rejects.toThrow("another site: hala-nord");
  expect(orders).toEqual([]);
  await settings.restore(copy, TESTER, true);
  expect(orders).toHaveLength(1);
  settings.stop();
});
