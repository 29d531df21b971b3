import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Daemon } from "../../src/daemon.ts";
import type { SiteReport } from "../../src/domain/site-report.ts";
import type { DatabaseName } from "../../src/ops/database-files.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import { askDaemon } from "../support/control-socket.ts";
import { daemonInProcess, machineWith } from "../support/daemon-in-process.ts";
import { eventually } from "../support/eventually.ts";
import { json, NonconformingCentre } from "../support/nonconforming-centre.ts";

/* A memory card damages pages of a database while the daemon runs, which has restarted itself for such damage just before: until it
   may do so again, people and the dispatch centre have to see the state of the site. */

const LIMIT_MS = 60_000;

let folder: string;
let centre: NonconformingCentre;
let daemon: Daemon;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "santinela-state-"));
  centre = new NonconformingCentre();
  centre.signIn = () => json(200, { token: "t", expiresIn: 3600 }, { "Site-Reports": "1" });
  centre.answer = ({ path }) => ({ status: path === "/site-reports" ? 204 : 500 });
  const file = join(folder, "site.yaml");
  writeFileSync(join(folder, "upstream.password"), "correct horse battery", { mode: 0o600 });
  writeFileSync(
    file,
    `dataDir: ./site
site: { ref: site }
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
upstream: { baseUrl: "${await centre.start()}", email: edge@site.example, passwordFile: ./upstream.password, reportS: 1 }
objectives: { obiective/cladiri: [ { id: 1, name: Hall } ] }
zones:
  - { id: hall, name: Hall, kind: holdup, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }
`,
  );
  daemon = daemonInProcess(file, { ...machineWith(join(folder, "machine")), random: () => 0 });
  await daemon.start();
  expect((await ask("POST", "/site/simulate", { zone: "hall", contact: "open" })).status).toBe(200);
  const status = await eventually(
    "the alarm to be a record",
    async () => {
      const value = (await ask("GET", "/site/status")).value as StatusView;
      return value.lastAlarm !== null && value;
    },
    LIMIT_MS,
  );
  expect(status).toMatchObject({ headline: { level: "alarm" }, lastAlarm: { zone: { id: "hall" } } });
});
afterEach(async () => {
  await daemon.stop();
  await centre.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ask = (method: "GET" | "POST", path: string, body?: unknown) =>
  askDaemon(join(folder, "site"), method, path, body);
const reports = (): SiteReport[] =>
  centre.requests
    .filter(({ path }) => path === "/site-reports")
    .map(({ body }) => JSON.parse(body) as SiteReport);

/** Overwrites the first pages of tables and of their indexes, and makes the daemon read the file again. */
function damage(name: DatabaseName, tables: readonly string[]): void {
  const path = join(folder, "site", name);
  const database = new Sqlite(path);
  for (const table of tables) {
    const [column] = database.pragma(`table_info(${table})`) as { name: string }[];
    database.exec(`UPDATE ${table} SET ${column?.name} = ${column?.name}`);
  }
  database.pragma("wal_checkpoint(TRUNCATE)");
  const size = Number(database.pragma("page_size", { simple: true }));
  const roots = database
    .prepare(
      "SELECT rootpage FROM sqlite_schema WHERE rootpage > 0 AND tbl_name IN (SELECT value FROM json_each(?))",
    )
    .pluck()
    .all(JSON.stringify(tables)) as number[];
  database.close();
  const file = openSync(path, "r+");
  for (const page of roots) writeSync(file, Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size);
  closeSync(file);
}

test.each([
  ["trips", ["trips"]],
  ["zones", ["zone_states", "swingers", "faults", "tested_zones"]],
] as const)("the state of a site is shown while the %s of its journal are damaged", async (_what, tables) => {
  damage("journal.db", tables);
  const { status, value } = await ask("GET", "/site/status");
  expect([status, value]).toMatchObject([200, { headline: { level: "alarm" } }]);
  const { conditions, outbox } = value as StatusView;
  expect(conditions).toContainEqual(
    expect.objectContaining({
      code: "database-damaged",
      severity: "error",
      text: expect.stringContaining("journal.db"),
    }),
  );
  // What is in the other database.
  expect(outbox.waiting).toBe(1);
  expect((await ask("GET", "/site/zones")).value).toMatchObject([{ id: "hall", contact: "open" }]);
});

test.each([["outbox"], ["centre_facts"]])(
  "a site reports to its dispatch centre, with the fault, while its %s is damaged",
  async (table) => {
    await eventually("a report", () => reports().some(({ backlog }) => backlog?.records === 1), LIMIT_MS);
    damage("santinela.db", [table]);
    const earlier = reports().length;
    await eventually(
      "a report with the damage",
      () =>
        reports()
          .slice(earlier)
          .some(({ conditions }) => conditions?.includes("database-damaged") === true),
      LIMIT_MS,
    );
  },
);
