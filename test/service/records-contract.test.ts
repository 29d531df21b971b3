import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AppError } from "../../src/domain/errors.ts";
import type { Intervention, InterventionCreate } from "../../src/domain/intervention.ts";
import { ListService } from "../../src/service/lists.ts";
import { etagOf, type Records } from "../../src/service/records.ts";
import { ThreadedRecords } from "../../src/service/sqlite-records.ts";
import { OPERATOR_USER, PATROL, TestApp } from "../support/app.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres, type PostgresServer } from "../support/postgres.ts";
import { RecordsThread } from "../support/records-thread.ts";

/* What every implementation of the records port must do. */

interface Adapter {
  readonly records: Records;
  readonly close: () => Promise<void>;
}

async function inThisThread(): Promise<Adapter> {
  const app = await TestApp.make();
  return { records: app.parts.records, close: () => app.close() };
}

async function behindTheRecordsThread(): Promise<Adapter> {
  const halls = [1, 2].map((id) => ({ id, name: `Hall ${id}` }));
  const thread = await RecordsThread.start({ objectives: { "obiective/cladiri": halls } });
  const { parts, reader: database } = thread;
  return {
    records: new ThreadedRecords(parts.records.records, { database, lists: new ListService({ database }) }),
    close: () => thread.stop(),
  };
}

async function inPostgres(server: PostgresServer): Promise<Adapter> {
  const centre = await PostgresCentre.open(await server.newDatabase());
  return {
    records: centre.records,
    close: () => centre.close(),
  };
}

describe("SQLite in the calling thread", () => contract(inThisThread));
describe("SQLite behind the records thread", () => contract(behindTheRecordsThread));
describeOnPostgres("PostgreSQL", (server) => contract(() => inPostgres(server)));

function contract(open: () => Promise<Adapter>): void {
  let adapter: Adapter;
  let records: Records;
  beforeAll(async () => {
    adapter = await open();
    ({ records } = adapter);
  });
  afterAll(() => adapter.close());

  const create = async (fields: Partial<InterventionCreate> = {}): Promise<Intervention> =>
    (await records.create({ ...PATROL, ...fields }, OPERATOR_USER)).record;
  const all = async (): Promise<Intervention[]> => {
    const query = { filters: [], sort: [], start: 0, end: 1000 };
    const { records: texts } = await records.page(query, new AbortController().signal);
    return texts.map((text) => JSON.parse(text) as Intervention);
  };
  /** The class of an error is known by its name: the built program has its own. */
  const refusal = async (made: Promise<unknown>): Promise<Pick<AppError, "name" | "code" | "message">> => {
    const error: unknown = await made.then(
      () => "no error",
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ name: "AppError" });
    return error as AppError;
  };

  test("a created record has the defaults, and is read as it was returned", async () => {
    const record = await create();
    expect(record).toMatchObject({ ...PATROL, status: "planned", priority: "medium", police: false });
    expect(await records.get(record.id)).toMatchObject({ record, rev: 1 });
    expect(await all()).toContainEqual(record);
  });

  test("a repeated key returns the first answer and creates nothing", async () => {
    const key = { key: "once", fingerprint: "f" };
    const first = await records.create({ ...PATROL, name: "Once" }, OPERATOR_USER, key);
    const again = await records.create({ ...PATROL, name: "Once" }, OPERATOR_USER, key);
    expect([first.replayed, again.replayed]).toEqual([false, true]);
    expect(again.record).toEqual(first.record);
    expect((await all()).filter(({ name }) => name === "Once")).toHaveLength(1);
    const other = records.create(PATROL, OPERATOR_USER, { key: "once", fingerprint: "other" });
    expect((await refusal(other)).code).toBe("key-reused");
  });

  test("the same key at the same moment is one record", async () => {
    const key = { key: "both", fingerprint: "f" };
    const made = await Promise.all(
      [1, 2, 3].map(() => records.create({ ...PATROL, name: "Both" }, OPERATOR_USER, key)),
    );
    expect(new Set(made.map(({ record }) => record.id)).size).toBe(1);
    expect((await all()).filter(({ name }) => name === "Both")).toHaveLength(1);
  });

  test("records of one moment all exist, each with its own number", async () => {
    const names = Array.from({ length: 100 }, (_, index) => `Of many ${index}`);
    const made = await Promise.all(names.map((name) => create({ name })));
    expect(new Set(made.map(({ id }) => id)).size).toBe(100);
    const stored = new Map((await all()).map((record) => [record.id, record.name]));
    expect(made.map(({ id }) => stored.get(id))).toEqual(names);
  });

  test("an error of one write does not touch the writes beside it", async () => {
    const made = await Promise.allSettled([
      create({ name: "Good" }),
      create({ name: "Bad", objectiveId: 99 }),
      create({ name: "Also good" }),
    ]);
    expect(made.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    const names = (await all()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["Good", "Also good"]));
    expect(names).not.toContain("Bad");
  });

  test("a change has the fields of its body, and the next revision", async () => {
    const { id } = await create();
    const changed = await records.change(id, { body: { crews: 3 } }, OPERATOR_USER);
    expect(changed).toMatchObject({ record: { ...PATROL, crews: 3 }, rev: 2 });
    expect(await records.get(id)).toMatchObject({ record: changed.record, rev: 2 });
    const same = await records.change(id, { body: { crews: 3 }, ifMatch: etagOf(2) }, OPERATOR_USER);
    expect(same.rev).toBe(2);
  });

  test("a missing record comes before an old revision, and that before an invalid body", async () => {
    const { id } = await create();
    const invalid = { body: { crews: "three" }, ifMatch: '"9"' };
    expect((await refusal(records.change(999_999, invalid, OPERATOR_USER))).code).toBe("not-found");
    expect((await refusal(records.change(id, invalid, OPERATOR_USER))).code).toBe("precondition-failed");
    const error = await refusal(records.change(id, { ...invalid, ifMatch: "*" }, OPERATOR_USER));
    expect(error).toMatchObject({ code: "invalid", message: "crews must be a whole number" });
    expect((await records.get(id)).rev).toBe(1);
  });

  test("of two changes of one revision, one is made", async () => {
    const { id } = await create();
    const made = await Promise.allSettled(
      [2, 3].map((crews) => records.change(id, { body: { crews }, ifMatch: etagOf(1) }, OPERATOR_USER)),
    );
    expect(made.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect((await records.get(id)).rev).toBe(2);
  });

  test("a removed record is returned once, and is in no list", async () => {
    const record = await create({ name: "Removed" });
    for (const match of [{ ifMatch: '"7"' }, { ifNoneMatch: etagOf(1) }])
      expect((await refusal(records.remove(record.id, match, OPERATOR_USER))).code).toBe(
        "precondition-failed",
      );
    expect(await records.remove(record.id, { ifMatch: etagOf(1) }, OPERATOR_USER)).toEqual(record);
    expect((await refusal(records.remove(record.id, undefined, OPERATOR_USER))).code).toBe("not-found");
    expect((await refusal(records.get(record.id))).code).toBe("not-found");
    expect((await all()).map(({ name }) => name)).not.toContain("Removed");
  });

  test("a page has its slice in order and the total", async () => {
    for (const name of ["Page A", "Page B", "Page C"]) await create({ name, crews: 7 });
    const page = await records.page(
      {
        filters: [{ field: "crews", operator: "equal", values: [7] }],
        sort: [{ field: "name", descending: true }],
        start: 0,
        end: 2,
      },
      new AbortController().signal,
    );
    expect(page.total).toBe(3);
    expect(page.records.map((text) => (JSON.parse(text) as Intervention).name)).toEqual(["Page C", "Page B"]);
  });
}
