import request from "supertest";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DEFAULTS, PATROL, TestApp, testOfSite } from "../support/app.ts";

let site: TestApp;
let token: string;
beforeAll(async () => {
  site = await TestApp.make();
  token = await site.token();
});
afterAll(() => site.close());
beforeEach(() => site.clear());

const call = (method: "get" | "post" | "put" | "patch" | "delete" | "head" | "options", path: string) =>
  request(site.app)[method](path).set("Authorization", `Bearer ${token}`);
const create = async (fields: object = {}) =>
  (
    await call("post", "/interventii")
      .send({ ...PATROL, ...fields })
      .expect(201)
  ).body;

describe("creating an intervention", () => {
  test("returns every field, with the defaults of the contract", async () => {
    const { body, headers } = await call("post", "/interventii").send(PATROL).expect(201);
    expect(body).toEqual({
      id: expect.any(Number),
      ...PATROL,
      ...DEFAULTS,
    });
    expect(headers["location"]).toBe(`/interventii/${body.id}`);
  });

  test("keeps every field as it was sent", async () => {
    const full = {
      name: "Alarmă ușă 🚨 <b>",
      objectiveType: "obiective/bunuri",
      objectiveId: 2,
      description: "linia 1\nlinia 2\tș",
      dateStart: "2025-09-10T08:00:00",
      dateEnd: "2025-09-10T10:00:00+03:00",
      status: "in_progress",
      priority: "high",
      type: "repair",
      crews: 3,
      police: true,
      ambulance: true,
      firetruck: true,
      notes: "note",
    };
    const made = await create(full);
    expect(made).toMatchObject(full);
    expect((await call("get", `/interventii/${made.id}`).expect(200)).body).toEqual(made);
  });

  test.each([
    ["no name", { name: undefined }, /name is required/],
    ["no objectiveType", { objectiveType: undefined }, /objectiveType is required/],
    ["no objectiveId", { objectiveId: undefined }, /objectiveId is required/],
    ["a name that is a number", { name: 5 }, /name must be a string/],
    ["an empty name", { name: "" }, /name must not be/],
    ["a blank name", { name: "  \t" }, /name must not be blank/],
    ["a name of 201 characters", { name: "a".repeat(201) }, /at most 200 characters/],
    ["a name with a zero byte", { name: "a\u0000b" }, /control characters/],
    ["half of a surrogate pair", { name: "a\ud800" }, /invalid characters/],
    ["a description of 4001 characters", { description: "a".repeat(4001) }, /at most 4000 characters/],
    [
      "an unknown objective type",
      { objectiveType: "obiective/altele" },
      /objectiveType must be one of obiective\/cladiri/,
    ],
    ["a negative objective", { objectiveId: -1 }, /at least 1/],
    ["a fractional objective", { objectiveId: 1.5 }, /a whole number/],
    ["an objective as text", { objectiveId: "1" }, /a whole number/],
    ["an unknown status", { status: "open" }, /status must be one of planned, in_progress, done/],
    ["a status in capitals", { status: "PLANNED" }, /status must be one of/],
    ["a status of null", { status: null }, /status/],
    ["an unknown priority", { priority: "urgent" }, /priority must be one of/],
    ["an unknown type", { type: "fire" }, /type must be one of/],
    ["no crew", { crews: 0 }, /crews must be at least 1/],
    ["one and a half crews", { crews: 1.5 }, /crews must be a whole number/],
    ["crews as text", { crews: "2" }, /crews must be a whole number/],
    ["police as text", { police: "true" }, /police must be true or false/],
    ["a day that does not exist", { dateStart: "2025-02-30T08:00:00" }, /dateStart must be a real date/],
    ["a date without a time", { dateStart: "2025-02-20" }, /dateStart must be a real date/],
    ["a blank instead of the T", { dateEnd: "2025-02-20 08:00:00" }, /dateEnd must be a real date/],
    ["a date as a number", { dateStart: 1_757_484_000 }, /dateStart must be/],
    [
      "an end before the start",
      { dateStart: "2025-02-20T08:00:00", dateEnd: "2025-02-20T07:59:59" },
      /is before dateStart/,
    ],
    [
      "an end that is earlier by its offset",
      { dateStart: "2025-07-01T08:00:00+02:00", dateEnd: "2025-07-01T08:30:00" },
      /is before dateStart/,
    ],
    ["a misspelt field", { prioritty: "high" }, /prioritty is not a field/],
  ])("with %s is rejected with 400 and a reason", async (_what, fields, message) => {
    const { body } = await call("post", "/interventii")
      .send({ ...PATROL, ...fields })
      .expect(400);
    expect(body).toEqual({ error: "Bad Request", message: expect.stringMatching(message), statusCode: 400 });
    expect((await call("get", "/interventii")).body).toEqual([]);
  });

  test.each([
    ["of an objective that does not exist", { objectiveId: 99 }],
    ["of an objective of another type only", { objectiveType: "obiective/persoane", objectiveId: 4 }],
  ])("%s is rejected with 404", async (_what, fields) => {
    const { body } = await call("post", "/interventii")
      .send({ ...PATROL, ...fields })
      .expect(404);
    expect(body).toMatchObject({
      error: "Not Found",
      statusCode: 404,
      message: expect.stringMatching(/does not exist/),
    });
  });

  test("rejects a prototype key", async () => {
    const text = JSON.stringify(PATROL).replace("}", ',"__proto__":{"crews":99}}');
    const { body } = await call("post", "/interventii")
      .set("Content-Type", "application/json")
      .send(text)
      .expect(400);
    expect(body.message).toMatch(/__proto__ is not a field/);
  });

  testOfSite("writes the record and its outbox entry in one transaction, and notifies the sync", async () => {
    site.changes.splice(0);
    const { id } = await create({ priority: "high" });
    expect(
      site.database
        .prepare("SELECT phase, rank, want_rev, synced_rev FROM outbox WHERE intervention_id = ?")
        .get(id),
    ).toEqual({
      phase: "new",
      rank: 0,
      want_rev: 1,
      synced_rev: 0,
    });
    expect(site.changes).toEqual(["high"]);
  });
});

describe("reading an intervention", () => {
  test("that does not exist is answered 404", async () => {
    const { body } = await call("get", "/interventii/4711").expect(404);
    expect(body).toEqual({
      error: "Not Found",
      message: "intervention 4711 does not exist",
      statusCode: 404,
    });
  });
});

describe("changing an intervention", () => {
  test("from planned to in_progress changes the other fields of the same request too", async () => {
    const { id } = await create();
    const { body } = await call("put", `/interventii/${id}`)
      .send({ status: "in_progress", crews: 4, notes: "started" })
      .expect(200);
    expect(body).toMatchObject({ status: "in_progress", crews: 4, notes: "started" });
  });

  test("with an empty body, or with the same values, changes nothing", async () => {
    const made = await create();
    const again = await call("put", `/interventii/${made.id}`).send({}).expect(200);
    expect(again.body).toEqual(made);
    const same = await call("put", `/interventii/${made.id}`).send(made).expect(200);
    expect(same.body).toEqual(made);
    expect(same.headers["etag"]).toBe('"1"');
  });

  test("with one invalid field changes nothing", async () => {
    const made = await create();
    await call("put", `/interventii/${made.id}`).send({ crews: 5, priority: "urgent" }).expect(400);
    await call("put", `/interventii/${made.id}`).send({ crews: 5, dateEnd: "never" }).expect(400);
    await call("put", `/interventii/${made.id}`).send({ crews: 5, objectiveId: 99 }).expect(404);
    expect((await call("get", `/interventii/${made.id}`)).body).toEqual(made);
  });

  test("that does not exist is answered 404", async () => {
    await call("put", "/interventii/4711").send({ crews: 2 }).expect(404);
  });

  test("from done to planned works, with PATCH as with PUT", async () => {
    const { id } = await create({ status: "done" });
    const { body } = await call("patch", `/interventii/${id}`).send({ status: "planned" }).expect(200);
    expect(body.status).toBe("planned");
  });

  testOfSite("leaves one outbox entry for the newest revision", async () => {
    const { id } = await create();
    await call("put", `/interventii/${id}`).send({ crews: 2 });
    await call("put", `/interventii/${id}`).send({ crews: 3, priority: "high" });
    expect(site.database.prepare("SELECT phase, rank, want_rev FROM outbox").all()).toEqual([
      { phase: "new", rank: 0, want_rev: 3 },
    ]);
  });
});

describe("deleting an intervention", () => {
  test("returns the record to a client that prefers it", async () => {
    const made = await create();
    const { body, headers } = await call("delete", `/interventii/${made.id}`)
      .set("Prefer", "return=representation")
      .expect(200);
    expect(body).toEqual(made);
    expect(headers["preference-applied"]).toBe("return=representation");
  });

  testOfSite("before the first attempt closes its outbox entry", async () => {
    const { id } = await create();
    await call("delete", `/interventii/${id}`).expect(204);
    expect(site.database.prepare("SELECT phase, deleted FROM outbox").get()).toEqual({
      phase: "closed",
      deleted: 1,
    });
  });
});

describe("listing interventions", () => {
  beforeEach(async () => {
    await create({ name: "a", priority: "low", status: "done", dateStart: "2025-05-01T10:00:00+05:00" });
    await create({
      name: "b",
      priority: "high",
      status: "planned",
      dateStart: "2025-05-01T09:00:00+02:00",
      crews: 2,
    });
    await create({ name: "c", priority: "high", status: "done", type: "repair", police: true });
    await create({ name: "d", priority: "medium", dateStart: "2025-05-01T06:30:00Z", objectiveId: 2 });
  });
  const names = async (query: string) =>
    (await call("get", `/interventii?${query}`).expect(200)).body
      .map(({ name }: { name: string }) => name)
      .join("");

  test.each([
    ["", "abcd"],
    ["status=done", "ac"],
    ["priority=high", "bc"],
    ["type=repair", "c"],
    ["status=done&priority=high", "c"],
    ["status=done&status=planned", "abcd"],
    ["objectiveId=2", "d"],
    ["police=true", "c"],
    ["crews=2", "b"],
    ["name=b", "b"],
    ["priority_ne=high", "ad"],
    ["type_ne=repair&status_ne=done", "bd"],
    ["dateStart_ne=null", "abd"],
    ["crews_gte=2", "b"],
    ["crews_lte=1", "acd"],
    ["dateStart_gte=2025-05-01T09:30:00", "bd"],
    ["dateStart_lte=2025-05-01T06:30:00Z", "ad"],
    ["name_like=B", "b"],
    ["name_like=b&name_like=c", "bc"],
    ["name_like=.*", ""],
    ["type_like=PAI", "c"],
    ["type_like=array", ""],
    ["name_like=%25", ""],
    ["q=C", "c"],
    ["q=", "abcd"],
    ["dateStart=null", "c"],
    ["unknown=1", "abcd"],
    ["_sort=name&_order=DESC", "dcba"],
    ["_sort=name", "abcd"],
    ["_sort=dateStart&_order=ASC", "adbc"],
    ["_sort=dateStart&_order=DESC", "bdac"],
    ["_sort=status,name&_order=asc,desc", "cadb"],
    ["priority=high&_sort=id&_order=DESC&_start=0&_end=1", "c"],
  ])("?%s returns %j", async (query, wanted) => {
    expect(await names(query)).toBe(wanted);
  });

  test("searches without regard to case and accents, in name, description and notes", async () => {
    await create({ name: "Ușă Țarc", description: "Ştefan cel Mare", notes: "SOSEAUA Împărat" });
    for (const query of [
      "q=usa",
      "q=ȚARC",
      "q=stefan",
      "q=împarat",
      "name_like=u%C5%9Fa",
      "notes_like=soseaua",
    ]) {
      const { body } = await call("get", `/interventii?${encodeURI(decodeURI(query))}`).expect(200);
      expect(body, query).toHaveLength(1);
    }
  });

  test("searches for at most ten words, none longer than 200 characters", async () => {
    const parts = (count: number) =>
      `?${Array.from({ length: count }, (_none, n) => `notes_like=${n}`).join("&")}`;
    await call("get", `/interventii${parts(10)}`).expect(200);
    await call("get", `/interventii${parts(11)}`).expect(400);
    await call("get", `/interventii?name_like=${"x".repeat(201)}`).expect(400);
    await call("get", `/interventii?q=${"x".repeat(201)}`).expect(400);
  });

  test("accepts a thousand ids in a request, and rejects more", async () => {
    const ids = (count: number) => Array.from({ length: count }, (_, index) => `id=${index + 1}`).join("&");
    await call("get", `/interventii?${ids(1000)}`).expect(200);
    await call("get", `/interventii?${ids(1001)}`).expect(400);
  });

  test("finds records by repeated ids, also by more than twenty", async () => {
    const [first] = (await call("get", "/interventii")).body;
    const ids = Array.from({ length: 40 }, (_, index) => `id=${first.id + index}`).join("&");
    expect(await names(ids)).toBe("abcd");
    expect(await names(`id=${first.id}`)).toBe("a");
  });

  test.each([
    "_sort=password_hash",
    "_sort=name,name",
    "status=open",
    "priority=HIGH",
    "objectiveId=1 OR 1=1",
    "police=1",
    "id=abc",
    "dateStart_gte=yesterday",
    "crews_gte=1&crews_gte=2",
    "crews_lte=x",
    `q=${"x".repeat(201)}`,
  ])("?%s is rejected with 400", async (query) => {
    const { body } = await call("get", `/interventii?${query}`).expect(400);
    expect(body).toMatchObject({ error: "Bad Request", statusCode: 400 });
  });
});

describe("objectives", () => {
  test.each(["cladiri", "bunuri", "persoane"])(
    "of the type %s are listed with offsets and a total",
    async (kind) => {
      const { body, headers } = await call("get", `/obiective/${kind}?_start=1&_end=3`).expect(200);
      expect(body.map(({ id }: { id: number }) => id)).toEqual([2, 3]);
      expect(headers["x-total-count"]).toBe("3");
    },
  );

  test("have the imported fields, and a building those of the contract", async () => {
    expect((await call("get", "/obiective/cladiri")).body[0]).toEqual({
      id: 1,
      name: "Hall 1",
      description: null,
      status: "active",
      address: null,
      city: null,
      floors: null,
      surfaceArea: null,
    });
    expect((await call("get", "/obiective/bunuri/1")).body).toEqual({
      id: 1,
      name: "Truck 1",
      status: "active",
    });
  });

  test.each([
    ["?_sort=name&_order=DESC", [3, 2, 1]],
    ["?_sort=status,id&_order=ASC,DESC", [3, 2, 1]],
    ["?_sort=id&_order=desc&_end=1", [3]],
    ["?name=Hall 2", [2]],
    ["?name=Hall 2&name=Hall 3", [2, 3]],
    ["?name_like=HALL", [1, 2, 3]],
    ["?name_ne=Hall 2", [1, 3]],
    ["?id_gte=2", [2, 3]],
    ["?id_lte=2&_sort=floors", [1, 2]],
    ["?q=hall 3", [3]],
    ["?status=closed", []],
    ["?city=null", [1, 2, 3]],
    ["?nonsense=1", [1, 2, 3]],
    ["?constructor=1", [1, 2, 3]],
  ])("%s returns %j", async (query, ids) => {
    const { body, headers } = await call("get", `/obiective/cladiri${encodeURI(query)}`).expect(200);
    expect(body.map(({ id }: { id: number }) => id)).toEqual(ids);
    expect(Number(headers["x-total-count"])).toBeGreaterThanOrEqual(ids.length);
  });

  test.each(["?_sort=nonsense", "?_sort=constructor", "?_order=UP", "?id=abc", "?_sort=id,id"])(
    "%s is refused with 400",
    async (query) => {
      await call("get", `/obiective/cladiri${query}`).expect(400);
    },
  );

  test("are found by ids, and one by one", async () => {
    expect(
      (await call("get", "/obiective/cladiri?id=3&id=1")).body.map(({ id }: { id: number }) => id),
    ).toEqual([1, 3]);
    expect((await call("get", "/obiective/bunuri/2").expect(200)).body.name).toBe("Truck 2");
    await call("get", "/obiective/bunuri/9").expect(404);
    await call("get", "/obiective/altele").expect(404);
    await call("get", "/obiective/cladiri?_start=-1").expect(400);
  });
});

describe("an Idempotency-Key", () => {
  const keyed = (key: string, fields: object = {}) =>
    call("post", "/interventii")
      .set("Idempotency-Key", key)
      .send({ ...PATROL, ...fields });

  test("returns the first response again and creates nothing", async () => {
    const first = await keyed('"k1"').expect(201);
    await call("put", `/interventii/${first.body.id}`).send({ crews: 9 });
    const again = await keyed('"k1"').expect(201);
    expect(again.body).toEqual(first.body);
    expect(first.headers["idempotency-replayed"]).toBeUndefined();
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect(again.headers["idempotency-key"]).toBe('"k1"');
    expect((await call("get", "/interventii")).body).toHaveLength(1);
  });

  test("is the same with its fields in another order and with fields that are ignored", async () => {
    const first = await keyed('"k2"').expect(201);
    const again = await call("post", "/interventii")
      .set("Idempotency-Key", "k2")
      .send({ objectiveId: 1, objectiveType: "obiective/cladiri", name: "Patrol", invoicePdf: "x" });
    expect(again.body.id).toBe(first.body.id);
  });

  testOfSite("keeps its response for a month, and then the id of the record", async () => {
    const { body } = await keyed('"k8"').expect(201);
    site.clock.advance(31 * 86_400_000);
    token = await site.token();
    await keyed('"k9"').expect(201);
    const kept = site.database.prepare("SELECT body FROM idempotency_keys WHERE key = 'k8'").pluck().get();
    expect(kept).toBe(JSON.stringify({ id: body.id }));
  });

  test("whose response has expired still creates no second record", async () => {
    const first = await keyed('"k6"').expect(201);
    site.clock.advance(31 * 86_400_000);
    token = await site.token();
    await keyed('"k7"').expect(201);
    const again = await keyed('"k6"').expect(201);
    expect(again.body.id).toBe(first.body.id);
    expect((await call("get", "/interventii")).body).toHaveLength(2);
  });

  test("of a rejected request can be used again", async () => {
    await keyed('"k5"', { crews: 0 }).expect(400);
    await keyed('"k5"').expect(201);
  });

  test.each(['""', '"unclosed', "two words", `"${"k".repeat(256)}"`])(
    "with the value %s is rejected with 400",
    async (key) => {
      await keyed(key).expect(400);
    },
  );
});
