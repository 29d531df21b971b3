import { randomUUID } from "node:crypto";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import {
  buildingsYaml,
  countByObjective,
  Installation,
  interventionsOf,
  startCentre,
  upstreamYaml,
} from "../support/installation.ts";

/* A memory card flips a bit in one text of one row, which no check of SQLite finds: what was JSON is not. The rest of the
   database is intact, and the next alarm must reach the dispatch centre. */

const LIMIT_MS = 60_000;
const HALLS = 12;
const ZONES = Array.from(
  { length: HALLS },
  (_, index) =>
    `  - { id: hall-${index + 1}, name: Hall ${index + 1}, kind: holdup, objective: { type: obiective/cladiri, id: ${index + 1} }, input: { simulated: true } }\n`,
).join("");

let installation: Installation;
let centre: DaemonProcess;
let site: DaemonProcess;
let dataDir: string;
beforeEach(async () => {
  installation = Installation.temporary();
  const started = await startCentre(installation, buildingsYaml(HALLS));
  centre = started.centre;
  dataDir = join(installation.folder, "site");
  const yaml = `site: { ref: site }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n`;
  const others = `${buildingsYaml(HALLS)}${upstreamYaml(started.port)}zones:\n${ZONES}`;
  site = installation.daemon("site", yaml + others);
  await site.start();
});

async function set(hall: number, contact: "open" | "normal"): Promise<void> {
  const order = { zone: `hall-${hall}`, contact };
  await eventually(
    `hall ${hall} to be ${contact}`,
    async () => {
      const answer = await askDaemon(dataDir, "POST", "/site/simulate", order).catch(() => undefined);
      return answer?.status === 200;
    },
    LIMIT_MS,
  );
}

/** Waits until each of these halls has exactly one intervention at the dispatch centre. */
async function arrived(...halls: number[]): Promise<void> {
  await eventually(
    `one intervention each of ${halls.join(", ")} at the centre`,
    async () => {
      const counts = countByObjective(await interventionsOf(centre));
      return halls.every((hall) => counts.has(hall));
    },
    LIMIT_MS,
  );
  expect(countByObjective(await interventionsOf(centre))).toEqual(new Map(halls.map((hall) => [hall, 1])));
}

async function conditions(): Promise<string[]> {
  const { value } = await askDaemon(dataDir, "GET", "/site/status");
  return (value as StatusView).conditions.map(({ code }) => code);
}

/** Changes a database while the site is stopped. */
async function whileStopped(file: string, work: (database: Sqlite.Database) => void): Promise<void> {
  await site.end("SIGTERM");
  const database = new Sqlite(join(dataDir, file));
  work(database);
  database.close();
  await site.start();
}

/** Flips the last bit of the first character of a text in every row: no JSON begins so. */
const flipped = (column: string): string =>
  `char(iif(unicode(${column}) & 1, unicode(${column}) - 1, unicode(${column}) + 1)) || substr(${column}, 2)`;

test("a bit that flips in a text of any table keeps no later alarm from the dispatch centre", async () => {
  await set(1, "open");
  await arrived(1);
  let hall = 1;
  for (const [file, table, column] of [
    ["journal.db", "trips", "body"],
    ["journal.db", "trips", "signal"],
    ["journal.db", "incident_zones", "zone"],
    ["santinela.db", "outbox", "base"],
    ["santinela.db", "outbox", "agreed"],
    ["santinela.db", "centre_facts", "value"],
    ["santinela.db", "idempotency_keys", "body"],
    ["santinela.db", "plans", "pins"],
    ["santinela.db", "objectives", "data"],
  ] as const) {
    await whileStopped(file, (database) => {
      database.exec(`UPDATE ${table} SET ${column} = ${flipped(column)} WHERE ${column} IS NOT NULL`);
    });
    hall += 1;
    // The zone with the damaged rows too: it closes, which looks up its opening, and opens again.
    await set(1, "normal");
    await set(1, "open");
    await set(hall, "open");
    await askDaemon(dataDir, "POST", "/site/sync/now");
    await arrived(...Array.from({ length: hall }, (_, index) => index + 1));
    expect(await conditions(), `${table}.${column}`).not.toContain("thread-failed");
    for (const path of [
      "/site/trips?limit=100",
      "/site/journal?limit=100",
      "/site/sync",
      "/site/plans",
      "/obiective/cladiri",
    ])
      expect((await askDaemon(dataDir, "GET", path)).status, `${path} after ${table}.${column}`).toBe(200);
  }
}, 600_000);

test("an alarm whose own text is damaged while it waits is a record at its objective, and holds up no other", async () => {
  await set(1, "open");
  await arrived(1);
  await whileStopped("journal.db", (database) => {
    const row = database
      .prepare("SELECT * FROM trips WHERE zone_id = 'hall-1' AND about = 'trip'")
      .get() as Record<string, unknown>;
    const { seq: _seq, ...rest } = row;
    const waiting = {
      ...rest,
      key: randomUUID(),
      zone_id: "hall-2",
      subject: String(rest["subject"]).replace(/\d+$/, "2"),
      state: "waiting",
      incident: null,
      intervention_id: null,
      body: "z",
      signal: "z",
    };
    const names = Object.keys(waiting);
    database
      .prepare(`INSERT INTO trips(${names.join(", ")}) VALUES(${names.map((name) => `:${name}`).join(", ")})`)
      .run(waiting);
  });
  await set(3, "open");
  await arrived(1, 2, 3);
}, 240_000);
