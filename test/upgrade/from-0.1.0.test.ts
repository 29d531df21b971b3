import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { ControlClient } from "../../src/cli/control-client.ts";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { EndedWalkTestView } from "../../src/site/zone-view.ts";
import { verifyTrail } from "../../src/store/audit-trail.ts";
import { openDatabase, readDatabase, stepsOf, type DatabaseKind } from "../../src/store/database.ts";
import { takeInstanceLock } from "../../src/store/instance-lock.ts";
import { MAIN_DATABASE, openMainDatabase } from "../../src/store/main-database.ts";
import { santinela, type Outcome } from "../support/command-line.ts";
import { Installation, interventionsOf } from "../support/installation.ts";

/**
 * The directory of a site after a power cut with release 0.1.0, with write-ahead logs. Its event log is one
 * table: accounts, sign-ins, one rejected by role, records created, changed and deleted, a bypass and a walk
 * test.
 */
const LEFT = fileURLToPath(new URL("0.1.0/site", import.meta.url));
/** The schema of `santinela.db` in 0.1.0: its first six migrations, without the audit trail. */
const OLD_KIND: DatabaseKind = {
  applicationId: MAIN_DATABASE.applicationId,
  minReaderVersion: 5,
  migrations: MAIN_DATABASE.migrations.slice(0, 6),
};

interface Entry {
  readonly seq: number;
  readonly at: string;
  readonly event: string;
  readonly who: string;
  readonly from: string;
  readonly subject: string;
  readonly detail: unknown;
  readonly hash: string;
}

let installation: Installation;
let site: DaemonProcess;
let path: string;
beforeEach(() => {
  installation = Installation.temporary();
  cpSync(LEFT, join(installation.folder, "site"), { recursive: true });
  site = installation.daemon(
    "site",
    readFileSync(join(LEFT, "santinela.yaml"), "utf8").replace(/port: \d+/, "port: 0"),
  );
  path = join(installation.folder, "site", "santinela.db");
});

const command = (...words: string[]): Promise<Outcome> =>
  santinela([...words, "--config", join(installation.folder, "site.yaml")], { cwd: installation.folder });

async function exported(): Promise<Entry[]> {
  const { code, stdout } = await command("events", "export");
  expect(code).toBe(0);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Entry);
}

test("a site of 0.1.0 after a power cut has its sign-ins, deletions and bypasses in the audit trail, and the chain is intact", async () => {
  const old = logOf(join(installation.folder, "site"));
  await site.start();
  expect((await interventionsOf(site)).map(({ id, status }) => `${id} ${status}`)).toEqual(["1 in_progress"]);

  const taken = await exported();
  expect(taken.map(({ event, who, subject }) => `${event} ${who}: ${subject}`)).toEqual([
    "account-added root: account ana@example.ro",
    "account-added root: account paza@example.ro",
    "account-added root: account vizitator@example.ro",
    "signed-in ana@example.ro: account ana@example.ro",
    "signed-in paza@example.ro: account paza@example.ro",
    "signed-in vizitator@example.ro: account vizitator@example.ro",
    "sign-in-failed ana@example.ro: account ana@example.ro",
    "sign-in-failed paza@example.ro: account paza@example.ro",
    "sign-in-failed strain@example.ro: account strain@example.ro",
    "forbidden vizitator@example.ro: GET /interventii",
    "intervention-deleted paza@example.ro: intervention 2",
    "intervention-deleted ana@example.ro: intervention 3",
    "account-role-changed ana@example.ro: account vizitator@example.ro",
    "account-disabled ana@example.ro: account vizitator@example.ro",
    "zone-bypassed paza@example.ro: zone front-door",
    "walk-test-started paza@example.ro: ",
    "walk-test-ended paza@example.ro: ",
    "zone-restored paza@example.ro: zone front-door",
  ]);
  // Each entry as written, with its number in the event log.
  expect(taken.map(({ hash: _hash, ...entry }) => entry)).toMatchObject(
    taken.map(({ seq }) => old.find((entry) => entry.seq === seq)),
  );

  const { code, stdout } = await command("events", "verify");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^18 entries, from .*: intact\n/);
});

test("no command changes the database, the keys or the accounts while a daemon of 0.1.0 still runs, as during an alarm", async () => {
  const folder = join(installation.folder, "site");
  const objectives = join(installation.folder, "objectives.json");
  writeFileSync(objectives, JSON.stringify({ "obiective/cladiri": [{ id: 77, name: "Depozit" }] }));
  const endDaemon = takeInstanceLock(join(folder, "lock.db"));
  const left = (): string[] => readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  const before = left();
  try {
    for (const words of [
      ["user", "list"],
      ["user", "role", "--email", "paza@example.ro", "--role", "viewer"],
      ["objectives", "import", objectives],
      ["keys", "rotate"],
      ["keys", "revoke-previous"],
      ["events", "verify"],
    ]) {
      const { code, stdout, stderr } = await command(...words);
      expect([words, code, stdout]).toEqual([words, 75, ""]);
      expect(stderr).toContain("the running daemon is of an earlier release");
    }
    expect(readDatabase(path, stepsOf)).toBe(OLD_KIND.migrations.length);
    expect(left().filter((name) => !before.includes(name) && !/-(?:wal|shm)$/.test(name))).toEqual([]);
  } finally {
    endDaemon();
  }
  expect(await command("user", "list")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("paza@example.ro  operator") as string,
  });
});

test("a walk test of 0.1.0 stays in the list, without a result, and the next one has its number and result", async () => {
  await site.start();
  const listed = (): Promise<EndedWalkTestView[]> => site.get("/site/walk-tests");
  const [old] = await listed();
  expect(old).toMatchObject({ number: 1, who: "paza@example.ro", endedBy: null, sha256: null });
  expect(await site.get("/site/walk-test")).toMatchObject({ running: false, number: 1, sha256: null });
  const client = new ControlClient(join(installation.folder, "site"));
  for (const body of [{ minutes: 2 }, { end: true }]) await client.post("/site/walk-test", body);
  expect(await listed()).toEqual([expect.objectContaining({ number: 2, tested: 0 }), old]);
  expect(await client.get("/site/walk-tests/2")).toMatchObject({ number: 2 });
});

test("0.1.0 can use the file again, and its new entries are chained at the next upgrade", async () => {
  openMainDatabase(path).close();
  const before = await exported();

  const again = openDatabase(path, OLD_KIND);
  const count = again.prepare("SELECT count(*) FROM interventions WHERE deleted_at IS NULL").pluck().get();
  const kept = again
    .prepare("SELECT count(*) FROM events WHERE event = 'intervention-deleted'")
    .pluck()
    .get();
  expect([count, kept]).toEqual([1, 2]);
  again.exec(
    `INSERT INTO events(at, event, who, origin, subject, detail) VALUES
       (1800000000000, 'intervention-deleted', 'ana@example.ro', '127.0.0.1', 'intervention 1', '{"before":{"id":1}}'),
       (1800000000001, 'intervention-created', 'ana@example.ro', '127.0.0.1', 'intervention 4', '{}')`,
  );
  again.close();

  const now = openMainDatabase(path);
  expect(verifyTrail(now)).toMatchObject({ entries: before.length + 1, broken: null });
  now.close();
  const after = await exported();
  expect(after.slice(0, -1)).toEqual(before);
  expect(after.at(-1)).toMatchObject({ event: "intervention-deleted", subject: "intervention 1" });
  expect((await command("events", "verify")).code).toBe(0);
});

test("a backup of this release has every table, index and trigger that a restore with 0.1.0 expects", () => {
  const partsOf = (kind: DatabaseKind): unknown[] => {
    const database = openDatabase(":memory:", kind);
    const parts = database
      .prepare("SELECT type || ' ' || name FROM main.sqlite_schema ORDER BY 1")
      .pluck()
      .all();
    database.close();
    return parts;
  };
  expect(partsOf(MAIN_DATABASE)).toEqual(expect.arrayContaining(partsOf(OLD_KIND)));
});

test("a change of an old entry after the upgrade is detected", async () => {
  openMainDatabase(path).close();
  const database = new Sqlite(path);
  database.exec(
    "DROP TRIGGER audit_is_final; UPDATE audit SET who = 'ana@example.ro' WHERE subject = 'intervention 2'",
  );
  database.close();
  const { code, stderr } = await command("events", "verify");
  expect([code, stderr]).toEqual([1, expect.stringMatching(/the audit trail is broken at entry 11:/)]);
});

/**
 * The event log of an old directory, as the current release exports it. Reads a copy, because reading changes
 * the write-ahead log.
 */
function logOf(folder: string): Omit<Entry, "hash">[] {
  const copy = new Installation();
  for (const name of ["santinela.db", "santinela.db-wal"])
    cpSync(join(folder, name), join(copy.folder, name));
  const database = new Sqlite(join(copy.folder, "santinela.db"));
  const rows = database.prepare("SELECT seq, at, event, who, origin, subject, detail FROM events").all() as {
    readonly at: number;
    readonly origin: string;
    readonly detail: string;
  }[];
  database.close();
  void copy.remove();
  return rows.map(({ at, origin, detail, ...rest }) => ({
    ...(rest as Pick<Entry, "seq" | "event" | "who" | "subject">),
    at: new Date(at).toISOString(),
    from: origin,
    detail: JSON.parse(detail) as unknown,
  }));
}
