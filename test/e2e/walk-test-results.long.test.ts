import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { beforeEach, expect, test, vi } from "vitest";
import { ControlClient } from "../../src/cli/control-client.ts";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { EndedWalkTestView, WalkTestView, ZoneView } from "../../src/site/zone-view.ts";
import { eventually } from "../support/eventually.ts";
import { Installation, MAIN } from "../support/installation.ts";

vi.setConfig({ testTimeout: 120_000 });

const CONFIGURATION = `site: { name: Hala Nord, ref: hala-nord }
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
zones:
  - { id: door, name: Door, kind: intrusion, objective: { type: obiective/cladiri, id: 12 }, input: { simulated: true } }
`;

let installation: Installation;
let site: DaemonProcess;
let dataDir: string;
let client: ControlClient;
beforeEach(() => {
  installation = Installation.temporary();
  site = installation.daemon("site", CONFIGURATION);
  dataDir = join(installation.folder, "site");
  client = new ControlClient(dataDir);
});

/** A walk test in which the door trips. */
async function walked(): Promise<WalkTestView> {
  await client.post("/site/walk-test", { minutes: 30 });
  for (const more of [[], ["--restore"]]) await site.run(["trip", "--zone", "door", ...more]);
  return client.post<WalkTestView>("/site/walk-test", { end: true });
}

const testedAt = async (): Promise<string | null | undefined> =>
  (await site.get<ZoneView[]>("/site/zones"))[0]?.testedAt;
const listed = (): Promise<EndedWalkTestView[]> => site.get("/site/walk-tests");

/** Hashes of the results in `santinela.db`, which every backup has. */
function copied(): string[] {
  const database = new Sqlite(join(dataDir, "santinela.db"), { readonly: true });
  try {
    return database.prepare("SELECT sha256 FROM walk_test_results ORDER BY seq").pluck().all() as string[];
  } finally {
    database.close();
  }
}

async function servedHash(path: string): Promise<string> {
  return createHash("sha256")
    .update(await client.text(path))
    .digest("hex");
}

test.each(["SIGHUP", "SIGTERM"] as const)(
  "a session that is lost during a walk test ends it, so that alarms are dispatched again: %s",
  async (signal) => {
    await site.start();
    const file = join(installation.folder, "site.yaml");
    const walking = spawn(process.execPath, [MAIN, "test", "walk", "--config", file], { stdio: "ignore" });
    const ended = new Promise<unknown>((resolve) => walking.once("exit", resolve));
    const isRunning = async (): Promise<boolean> =>
      (await site.get<WalkTestView | null>("/site/walk-test"))?.running === true;
    await eventually("the walk test", isRunning);
    walking.kill(signal);
    await ended;
    expect(await isRunning()).toBe(false);
  },
);

/** Two tests and a backup of them. @returns its file and the hashes of the tests */
async function backedUp(): Promise<{
  file: string;
  hashes: readonly (string | null)[];
  lastTrip: string | null | undefined;
}> {
  const first = await walked();
  const second = await walked();
  const hashes = [first.sha256, second.sha256];
  const lastTrip = second.zones[0]?.last;
  await eventually("the copies", () => copied().length === 2);
  const file = join(installation.folder, "backup.db");
  await site.run(["backup", "--out", file]);
  await site.end("SIGTERM");
  rmSync(dataDir, { recursive: true });
  return { file, hashes, lastTrip };
}

test("the results of walk tests are on a new card once the backup is restored, and the next test has the next number", async () => {
  await site.start();
  const { file, hashes, lastTrip } = await backedUp();
  await site.run(["restore", file]);
  await site.start();
  expect((await listed()).map(({ number, sha256 }) => [number, sha256])).toEqual([
    [2, hashes[1]],
    [1, hashes[0]],
  ]);
  expect(await servedHash("/site/walk-tests/1")).toBe(hashes[0]);
  expect(lastTrip).toMatch(/Z$/);
  expect(await testedAt()).toBe(lastTrip);
  expect(await walked()).toMatchObject({ number: 3 });
  expect(await listed()).toHaveLength(3);
});

test("a walk test on a new card before the backup is restored stays beside those of the backup", async () => {
  await site.start();
  const { file, hashes } = await backedUp();
  await site.start();
  const own = await walked();
  await site.end("SIGTERM");
  await site.run(["restore", file]);
  await site.start();
  expect((await listed()).map(({ sha256 }) => sha256)).toEqual([hashes[1], own.sha256, hashes[0]]);
  for (const sha256 of [own.sha256, hashes[0]])
    expect(await servedHash(`/site/walk-tests/1?sha256=${sha256}`)).toBe(sha256);
  await eventually("the copy", () => copied().length === 3);
});

test("a result exists once after a power cut between the two databases, and after an upgrade", async () => {
  await site.start({ ...process.env, SANTINELA_FAILPOINT: "walk-test-copying" });
  const cut = walked().catch(() => undefined);
  await site.exited();
  await cut;
  expect(copied()).toEqual([]);
  await site.start();
  const [only, ...others] = await listed();
  expect(others).toEqual([]);
  expect(copied()).toEqual([only?.sha256]);
  await site.end("SIGTERM");
  // What an earlier release leaves: a result in the journal only.
  const database = new Sqlite(join(dataDir, "santinela.db"));
  database.exec("DELETE FROM walk_test_results");
  database.close();
  await site.start();
  expect(copied()).toEqual([only?.sha256]);
  expect(await listed()).toEqual([only]);
});
