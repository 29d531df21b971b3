import { getEventListeners } from "node:events";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import type { ListWorker } from "../../src/ops/list-worker.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { ThreadFailures } from "../../src/ops/thread-failures.ts";
import { PATROL, OPERATOR_USER, TestApp } from "../support/app.ts";
import { BUILD } from "../support/built-program.ts";
import { eventually } from "../support/eventually.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* A worker starts from a built file, so the class is the built one too. */
const { ListWorker: BuiltListThread } = (await import(join(BUILD, "ops/list-worker.js"))) as {
  readonly ListWorker: typeof ListWorker;
};

const ALL = { filters: [], sort: [], start: 0, end: 10 } as const;
const WANTED = new AbortController().signal;

let folder: string;
let site: TestApp;
let clock: ManualClock;
let thread: ListWorker;
let conditions: ConditionRegistry;
beforeEach(async () => {
  folder = temporaryFolder();
  site = await TestApp.forTest({}, join(folder, "santinela.db"));
  site.interventions.create(PATROL, OPERATOR_USER);
  clock = new ManualClock();
  const log = new JsonLog({ level: "error", clock, write: () => {} });
  conditions = new ConditionRegistry(clock, log);
  thread = listThread();
});
afterEach(() => thread.stop());

function listThread(failpoint?: string): ListWorker {
  const log = new JsonLog({ level: "error", clock, write: () => {} });
  const failures = new ThreadFailures("lists", { clock, log, conditions });
  return new BuiltListThread(join(folder, "santinela.db"), { clock, failures, failpoint });
}

test("a list that exceeds its time-out is rejected with a remedy, and the next one is read", async () => {
  const slow = thread.read(ALL, WANTED);
  clock.advance(30_000);
  await expect(slow).rejects.toMatchObject({
    code: "invalid",
    message: "the list took longer than 30 s to read",
    hint: expect.stringContaining("Filter by status") as string,
  });
  expect(await thread.read(ALL, WANTED)).toMatchObject({ total: 1 });
});

test("a list of objectives is read and refused as in the front, and its remedy is that of objectives", async () => {
  const list = (query: object) =>
    thread.readObjectives({ type: "obiective/cladiri", query: { ...ALL, ...query }, ids: undefined }, WANTED);
  expect((await list({ search: "HALL 2" })).records).toEqual([expect.stringContaining('"name":"Hall 2"')]);
  await expect(list({ sort: [{ field: "nonsense", descending: false }] })).rejects.toMatchObject({
    code: "invalid",
    message: '_sort must name a field of the record, not "nonsense"',
  });
  const slow = list({ search: "hall" });
  clock.advance(30_000);
  await expect(slow).rejects.toMatchObject({
    code: "invalid",
    hint: expect.stringContaining("by id") as string,
  });
  expect((await list({ search: "hall" })).total).toBe(3);
});

test("a list that does not end at its time-out ends its thread: others do not wait for it, and the next is read", async () => {
  site.database.exec(`ALTER TABLE intervention_counts RENAME TO counts;
    CREATE VIEW intervention_counts AS
      WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 20000000)
      SELECT 'planned' AS status, 'medium' AS priority, 'other' AS type, count(*) AS records FROM n`);
  const slow = thread.read(ALL, WANTED);
  const waiting = thread.read(ALL, WANTED);
  const answers = Promise.all([
    expect(slow).rejects.toMatchObject({ code: "invalid" }),
    expect(waiting).rejects.toMatchObject({ message: "other slow lists took too long", retryAfterS: 10 }),
  ]);
  clock.advance(30_000);
  await answers;
  clock.advance(5_000);
  await expect(thread.read(ALL, WANTED)).rejects.toMatchObject({
    message: "the list cannot be read: an earlier one has not ended",
  });
  expect(conditions.list()).toMatchObject([
    { code: "thread-failed", subject: "lists", text: expect.stringContaining("did not end") as string },
  ]);
  site.database.exec("DROP VIEW intervention_counts; ALTER TABLE counts RENAME TO intervention_counts");
  await eventually("the next list", async () => (await thread.read(ALL, WANTED)).total === 1);
});

test("a defect of the thread rejects its list and is one condition, until a minute without a further one", async () => {
  const wanted = new AbortController().signal;
  const failing = listThread("list-read:2=throw");
  const isOpen = (): boolean => conditions.isOpen("thread-failed", "lists");
  for (let failure = 1; failure <= 2; failure += 1) {
    expect((await failing.read(ALL, wanted)).total).toBe(1);
    await expect(failing.read(ALL, wanted)).rejects.toMatchObject({
      code: "unavailable",
      message: "the list cannot be read: its thread has ended",
    });
    expect(isOpen()).toBe(true);
    clock.advance(59_000);
    expect(isOpen()).toBe(true);
  }
  clock.advance(1_000);
  expect(isOpen()).toBe(false);
  await failing.stop();
  expect(isOpen()).toBe(false);
});

test("a list whose client has disconnected is skipped, and the next ones are read", async () => {
  const disconnected = new AbortController();
  const first = thread.read(ALL, WANTED);
  const second = thread.read(ALL, disconnected.signal);
  const third = thread.read(ALL, WANTED);
  disconnected.abort();
  await expect(second).rejects.toMatchObject({ code: "unavailable" });
  expect([(await first).total, (await third).total]).toEqual([1, 1]);
});

test("a list that has ended no longer waits for its client to disconnect", async () => {
  const { signal } = new AbortController();
  await thread.read(ALL, signal);
  site.database.exec("DROP TABLE intervention_counts");
  await expect(thread.read(ALL, signal)).rejects.toMatchObject({ code: "unavailable" });
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a record is in the lists of the worker as soon as it is recorded, also after a restore", async () => {
  expect((await thread.read(ALL, WANTED)).total).toBe(1);
  site.interventions.create(PATROL, OPERATOR_USER);
  expect((await thread.read(ALL, WANTED)).total).toBe(2);
  clock.advance(60_000);
  site.interventions.create(PATROL, OPERATOR_USER);
  expect((await thread.read(ALL, WANTED)).total).toBe(3);
});

test("a list that cannot be read is temporarily rejected, and a stopped daemon reports its shutdown", async () => {
  site.database.exec("DROP TABLE intervention_counts");
  await expect(thread.read(ALL, WANTED)).rejects.toMatchObject({
    code: "unavailable",
    message: "the list cannot be read: no such table: intervention_counts",
    // By its code a damaged database is known.
    cause: { code: "SQLITE_ERROR" },
  });
  const waiting = thread.read(ALL, WANTED);
  await Promise.all([thread.stop(), expect(waiting).rejects.toMatchObject({ code: "unavailable" })]);
  await expect(thread.read(ALL, WANTED)).rejects.toMatchObject({ code: "unavailable" });
});
