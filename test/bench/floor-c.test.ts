import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { Children } from "../../scripts/bench/children.ts";
import { compilerMissing } from "../../scripts/bench/compiler.ts";
import { buildFloor, definesOf, prepare } from "../../scripts/bench/contenders/floor-c.ts";
import { launch, type Running } from "../../scripts/bench/contenders/contender.ts";
import { ROOT } from "../../scripts/bench/paths.ts";
import type { InterventionCreate } from "../../src/domain/intervention.ts";
import { InterventionService } from "../../src/service/interventions.ts";
import type { Database } from "../../src/store/database.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { alteredRows } from "../../src/store/row-checksums.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { describeUnless } from "../support/required-programs.ts";

const OBJECTIVE = { objectiveType: "obiective/cladiri", objectiveId: 1 } as const;
const BODIES: readonly InterventionCreate[] = [
  { name: "Efracție: Ușa principală", ...OBJECTIVE },
  {
    name: 'ȘTIRI "de la" \\ Țară\n\t',
    description: "",
    dateStart: "2026-11-20T23:30:00",
    dateEnd: "2027-07-21T00:00:00",
    status: "in_progress",
    priority: "high",
    type: "repair",
    crews: 12,
    police: true,
    firetruck: true,
    notes: "Înapoi\r\nla bază",
    ...OBJECTIVE,
  },
  { name: "Gate", priority: "low", description: null, ...OBJECTIVE },
];

/** Values that differ at each writing. */
const OWN = ["uid", "at", "created_at", "updated_at", "checksum"];

describeUnless(compilerMissing(), "the peer in C", () => {
  let program: string;
  // Without optimisation SQLite compiles in seconds; it is compiled once.
  beforeAll(async () => {
    program = await buildFloor(join(ROOT, ".cache", "floor-c"), "-O0");
  }, 180_000);

  async function started(): Promise<Running & { file: string; end: () => Promise<void> }> {
    const children = new Children();
    const folder = mkdtempSync(join(tmpdir(), "floor-c-"));
    onTestFinished(async () => {
      await children.endAll();
      rmSync(folder, { recursive: true });
    });
    const running = await launch(
      { name: "floor-c", missing: () => undefined, prepare: (setting) => prepare(program, setting) },
      { children, folder, environment: {} },
    );
    return { ...running, file: running.site.records?.file ?? "", end: () => children.endAll() };
  }

  const ask = (running: Running, path: string, body?: string, token = running.token): Promise<Response> =>
    fetch(`http://127.0.0.1:${running.site.port}${path}`, {
      headers: { Authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { method: "POST", body }),
    });

  test("writes the rows that the product writes, with valid checksums", async () => {
    const running = await started();
    for (const body of BODIES) {
      const answer = await ask(running, "/interventii", JSON.stringify(body));
      expect(answer.status).toBe(201);
      const created: unknown = await answer.json();
      const { id } = created as { id: number };
      expect(await (await ask(running, `/interventii/${id}`)).json()).toEqual(created);
    }
    await running.end();

    const written = openMainDatabase(running.file);
    onTestFinished(() => void written.close());
    const expected = openMainDatabase(":memory:");
    expected.exec("INSERT INTO objectives VALUES('obiective/cladiri', 1, '{}', 'config')");
    const service = new InterventionService({
      database: expected,
      clock: new ManualClock(),
      timezone: "Europe/Bucharest",
      dispeceratId: 1,
      newUid: randomUUID,
      onChange: () => {},
    });
    for (const body of BODIES)
      service.create(body, { accountId: 1, email: "bench", role: "operator", from: "" });
    for (const table of ["interventions", "outbox", "intervention_counts", "events"])
      expect(rowsOf(written, table), table).toEqual(rowsOf(expected, table));
    expect(alteredRows(written)).toEqual([]);
  });

  test("refuses what the product refuses, and goes on", async () => {
    const running = await started();
    const record = { name: "Gate", ...OBJECTIVE };
    const statuses = async (bodies: readonly unknown[]): Promise<number[]> =>
      Promise.all(
        bodies.map(async (body) => (await ask(running, "/interventii", JSON.stringify(body))).status),
      );
    expect(
      await statuses([
        [],
        { ...OBJECTIVE },
        { ...record, crews: "1" },
        { ...record, crews: 0 },
        { ...record, status: "lost" },
        { ...record, dateStart: "2026-02-30" },
        { ...record, objectiveId: 2 },
        record,
      ]),
    ).toEqual([400, 400, 400, 400, 400, 400, 404, 201]);
    expect((await ask(running, "/interventii", "{", running.token)).status).toBe(400);
    expect((await ask(running, "/interventii/1", undefined, "another token")).status).toBe(401);
    expect((await ask(running, "/interventii/1")).status).toBe(200);
    expect((await ask(running, "/interventii/2")).status).toBe(404);
  });
});

test("it has the SQLite options of the product's driver", () => {
  const gypi =
    "# made\n{\n 'defines': [\n 'HAVE_USLEEP=1',\n 'SQLITE_DEFAULT_CACHE_SIZE=-16000',\n 'SQLITE_SOUNDEX',\n ],\n}";
  expect(definesOf(gypi)).toEqual([
    "-DHAVE_USLEEP=1",
    "-DSQLITE_DEFAULT_CACHE_SIZE=-16000",
    "-DSQLITE_SOUNDEX",
  ]);
});

function rowsOf(database: Database, table: string): unknown[] {
  const rows = database.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[];
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !OWN.includes(name))));
}
