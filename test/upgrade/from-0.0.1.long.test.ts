import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { SyncView } from "../../src/site/sync-view.ts";
import { eventually } from "../support/eventually.ts";
import { Installation, interventionsOf } from "../support/installation.ts";

/**
 * The directories of a site and its dispatch centre after a power cut with release 0.0.1, with write-ahead
 * logs. Of the six records of the site two are at the dispatch centre, one is deleted there, one was never
 * sent, one is unconfirmed, one is new; one more trip is in the journal alone.
 */
const LEFT = fileURLToPath(new URL("0.0.1", import.meta.url));
const OLD_FILES = ["santinela", "journal"] as const;
const PASSWORD = "correct horse battery";

let installation: Installation;
let centre: DaemonProcess;
let site: DaemonProcess;
beforeEach(async () => {
  installation = Installation.temporary();
  const { folder } = installation;
  const configuration = (name: string): string =>
    readFileSync(join(LEFT, name, "santinela.yaml"), "utf8").replace(/port: \d+/, "port: 0");
  for (const name of ["site", "centre"]) cpSync(join(LEFT, name), join(folder, name), { recursive: true });
  installation.secret("upstream.password", PASSWORD);
  centre = installation.daemon("centre", configuration("centre"));
  const { httpPort } = await centre.start();
  site = installation.daemon(
    "site",
    configuration("site").replace("127.0.0.1:18090", `127.0.0.1:${httpPort}`),
  );
});

test("a site of 0.0.1 after a power cut continues with its file: every record and trip is once at the dispatch centre", async () => {
  await site.start();
  await eventually("everything at the centre", async () => {
    const { summary, records } = await site.get<SyncView>("/site/sync");
    return summary.waiting === 0 && records.length === 0 && (await interventionsOf(site)).length === 6;
  });
  const told = (await interventionsOf(site)).map(({ name, status, type }) => `${name} ${status} ${type}`);
  expect(told).toEqual([
    "Alarmă efracție: Ușa principală in_progress other",
    "Revizie anuală planned inspection",
    "Înlocuire baterie planned maintenance",
    "Alarmă incendiu: Fum depozit planned other",
    "Alarmă efracție: Ușa principală planned other",
    "Alarmă efracție: Ușa principală planned other",
  ]);
  const there = (await interventionsOf(centre)).map(({ name, status, type }) => `${name} ${status} ${type}`);
  expect(there.toSorted()).toEqual(told.toSorted());
  expect((await site.get<readonly { state: string }[]>("/site/trips")).map(({ state }) => state)).toEqual(
    Array.from({ length: 5 }, () => "posted"),
  );
});

test("accounts remain valid", async () => {
  const { httpPort } = await site.start();
  const response = await fetch(`http://127.0.0.1:${httpPort}/auth/token`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: "ana@example.ro", password: PASSWORD }),
  });
  expect(response.status).toBe(200);
});

test("a downgrade is possible: a file is backed up before its migration, with its write-ahead log", async () => {
  await site.start();
  const before = new Installation();
  for (const name of OLD_FILES) {
    const kept = join(installation.folder, "site", `${name}.db.v1`);
    expect(existsSync(kept)).toBe(true);
    cpSync(join(LEFT, "site", `${name}.db`), join(before.folder, `${name}.db`));
    cpSync(join(LEFT, "site", `${name}.db-wal`), join(before.folder, `${name}.db-wal`));
    expect(contentOf(kept)).toEqual(contentOf(join(before.folder, `${name}.db`)));
  }
  await before.remove();
});

/** Every row of every table, and the version of the schema. */
function contentOf(path: string): unknown {
  const database = new Sqlite(path);
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all() as string[];
  const content = Object.fromEntries(
    tables.map((table) => [table, database.prepare(`SELECT * FROM "${table}"`).all()]),
  );
  const version = database.pragma("user_version", { simple: true });
  database.close();
  return { version, content };
}
