import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Trip } from "../../src/domain/trip.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import { askDaemon, type ControlAnswer } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import {
  buildingsYaml,
  countByObjective,
  Installation,
  interventionsOf,
  startCentre,
  upstreamYaml,
} from "../support/installation.ts";

/* A memory card damages the records of a running site, where no user is: its alarms wait in the journal. */

const LIMIT_MS = 120_000;
const ZONES = [1, 2, 3, 4]
  .map(
    (id) =>
      `  - { id: hall-${id}, name: Hall ${id}, kind: holdup, objective: { type: obiective/cladiri, id: ${id} }, input: { simulated: true } }\n`,
  )
  .join("");

let installation: Installation;
let centre: DaemonProcess;
let site: DaemonProcess;
let dataDir: string;
beforeEach(async () => {
  installation = Installation.temporary();
  const started = await startCentre(installation, buildingsYaml(4));
  centre = started.centre;
  dataDir = join(installation.folder, "site");
  const yaml = `site: { ref: site }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n`;
  const others = `${buildingsYaml(4)}${upstreamYaml(started.port)}zones:\n${ZONES}`;
  site = installation.daemon("site", yaml + others);
  await site.start();
});

/** The answer of the site; undefined while it restarts. */
const ask = (method: "GET" | "POST", path: string, body?: unknown): Promise<ControlAnswer | undefined> =>
  askDaemon(dataDir, method, path, body).catch(() => undefined);
const status = async (): Promise<StatusView | undefined> => {
  const answer = await ask("GET", "/site/status");
  return answer?.status === 200 ? (answer.value as StatusView) : undefined;
};
const has = async (code: string): Promise<boolean> =>
  (await status())?.conditions.some((one) => one.code === code) === true;
/** Trips of this zone, by what became of them. */
const tripsOf = async (hall: number): Promise<string[]> => {
  const trips = ((await ask("GET", "/site/trips?limit=100"))?.value ?? []) as Trip[];
  return trips.filter(({ zoneId }) => zoneId === `hall-${hall}`).map(({ state }) => state);
};

const press = async (hall: number): Promise<void> => {
  await eventually(
    `hall ${hall} to be pressed`,
    async () =>
      (await ask("POST", "/site/simulate", { zone: `hall-${hall}`, contact: "open" }))?.status === 200,
    LIMIT_MS,
  );
};
/** Waits until each of these halls has exactly one intervention at the dispatch centre. */
const arrived = async (...halls: number[]): Promise<void> => {
  const wanted = new Map(halls.map((hall) => [hall, 1]));
  await eventually(
    `one intervention each of ${halls.join(", ")} at the centre`,
    async () => {
      const counts = countByObjective(await interventionsOf(centre));
      return halls.every((hall) => counts.has(hall));
    },
    LIMIT_MS,
  );
  expect(countByObjective(await interventionsOf(centre))).toEqual(wanted);
};

/** Overwrites the first pages of a table, and of its indexes too, and makes the daemon read the file again. */
function damageRecords(table: string, { withIndexes = true } = {}): void {
  const path = join(dataDir, "santinela.db");
  const database = new Sqlite(path);
  database.exec("UPDATE outbox SET sends = sends");
  database.pragma("wal_checkpoint(TRUNCATE)");
  const size = Number(database.pragma("page_size", { simple: true }));
  const roots = database
    .prepare(
      "SELECT rootpage FROM sqlite_schema WHERE tbl_name = ? AND rootpage > 0 AND type IN (?, 'table')",
    )
    .pluck()
    .all(table, withIndexes ? "index" : "table") as number[];
  database.close();
  const file = openSync(path, "r+");
  for (const page of roots) writeSync(file, Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size);
  closeSync(file);
}

/** The alarm of a hall while a table is damaged is at the centre once, as those before, and no user restarts the daemon. */
async function recovers(table: string): Promise<void> {
  await press(1);
  await arrived(1);
  damageRecords(table);
  await press(2);
  await eventually("the report of the recovery", () => has("database-recovered"), LIMIT_MS);
  await arrived(1, 2);
  expect(await has("database-damaged")).toBe(false);
  expect((await status())?.trips).toMatchObject({ waiting: 0, refused: 0 });
}

test("an alarm while the event log is damaged is at the centre once, also after a second damage, and a third one is shown", async () => {
  await recovers("events");
  damageRecords("events");
  await press(3);
  // A minute after the first restart.
  await arrived(1, 2, 3);
  expect(await has("database-damaged")).toBe(false);
  const startedAt = (await status())?.startedAt;
  damageRecords("events");
  await press(4);
  await eventually("the condition", () => has("database-damaged"), LIMIT_MS);
  expect(await tripsOf(4)).toEqual(["waiting"]);
  expect((await status())?.startedAt).toBe(startedAt);
  await site.end("SIGTERM");
  await site.start();
  await arrived(1, 2, 3, 4);
  expect(await has("database-damaged")).toBe(false);
}, 480_000);

test("an alarm while the interventions are damaged is at the centre once, as is the one that the damage has removed", async () => {
  await recovers("interventions");
  // For a minute nothing recovers them: the state of the site has to be shown all the same.
  damageRecords("interventions", { withIndexes: false });
  const { status: code, value } = (await ask("GET", "/site/status")) ?? {};
  expect([code, value]).toMatchObject([200, { headline: { level: "alarm" } }]);
  const { headline, conditions } = value as StatusView;
  expect(headline.reasons[0]).toMatchObject({ code: "alarm-unfinished", count: 1, items: [] });
  expect(headline.reasons.map(({ code }) => code)).toContain("condition-error");
  expect(conditions).toContainEqual(expect.objectContaining({ code: "database-damaged", severity: "error" }));
}, 240_000);
