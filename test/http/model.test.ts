import fc from "fast-check";
import request from "supertest";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DEFAULTS, TestApp } from "../support/app.ts";
import { testSeed } from "../support/seeded-random.ts";

/*
 * The API against a model: a plain map of records. Failing runs print their seed; earlier failures are kept as
 * seeds.
 */
const REGRESSION_SEEDS: readonly number[] = [1, 20_261_120];
const RUNS = 12;

let site: TestApp;
let token: string;
beforeAll(async () => {
  site = await TestApp.make();
  token = await site.token();
});
afterAll(() => site.close());

type Fields = Record<string, unknown>;
type Step =
  | { readonly do: "create"; readonly fields: Fields }
  | { readonly do: "update"; readonly pick: number; readonly fields: Fields }
  | { readonly do: "delete" | "read"; readonly pick: number }
  | { readonly do: "list"; readonly query: Query };
interface Query {
  readonly status?: string | undefined;
  readonly priority?: string | undefined;
  readonly sort: "id" | "name" | "crews" | "priority";
  readonly order: "ASC" | "DESC";
  readonly start: number;
  readonly size: number;
}

const statuses = fc.constantFrom("planned", "in_progress", "done");
const priorities = fc.constantFrom("low", "medium", "high");
const text = fc.constantFrom(null, "", "a", "ș 🚨", "line\nline", "<b>", "'; DROP TABLE interventions; --");
const optional = fc.record(
  {
    description: text,
    notes: text,
    status: statuses,
    priority: priorities,
    type: fc.constantFrom("maintenance", "inspection", "repair", "other"),
    crews: fc.integer({ min: 1, max: 9 }),
    police: fc.boolean(),
    ambulance: fc.boolean(),
    firetruck: fc.boolean(),
    dateStart: fc.constantFrom(null, "2025-01-01T00:00:00", "2025-06-01T12:00+03:00"),
  },
  { requiredKeys: [] },
);
const name = fc.constantFrom("a", "b", "c", "ț", "Z");
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant("create" as const),
    fields: fc
      .tuple(optional, name)
      .map(([fields, own]) => ({ ...fields, name: own, objectiveType: "obiective/bunuri", objectiveId: 2 })),
  }),
  fc.record({ do: fc.constant("update" as const), pick: fc.nat(), fields: optional }),
  fc.record({ do: fc.constantFrom("delete" as const, "read" as const), pick: fc.nat() }),
  fc.record({
    do: fc.constant("list" as const),
    query: fc.record({
      status: fc.option(statuses, { nil: undefined }),
      priority: fc.option(priorities, { nil: undefined }),
      sort: fc.constantFrom("id", "name", "crews", "priority"),
      order: fc.constantFrom("ASC", "DESC"),
      start: fc.nat(5),
      size: fc.integer({ min: 0, max: 8 }),
    }),
  }),
);

test.each([...REGRESSION_SEEDS, testSeed()])(
  "the API behaves like a plain map of records (seed %i)",
  async (seed) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        await site.clear();
        const model = new Map<number, Fields>();
        const deletedIds: number[] = [];
        for (const next of steps) await take(next, model, deletedIds);
      }),
      { numRuns: RUNS, seed },
    );
  },
);

async function take(next: Step, model: Map<number, Fields>, deletedIds: number[]): Promise<void> {
  if (next.do === "create") {
    const { status, body } = await call("post", "/interventii").send(next.fields);
    expect([status, body]).toEqual([201, { ...DEFAULTS, ...next.fields, id: body.id }]);
    expect(model.has(body.id) || deletedIds.includes(body.id)).toBe(false);
    model.set(body.id, body);
    return;
  }
  if (next.do === "list") return list(next.query, model);
  const ids = [...model.keys(), ...deletedIds];
  const id = ids[next.pick % Math.max(1, ids.length)] ?? 1;
  const before = model.get(id);
  if (next.do === "update") {
    const { status, body } = await call("put", `/interventii/${id}`).send(next.fields);
    expect(status).toBe(before ? 200 : 404);
    if (before) {
      expect(body).toEqual({ ...before, ...next.fields });
      model.set(id, body);
    }
  } else if (next.do === "delete") {
    expect((await call("delete", `/interventii/${id}`)).status).toBe(before ? 204 : 404);
    if (model.delete(id)) deletedIds.push(id);
  } else {
    const { status, body } = await call("get", `/interventii/${id}`);
    expect(status).toBe(before ? 200 : 404);
    if (before) expect(body).toEqual(before);
  }
}

async function list(
  { status, priority, sort, order, start, size }: Query,
  model: Map<number, Fields>,
): Promise<void> {
  const fitting = [...model.values()].filter(
    (record) =>
      (status === undefined || record["status"] === status) &&
      (priority === undefined || record["priority"] === priority),
  );
  const direction = order === "ASC" ? 1 : -1;
  const sorted = fitting.sort((a, b) => direction * compare(a[sort], b[sort]) || compare(a["id"], b["id"]));
  const query = new URLSearchParams({
    _sort: sort,
    _order: order,
    _start: String(start),
    _end: String(start + size),
  });
  if (status !== undefined) query.set("status", status);
  if (priority !== undefined) query.set("priority", priority);
  const { body, headers } = await call("get", `/interventii?${query.toString()}`).expect(200);
  expect(body).toEqual(sorted.slice(start, start + size));
  expect(headers["x-total-count"]).toBe(String(fitting.length));
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}

function call(method: "get" | "post" | "put" | "delete", path: string): request.Test {
  return request(site.app)[method](path).set("Authorization", `Bearer ${token}`);
}

const anyFields = fc.dictionary(
  fc.oneof(
    fc.constantFrom(
      "name",
      "objectiveType",
      "objectiveId",
      "description",
      "dateStart",
      "dateEnd",
      "status",
      "priority",
      "type",
      "crews",
      "police",
      "notes",
      "id",
      "__proto__",
      "constructor",
    ),
    fc.string(),
  ),
  fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom("obiective/cladiri", 1, "2025-02-30T00:00:00", "planned"),
  ),
  { maxKeys: 8 },
);

test("any body results in a record or the error body", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(anyFields, fc.jsonValue({ maxDepth: 3 })), async (body) => {
      const answer = await call("post", "/interventii")
        .set("Content-Type", "application/json")
        .send(JSON.stringify(body));
      if (answer.status === 201) return;
      expect([400, 404, 413]).toContain(answer.status);
      expect(answer.body).toEqual({
        error: expect.any(String),
        message: expect.any(String),
        statusCode: answer.status,
      });
    }),
    { numRuns: 150 },
  );
});

test("any path results in a JSON response", async () => {
  const part = fc.oneof(
    fc.constantFrom(
      "interventii",
      "obiective",
      "cladiri",
      "auth",
      "token",
      "site",
      "..",
      "%2e%2e",
      "%00",
      "//",
    ),
    fc.webSegment(),
  );
  const query = fc.oneof(
    fc.webQueryParameters(),
    fc.constantFrom(
      "_sort=%00",
      "_start=NaN",
      "id[]=1",
      "id[__proto__]=1",
      "q=%F0%9F",
      "_end=1e3",
      "name_like[$ne]=1",
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 4 }), query, async (parts, parameters) => {
      const answer = await call("get", `/${parts.join("/")}?${parameters}`);
      expect(answer.status).toBeLessThan(500);
      expect(answer.headers["content-type"]).toMatch(/^application\/json/);
    }),
    { numRuns: 200 },
  );
});
