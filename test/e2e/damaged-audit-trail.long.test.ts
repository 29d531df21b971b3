import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import { withLocalTimes } from "../../src/cli/local-time.ts";
import type { Condition } from "../../src/domain/condition.ts";
import { backUpRegularly } from "../../src/ops/backups.ts";
import { trailRows } from "../../src/store/audit-trail.ts";
import { EventLog } from "../../src/store/event-log.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { transaction } from "../../src/store/transaction.ts";
import { santinela } from "../support/command-line.ts";
import { eventually } from "../support/eventually.ts";
import { Installation } from "../support/installation.ts";

/* An SD card damages the audit trail of a stopped installation: the start says which entries are missing, and of when. */

const PAGE_BYTES = 4096;
const ZONE_OF_SITE = "Europe/Bucharest";
const YAML = "http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n";

let installation: Installation;
let site: DaemonProcess;
let file: string;
let beganMs: number;
beforeEach(async () => {
  installation = Installation.temporary();
  site = installation.daemon("site", YAML);
  file = join(installation.folder, "site", "santinela.db");
  beganMs = Date.now() - 3_600_000;
  await site.start();
  await site.end("SIGTERM");
});

/** Adds deletions, a second apart, and returns the hashes of all entries by their position. */
function addDeletions(first: number, count: number): string[] {
  const database = openMainDatabase(file);
  const log = new EventLog(database);
  transaction(database, () => {
    for (let number = first; number < first + count; number += 1) {
      const deleted = { event: "intervention-deleted", who: "ana@site.example", from: "10.0.0.2" } as const;
      const detail = { before: { id: number, name: `Hall ${number} `.padEnd(200, "x") } };
      log.add({ ...deleted, subject: `intervention ${number}`, detail }, beganMs + number * 1000);
    }
  });
  const hashes = ["", ...[...trailRows(database)].map(({ hash }) => hash)];
  database.close();
  return hashes;
}

/** Overwrites the page with the entry of a hash, which is in no index. */
function damagePage(hash: string): void {
  const bytes = readFileSync(file);
  const page = Math.floor(bytes.indexOf(hash) / PAGE_BYTES);
  bytes.fill(0xff, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
  writeFileSync(file, bytes);
}

/** Changes one letter in each copy of a name; no index has it. */
function alter(name: string): void {
  const bytes = readFileSync(file);
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) bytes.write("B", at);
  writeFileSync(file, bytes);
}

/** Starts the daemon and waits until the condition names entries of the trail. */
async function namedAfterStart(): Promise<string> {
  await site.start();
  return eventually("lost entries of the trail", async () => {
    const { conditions } = await site.get<{ conditions: Condition[] }>("/site/status");
    return /audit trail [^)]*\)/.exec(conditions.find(({ code }) => code === "data-lost")?.text ?? "")?.[0];
  });
}

async function doctor(): Promise<string> {
  const config = join(installation.folder, "site.yaml");
  return (await santinela(["doctor", "--config", config], { cwd: installation.folder })).stdout;
}

const timeOf = (number: number): string => new Date(beganMs + number * 1000).toISOString();

/** The missing range, checked against the time of its neighbours. */
function expectMissing(named: string, offset: number, position: number): void {
  const [, first, last, since, until] = /^audit trail (\d+)-(\d+) \((\S+) to (\S+)\)$/.exec(named) ?? [];
  expect(Number(first)).toBeLessThanOrEqual(position);
  expect(Number(last)).toBeGreaterThanOrEqual(position);
  expect(since).toBe(timeOf(Number(first) - 1 - offset));
  expect(until).toBe(timeOf(Number(last) + 1 - offset));
}

describe("a damaged page of the audit trail", () => {
  test("is reported with its entries and their time, in the status and by doctor; there is no backup", async () => {
    const hashes = addDeletions(1, 200);
    const offset = hashes.length - 201;
    damagePage(hashes[offset + 100] ?? "");
    const named = await namedAfterStart();
    expectMissing(named, offset, offset + 100);
    expect(await doctor()).toContain(withLocalTimes(named, ZONE_OF_SITE));
    const lost = await site.get<{ event: string; detail: { named: string } }[]>("/site/journal?limit=200");
    expect(lost.filter(({ event }) => event === "data-lost").map(({ detail }) => detail.named)).toContain(
      named,
    );
  });

  test("costs no entry that the backup has, and those after it are reported", async () => {
    addDeletions(1, 100);
    await backUpRegularly(join(installation.folder, "site"), Date.now());
    const hashes = addDeletions(101, 100);
    const offset = hashes.length - 201;
    damagePage(hashes[offset + 50] ?? "");
    damagePage(hashes[offset + 150] ?? "");
    const named = await namedAfterStart();
    expectMissing(named, offset, offset + 150);
    expect(await doctor()).toContain(withLocalTimes(named, ZONE_OF_SITE));
  });
});

test("an altered entry that SQLite does not notice is reported once, and a second one alone", async () => {
  const hashes = addDeletions(1, 50);
  const offset = hashes.length - 51;
  alter("Hall 20 ");
  expect(await namedAfterStart()).toBe(`audit trail ${offset + 20} (${timeOf(20)})`);
  await site.end("SIGTERM");
  rmSync(join(installation.folder, "site", "recovery.txt"));
  alter("Hall 30 ");
  expect(await namedAfterStart()).toBe(`audit trail ${offset + 30} (${timeOf(30)})`);
});

test("the newest entries are reported if an older file has replaced the database", async () => {
  addDeletions(1, 20);
  await site.start();
  await site.end("SIGTERM");
  copyFileSync(file, `${file}.older`);
  const hashes = addDeletions(21, 10);
  const offset = hashes.length - 31;
  await site.start();
  await site.end("SIGTERM");
  copyFileSync(`${file}.older`, file);
  const named = await namedAfterStart();
  expect(named).toBe(`audit trail ${offset + 21}-${offset + 30} (${timeOf(20)} to ${timeOf(30)})`);
  expect(await doctor()).toContain(withLocalTimes(named, ZONE_OF_SITE));
});
