import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { askDaemon, type ControlAnswer } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { Installation } from "../support/installation.ts";

const YAML = `
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 1, name: Hall } ] }
zones:
  - { id: door, name: Door, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { gpio: 17, contact: nc }, debounceMs: 0, minOpenMs: 0 }
`;
const LIMIT_MS = 60_000;

let site: Installation;
let dataDir: string;
beforeEach(() => {
  site = Installation.temporary();
  dataDir = join(site.folder, "site");
});

/** The answer of the daemon; undefined while it restarts. */
const ask = (method: "GET" | "POST", path: string, body?: unknown): Promise<ControlAnswer | undefined> =>
  askDaemon(dataDir, method, path, body).catch(() => undefined);
const move = (contact: "open" | "normal"): Promise<unknown> =>
  eventually(
    `the line to be ${contact}`,
    async () => (await ask("POST", "/site/simulate", { zone: "door", contact }))?.status === 200,
    LIMIT_MS,
  );
const records = async (): Promise<number> =>
  Number((await ask("GET", "/interventii"))?.headers["x-total-count"] ?? Number.NaN);
const contact = async (): Promise<string | undefined> => {
  const zones = (await ask("GET", "/site/zones"))?.value;
  return Array.isArray(zones) ? (zones as { contact: string }[])[0]?.contact : undefined;
};
const has = async (code: string): Promise<boolean> => {
  const status = (await ask("GET", "/site/status"))?.value as { conditions?: { code: string }[] } | undefined;
  return status?.conditions?.some((one) => one.code === code) === true;
};

/** Overwrites the pages of the zone states, as a failing card does, and makes the daemon read the file again. */
function damageJournal(): void {
  const path = join(dataDir, "journal.db");
  const database = new Sqlite(path);
  database.exec("UPDATE zone_states SET zone_id = zone_id");
  database.pragma("wal_checkpoint(TRUNCATE)");
  const size = Number(database.pragma("page_size", { simple: true }));
  const roots = database
    .prepare("SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'zone_states' AND rootpage > 0")
    .pluck()
    .all() as number[];
  database.close();
  const file = openSync(path, "r+");
  for (const page of roots) writeSync(file, Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size);
  closeSync(file);
}

test("an opening of a GPIO contact while the journal is damaged is one record, without a person restarting the daemon", async () => {
  const inMemory = join(site.folder, "run");
  mkdirSync(inMemory);
  await site.daemon("site", YAML).start({ ...process.env, RUNTIME_DIRECTORY: inMemory });
  await move("normal");
  await eventually("the contact to be normal", async () => (await contact()) === "normal");
  damageJournal();
  await move("open");
  await eventually("the report of the recovery", () => has("database-recovered"), LIMIT_MS);
  await eventually("the record of the opening", async () => (await records()) === 1, LIMIT_MS);
  expect(await has("database-damaged")).toBe(false);
  expect(await has("trips-off-disk")).toBe(false);
  await eventually("the contact to be normal", async () => (await contact()) === "normal", LIMIT_MS);
  await move("open");
  await eventually("the contact to be open", async () => (await contact()) === "open", LIMIT_MS);
  await move("normal");
  await eventually("the contact to be normal", async () => (await contact()) === "normal", LIMIT_MS);
  expect(await records()).toBe(1);
}, 240_000);
