import { readdirSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import { transaction } from "../../src/store/transaction.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { Installation } from "../support/installation.ts";

/*
 * Work on a whole database is slow, and the daemon must do other work meanwhile. The database is large enough
 * for this to show in the requests answered meanwhile; durations are not tested.
 */

const ENTRIES = 9_000;
const ENTRY_BYTES = 12_000;
/** A daemon that is blocked by the backup would answer one or two of them. */
const ANSWERS = 10;

let installation: Installation;
let site: DaemonProcess;
let dataDir: string;
let backups: string;

beforeEach(async () => {
  installation = Installation.temporary();
  site = installation.daemon(
    "site",
    "http: { port: 0 }\nmqtt: off\nzones:\n  - { id: hand, name: hand, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }\n",
  );
  dataDir = join(installation.folder, "site");
  backups = join(dataDir, "backups");
  await site.start();
  await site.end("SIGTERM");
  const database = openMainDatabase(join(dataDir, "santinela.db"));
  const add = database.prepare(
    "INSERT INTO events(at, event, who, origin, subject, detail) VALUES(0, 'signed-in', 'a', 'b', 'c', ?)",
  );
  const detail = JSON.stringify("x".repeat(ENTRY_BYTES));
  transaction(database, () => {
    for (let number = 0; number < ENTRIES; number += 1) add.run(detail);
  });
  database.close();
  await site.start();
});

/** Creates a backup and deletes it. @returns whether it ended, with success or not */
function takeCopy(): () => boolean {
  let isOver = false;
  const end = (): boolean => (isOver = true);
  const backupRequest = request({
    socketPath: join(dataDir, "control.sock"),
    path: "/site/backup",
    agent: false,
  });
  backupRequest.on("response", (response) => response.on("error", end).on("close", end).resume());
  backupRequest.on("error", end).end();
  return () => isOver;
}

async function answersUntil(isOver: () => boolean): Promise<number> {
  let answers = 0;
  while (!isOver()) {
    const { status } = await askDaemon(dataDir, "GET", "/site/status");
    if (status === 200) answers += 1;
  }
  return answers;
}

/** Files in the directory of the running backup. */
function copying(): string[] {
  const [folder] = readdirSync(backups);
  if (folder === undefined) return [];
  try {
    return readdirSync(join(backups, folder));
  } catch {
    // It was removed at this moment.
    return [];
  }
}

test("requests are answered and trips are recorded during the backup of a large database", async () => {
  const first = (await askDaemon(dataDir, "GET", "/interventii")).value as unknown[];
  const isTaken = takeCopy();
  await eventually("the backup to start", () => readdirSync(backups).length > 0);
  await askDaemon(dataDir, "POST", "/site/simulate", { zone: "hand", contact: "open" });
  const answers = await answersUntil(() => isTaken() || copying().includes("santinela.db"));
  expect(answers).toBeGreaterThan(ANSWERS);
  await eventually("the backup to be removed", isTaken);
  await eventually("all of it to be removed", () => readdirSync(backups).length === 0);
  await eventually(
    "the trip to be a record",
    async () =>
      ((await askDaemon(dataDir, "GET", "/interventii")).value as unknown[]).length === first.length + 1,
  );
});

test("a daemon that is killed or stopped during a backup leaves no partial file", async () => {
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    const isTaken = takeCopy();
    await eventually("the backup to start", () => copying().includes("santinela.db.part"));
    await site.end(signal);
    await eventually("the request to have ended", isTaken);
    await site.start();
    expect(readdirSync(backups), signal).toEqual([]);
    expect((await askDaemon(dataDir, "GET", "/interventii")).status).toBe(200);
  }
});
