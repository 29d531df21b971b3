import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Daemon } from "../../src/daemon.ts";
import type { DatabaseName } from "../../src/ops/database-files.ts";
import { JOURNAL_DATABASE } from "../../src/store/journal-database.ts";
import { MAIN_DATABASE } from "../../src/store/main-database.ts";
import { tablesOf } from "../../src/store/tables.ts";
import { askDaemon } from "../support/control-socket.ts";
import { daemonInProcess, machineWith } from "../support/daemon-in-process.ts";
import { eventually } from "../support/eventually.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { unpack } from "../upgrade/archive.ts";

/* A memory card damages one column in every row of one table. The daemon starts, keeps running, and the next alarms are
   interventions at the dispatch centre. The installation is the one of the upgrade tests, which has rows in every table. */

const ARCHIVE = fileURLToPath(new URL("../upgrade/0.2.0-dev/stopped.tar.br", import.meta.url));
const LIMIT_MS = 30_000;
/** A zone with rows in most tables, and one without any. */
const ZONES = ["cash-desk", "new"] as const;
const NEW_ZONE =
  "  - { id: new, name: New, kind: holdup, objective: { type: obiective/cladiri, id: 3 }, input: { simulated: true } }\n";
const READ = [
  "/site/status",
  "/site/zones",
  "/site/trips?limit=1000",
  "/site/journal?limit=200",
  "/site/sync",
  "/site/plans",
  "/site/walk-test",
  "/site/walk-tests",
  "/site/accounts",
  "/interventii",
  "/obiective/cladiri",
];

const root = mkdtempSync(join(tmpdir(), "santinela-columns-"));
const whole = join(root, "whole");
const folder = join(root, "damaged");
const centre = new InMemoryCentre();
const lines: string[] = [];
const failures: unknown[] = [];
const keepFailure = (error: unknown): void => void failures.push(error);
let daemon: Daemon | undefined;
/** Numbers of the centre's records from before the damage. */
let rows = 0;

beforeAll(async () => {
  mkdirSync(whole);
  unpack(ARCHIVE, whole);
  const file = join(whole, "site.yaml");
  const yaml = readFileSync(file, "utf8")
    .replace(/baseUrl: \S+/, `baseUrl: ${await centre.start()}`)
    .replace(/^mqtt: \{ url.*$/m, "mqtt: { listen: { port: 0 } }")
    .replace(/^dc09: \{ port: \d+/m, "dc09: { port: 0");
  writeFileSync(file, yaml + NEW_ZONE);
  cpSync(whole, folder, { recursive: true });
  await start();
  await press("cash-desk");
  await isAtCentre(6);
  await ask("POST", "/site/simulate", { zone: "cash-desk", contact: "normal" });
  await stop();
  rmSync(whole, { recursive: true });
  cpSync(folder, whole, { recursive: true });
  rows = centre.rows.size;
}, 120_000);
afterAll(async () => {
  await centre.stop();
  rmSync(root, { recursive: true, force: true });
});
beforeEach(() => process.on("unhandledRejection", keepFailure));
afterEach(async () => {
  await stop();
  process.off("unhandledRejection", keepFailure);
});

async function start(): Promise<void> {
  lines.length = 0;
  failures.length = 0;
  daemon = daemonInProcess(join(folder, "site.yaml"), machineWith(join(folder, "machine")), (line) =>
    lines.push(line),
  );
  await daemon.start();
}

async function stop(): Promise<void> {
  const stopped = daemon;
  daemon = undefined;
  await stopped?.stop();
}

const ask = (method: "GET" | "POST", path: string, body?: unknown) =>
  askDaemon(join(folder, "site"), method, path, body);

/** Opens a zone, and waits until its trip has become an intervention or has joined one. */
async function press(zone: string): Promise<void> {
  expect((await ask("POST", "/site/simulate", { zone, contact: "open" })).status).toBe(200);
  await eventually(
    `the trip of ${zone} to be an intervention`,
    async () => {
      const trips = (await ask("GET", "/site/trips?limit=1000")).value as {
        zoneId: string;
        state: string;
        seq: number;
      }[];
      const [newest] = trips.filter((trip) => trip.zoneId === zone).toSorted((a, b) => b.seq - a.seq);
      return newest !== undefined && ["posted", "merged"].includes(newest.state);
    },
    LIMIT_MS,
  );
}

/** Waits until the centre has an intervention at this building. */
const isAtCentre = (building: number): Promise<boolean> =>
  eventually(
    `an intervention at building ${building}`,
    () => [...centre.rows.values()].some(({ objectiveId }) => objectiveId === building),
    LIMIT_MS,
  );

/** Damages a column in every row: what was a date, JSON or one of a few words is not, and a number is absurd. */
function damage(name: DatabaseName, table: string, column: string): void {
  const database = new Sqlite(join(folder, "site", name));
  database.pragma("foreign_keys = OFF");
  database.pragma("ignore_check_constraints = ON");
  const triggers = database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?")
    .all(table) as { name: string; sql: string }[];
  for (const trigger of triggers) database.exec(`DROP TRIGGER ${trigger.name}`);
  database.exec(
    `UPDATE ${table} SET ${column} = CASE typeof(${column}) WHEN 'text' THEN '~' || ${column}
       WHEN 'integer' THEN ${column} + 10000000000000000 WHEN 'real' THEN 1e300 WHEN 'blob' THEN x'ff' END`,
  );
  for (const trigger of triggers) database.exec(trigger.sql);
  database.close();
}

function columnsOf(kind: typeof MAIN_DATABASE): Map<string, readonly string[]> {
  const database = new Sqlite(":memory:");
  for (const step of kind.migrations) step(database);
  const tables = tablesOf(database);
  database.close();
  // SQLite finds a damaged number of a row, because it is the place of the row in its table.
  return new Map(
    tables.map(({ name, columns, rowIdColumn }) => [
      name,
      columns.filter((column) => column !== rowIdColumn),
    ]),
  );
}

describe.each([
  ["journal.db", JOURNAL_DATABASE],
  ["santinela.db", MAIN_DATABASE],
] as const)("a damaged column of %s", (name, kind) => {
  for (const [table, columns] of columnsOf(kind))
    test.each(columns.map((column) => `${table}.${column}`))("%s holds up no alarm", async (path) => {
      rmSync(folder, { recursive: true });
      cpSync(whole, folder, { recursive: true });
      centre.restoreTo(rows + 1);
      damage(name, table, path.slice(table.length + 1));
      const problems: string[] = [];
      try {
        await start();
        for (const zone of ZONES) await press(zone);
        await isAtCentre(3);
        for (const zone of ZONES) await ask("POST", "/site/simulate", { zone, contact: "normal" });
        centre.edit(rows, { crews: 4 });
        await ask("POST", "/site/sync/now");
        for (const page of READ) {
          const { status, value } = await ask("GET", page);
          if (status !== 200) problems.push(`${page}: ${status} ${JSON.stringify(value)}`);
        }
      } catch (error) {
        problems.push(String(error), ...lines.filter((line) => /"(error|warn)"/.test(line)).slice(-5));
      }
      problems.push(...failures.map((error) => (error as Error).stack ?? String(error)));
      expect(problems).toEqual([]);
    });
});
