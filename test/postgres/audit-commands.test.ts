import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportLine } from "../../src/cli/exported-trail.ts";
import { MAIN_DATABASE } from "../../src/store/main-database.ts";
import { openDatabase } from "../../src/store/database.ts";
import { trailRows } from "../../src/store/audit-trail.ts";
import { EventLog } from "../../src/store/event-log.ts";
import { removeOldAudit } from "../../src/store/retention.ts";
import type { NewEvent } from "../../src/domain/event.ts";
import { santinela } from "../support/command-line.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* What an auditor types: `santinela events verify` and `santinela events export`. */

const AT_MS = Date.UTC(2026, 0, 15, 10);
/** Which database a centre reads; a site has one. */
const STDERR = /^(?:database: postgres:.*\n)?$/;
const DELETED: NewEvent = {
  event: "intervention-deleted",
  who: "ana@site.example",
  from: "10.0.0.2",
  subject: "intervention 7",
  detail: { before: { id: 7 } },
};
const ADDED: NewEvent = {
  ...DELETED,
  event: "account-added",
  subject: "account ion@site.example",
  detail: {},
};

const folder = temporaryFolder(afterAll);

function configure(more: string): void {
  writeFileSync(
    join(folder, "santinela.yaml"),
    `dataDir: ${folder}\nsite: { ref: centre, timezone: UTC }\n${more}`,
  );
}

const run = (command: "verify" | "export", ...options: string[]) =>
  santinela(["events", command, ...options, "--config", join(folder, "santinela.yaml")], { cwd: folder });

/** A person keeps a hash on another machine and compares it later. */
async function expectKeptHashes([first, second]: readonly { readonly hash: string }[]): Promise<void> {
  const newest = await run("verify", "--head", second?.hash ?? "");
  expect([newest.code, newest.stdout]).toEqual([0, expect.stringContaining("entry 2; 0 newer entries\n")]);
  const earlier = await run("verify", "--head", (first?.hash ?? "").toUpperCase());
  expect([earlier.code, earlier.stdout]).toEqual([0, expect.stringContaining("entry 1; 1 newer entries\n")]);
  const foreign = await run("verify", "--head", "f".repeat(64));
  expect(foreign.code).toBe(1);
  expect(foreign.stdout).toContain(": intact\n");
  expect(foreign.stderr).toMatch(
    /no entry has the hash f{64}: entries were removed from the end of the trail/,
  );
  const cut = await run("verify", "--head", "last hash: 12");
  expect([cut.code, cut.stderr]).toEqual([64, expect.stringContaining("--head takes the 64 hexadecimal")]);
}

/** @param change changes the second entry, as an intruder does */
async function expectCommands(change: () => Promise<unknown> | void): Promise<void> {
  const verified = await run("verify");
  expect([verified.code, verified.stderr]).toEqual([0, expect.stringMatching(STDERR)]);
  expect(verified.stdout).toMatch(
    /^2 entries, from 2026-01-15 10:00:00 .* to 2026-01-15 10:00:01 .*: intact\n/,
  );
  const head = /last hash: ([\da-f]{64})\n$/.exec(verified.stdout)?.[1];
  const exported = await run("export");
  expect([exported.code, exported.stderr]).toEqual([0, expect.stringMatching(STDERR)]);
  const entries = exported.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(entries).toEqual([
    {
      ...DELETED,
      position: 1,
      seq: expect.any(Number),
      at: "2026-01-15T10:00:00.000Z",
      hash: expect.any(String),
    },
    { ...ADDED, position: 2, seq: expect.any(Number), at: "2026-01-15T10:00:01.000Z", hash: head },
  ]);
  await expectKeptHashes(entries as { hash: string }[]);
  await change();
  const broken = await run("verify");
  expect(broken.code).not.toBe(0);
  expect(broken.stdout).toContain(": broken");
  expect(broken.stderr).toContain("broken at entry 2");
  expect((await run("export")).stdout).toContain("another@site.example");
}

test("the audit trail of a site is verified and exported", async () => {
  configure("");
  const database = openDatabase(join(folder, "santinela.db"), MAIN_DATABASE);
  const log = new EventLog(database);
  log.add(DELETED, AT_MS);
  log.add(ADDED, AT_MS + 1000);
  try {
    await expectCommands(() => {
      database.exec("DROP TRIGGER audit_is_final");
      database.exec("UPDATE audit SET who = 'another@site.example' WHERE position = 2");
    });
  } finally {
    database.close();
  }
});

describe("an export that an auditor has kept", () => {
  const own = temporaryFolder(afterAll);
  let lines: string[];
  beforeAll(() => {
    const database = openDatabase(join(own, "santinela.db"), MAIN_DATABASE);
    const log = new EventLog(database);
    const subject = "account ion\u2028@site.example";
    for (let day = 0; day < 5; day += 1) log.add({ ...ADDED, subject }, AT_MS + day * 86_400_000);
    lines = [...trailRows(database)].map(exportLine);
    database.close();
  });

  /** Without a configuration, as on another machine. */
  const verify = (kept: readonly string[], ...options: string[]) =>
    santinela(["events", "verify", "--file", "-", ...options], { cwd: own, input: kept.join("\n") });
  const hashOf = (line = "{}"): string => (JSON.parse(line) as { hash: string }).hash;

  test("is verified from a file and from standard input", async () => {
    writeFileSync(join(own, "audit.jsonl"), `${lines.join("\n")}\n`);
    const file = await santinela(["events", "verify", "--file", join(own, "audit.jsonl")], { cwd: own });
    expect(file).toMatchObject({ code: 0, stderr: "" });
    expect(file.stdout).toMatch(
      /^5 entries, from 2026-01-15 10:00:00 UTC to 2026-01-19 10:00:00 UTC: intact\nlast hash: [\da-f]{64}\n/,
    );
    expect(await verify(lines)).toEqual(file);
    expect((await verify(lines.map((line) => `${line}\r`))).code).toBe(0);
    expect(await verify(lines, "--head", hashOf(lines[2]))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("entry 3; 2 newer entries") as string,
    });
  });

  test.each<[string, (line: string) => string | string[], RegExp]>([
    ["changed", (line) => line.replace("ana@", "ion@"), /line 3: the audit trail is broken at entry 3/],
    ["missing", () => [], /line 3: the audit trail is broken at entry 4: the entry 3 before it is missing/],
    ["there twice", (line) => [line, line], /line 4: the audit trail is broken at entry 3/],
    ["extended", (line) => line.replace("{", '{"who":"ion@site.example",'), /line 3 is not an entry/],
    ["cut", (line) => line.slice(0, 50), /line 3 is not an entry/],
    ["empty", () => "", /line 3 is not an entry/],
  ])("is broken where a line is %s", async (_how, change, expected) => {
    const outcome = await verify(lines.flatMap((line, at) => (at === 2 ? change(line) : line)));
    expect(outcome.code).not.toBe(0);
    expect(outcome.stdout).toBe("");
    expect(outcome.stderr).toMatch(expected);
  });

  test("shows that its end is missing only if a hash was kept", async () => {
    const cut = await verify(lines.slice(0, 3));
    expect(cut).toMatchObject({ code: 0, stdout: expect.stringContaining("only shown by --head") as string });
    expect(await verify(lines.slice(0, 3), "--head", hashOf(lines[4]))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("lines were removed from the end") as string,
    });
  });

  test("may begin later, as after retention, and then the content of its first entry is not verified", async () => {
    const later = lines.slice(1);
    const outcome = await verify(later);
    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringMatching(/^4 entries/) as string });
    expect(outcome.stdout).toContain("Entry 2 itself is not verified");
    expect(await verify(later.map((line) => line.replace("2026-01-17", "2026-01-18")))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/line 2: .* broken at entry 3/) as string,
    });
    expect(await verify(later, "--head", hashOf(lines[1]))).toMatchObject({ code: 0 });
    expect((await verify(later, "--head", hashOf(lines[0]))).stderr).toContain("older than entry 2");
  });

  test("must have an entry and be readable", async () => {
    expect(await verify([])).toMatchObject({ code: 66, stderr: "the export contains no entry\n" });
    const none = await santinela(["events", "verify", "--file", join(own, "none")], { cwd: own });
    expect(none).toMatchObject({ code: 66, stderr: expect.stringContaining("cannot be read") as string });
  });
});

test("a kept hash is found until retention has removed the entry after it, and then the command says since when", async () => {
  const own = temporaryFolder();
  writeFileSync(join(own, "santinela.yaml"), `dataDir: ${own}\nsite: { ref: centre, timezone: UTC }\n`);
  const database = openDatabase(join(own, "santinela.db"), MAIN_DATABASE);
  const verify = (hash = "") =>
    santinela(["events", "verify", "--head", hash, "--config", join(own, "santinela.yaml")], { cwd: own });
  try {
    const log = new EventLog(database);
    for (let day = 0; day < 4; day += 1) log.add(DELETED, AT_MS + day * 86_400_000);
    const hashes = [...trailRows(database)].map(({ hash }) => hash);
    expect(removeOldAudit(database, AT_MS + 1.5 * 86_400_000)).toBe(2);
    expect(await verify(hashes[1])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("entry 2; 2 newer") as string,
    });
    expect(await verify(hashes[0])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("unless it was kept before 2026-01-16 10:00:00") as string,
    });
  } finally {
    database.close();
  }
});

describeOnPostgres("a dispatch centre on PostgreSQL", (server) => {
  let centre: PostgresCentre;
  let url: string;
  beforeAll(async () => {
    url = await server.newDatabase();
    centre = await PostgresCentre.open(url);
  });
  afterAll(() => centre.close());

  test("has its audit trail verified and exported", async () => {
    configure(`database: "${url}"\n`);
    await centre.events.add(DELETED, AT_MS);
    await centre.events.add(ADDED, AT_MS + 1000);
    await expectCommands(async () => {
      await centre.connections.query("ALTER TABLE audit DISABLE TRIGGER USER");
      await centre.connections.query("UPDATE audit SET who = 'another@site.example' WHERE position = 2");
    });
  });
});
