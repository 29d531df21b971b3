import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Daemon } from "../../src/daemon.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import { askDaemon } from "../support/control-socket.ts";
import { daemonInProcess, machineWith } from "../support/daemon-in-process.ts";
import { eventually } from "../support/eventually.ts";

/* A memory card damages one value of an alarm that waits in the journal, while the machine has no power. */

const LIMIT_MS = 30_000;
const root = mkdtempSync(join(tmpdir(), "santinela-waiting-"));
const whole = join(root, "whole");
const folder = join(root, "damaged");
let daemon: Daemon | undefined;

beforeAll(async () => {
  await start(whole);
  await ask(whole, "POST", "/site/simulate", { zone: "hall", contact: "open" });
  await eventually("the record", async () => (await records(whole)).length === 1, LIMIT_MS);
  await daemon?.stop();
  daemon = undefined;
  // The record was not stored yet when the power failed.
  change(
    whole,
    "journal.db",
    "UPDATE trips SET state = 'waiting', intervention_id = NULL, incident = NULL; DELETE FROM incidents",
  );
  change(
    whole,
    "santinela.db",
    "DELETE FROM outbox; DELETE FROM idempotency_keys; DELETE FROM interventions",
  );
}, 60_000);
afterEach(async () => {
  await daemon?.stop();
  daemon = undefined;
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function start(at: string): Promise<void> {
  const file = join(root, "site.yaml");
  writeFileSync(
    file,
    `dataDir: ${at}
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 1, name: Hall } ] }
zones:
  - { id: hall, name: Hall, kind: holdup, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }
`,
  );
  daemon = daemonInProcess(file, machineWith(join(root, "machine")));
  await daemon.start();
}

const ask = (at: string, method: "GET" | "POST", path: string, body?: unknown) =>
  askDaemon(at, method, path, body);
const records = async (at: string): Promise<Intervention[]> =>
  (await ask(at, "GET", "/interventii")).value as Intervention[];

function change(at: string, name: string, sql: string): void {
  const database = new Sqlite(join(at, name));
  database.pragma("foreign_keys = OFF");
  database.pragma("ignore_check_constraints = ON");
  const triggers = database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'trips'")
    .all() as { name: string; sql: string }[];
  for (const { name: trigger } of triggers) database.exec(`DROP TRIGGER ${trigger}`);
  database.exec(sql);
  for (const { sql: create } of triggers) database.exec(create);
  database.close();
}

test.each([
  ["key"],
  ["zone_id"],
  ["source"],
  ["about"],
  ["cause"],
  ["subject"],
  ["at_wall"],
  ["boot"],
  ["at_monotonic"],
  ["dated"],
  ["body"],
  ["line"],
  ["state"],
  ["signal"],
  ["attempts"],
])("an alarm that waits with a damaged %s is one record", async (column) => {
  rmSync(folder, { recursive: true, force: true });
  cpSync(whole, folder, { recursive: true });
  change(
    folder,
    "journal.db",
    `UPDATE trips SET ${column} = CASE typeof(${column}) WHEN 'text' THEN '~' || ${column} WHEN 'integer' THEN ${column} + 10000000000000000 ELSE 1e300 END`,
  );
  await start(folder);
  await eventually("the record", async () => (await records(folder)).length > 0, LIMIT_MS);
  expect(await records(folder)).toMatchObject([{ priority: "high", objectiveId: 1 }]);
});
