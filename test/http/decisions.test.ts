import { request as httpRequest } from "node:http";
import request from "supertest";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import { PASSWORD, PATROL, TEST_ACCOUNTS, OPERATOR_USER, TestApp } from "../support/app.ts";

// Design decisions A to Z for what the contract leaves open, one section a letter.

let site: TestApp;
let port: number;
let tokens: Readonly<Record<keyof typeof TEST_ACCOUNTS, string>>;
beforeAll(async () => {
  site = await TestApp.make();
  port = await site.listen();
  tokens = await site.tokenOfEach();
});
afterAll(() => site.close());
beforeEach(() => site.clear());

type Method = "get" | "post" | "put" | "patch" | "delete" | "head" | "options";
const ask = (method: Method, path: string, role: keyof typeof TEST_ACCOUNTS = "operator") =>
  request(site.app)[method](path).set("Authorization", `Bearer ${tokens[role]}`);
const make = async (fields: object = {}): Promise<Intervention> =>
  (
    await ask("post", "/interventii")
      .send({ ...PATROL, ...fields })
      .expect(201)
  ).body;
const update = (id: number, body: object) => ask("put", `/interventii/${id}`).send(body);
const list = async (query: string): Promise<Intervention[]> =>
  (await ask("get", `/interventii${query}`).expect(200)).body;
const failure = (status: number) => ({
  error: expect.any(String) as string,
  message: expect.any(String) as string,
  statusCode: status,
});

describe("A. list shape", () => {
  test("is a bare array with X-Total-Count after the filters and before the slice", async () => {
    for (const priority of ["low", "high", "high"]) await make({ priority });
    for (const [path, length, total] of [
      ["/interventii", 3, "3"],
      ["/interventii?priority=high&_end=1", 1, "2"],
      ["/interventii?_start=3", 0, "3"],
      ["/interventii?priority=medium", 0, "0"],
      ["/obiective/cladiri?_end=1", 1, "3"],
      ["/obiective/bunuri", 3, "3"],
      ["/obiective/persoane?id=1&id=2", 2, "2"],
    ] as const) {
      const { body, headers } = await ask("get", path).expect(200);
      expect([Array.isArray(body), body.length, headers["x-total-count"]]).toEqual([true, length, total]);
    }
  });
});

describe("A misspelt query parameter", () => {
  const ignored = async (path: string) =>
    (await ask("get", path).expect(200)).headers["x-ignored-parameters"];

  test("of a list is named in a header, and the list is returned as to every client of the contract", async () => {
    await make({ priority: "low" });
    expect(await ignored("/interventii?statuss=planned&priority=low&_sort=id&crews_gte=0")).toBe("statuss");
    expect(await ignored("/interventii?prioritate=high&_=17&%C8%99ir%0D%0A=1")).toBe(
      "prioritate, _, %C8%99ir%0D%0A",
    );
    expect(await list("?statuss=done")).toHaveLength(1);
    expect(await ignored("/obiective/cladiri?_strat=1&_end=1&name=x")).toBe("_strat");
    for (const path of ["/interventii", "/obiective/cladiri"])
      expect(await ignored(`${path}?_order=DESC`)).toBe("_order");
  });

  test("has no header where every parameter has an effect", async () => {
    for (const path of [
      "/interventii?status=planned&name_like=a&dateStart_gte=2026-01-01T00:00:00&q=a&_order=ASC&_start=0&_end=2",
      "/interventii?strict=1&status=planned",
      "/obiective/bunuri?color_ne=red&q=x&strict=1",
    ])
      expect([path, await ignored(path)]).toEqual([path, undefined]);
  });

  test("is rejected at the client's wish", async () => {
    for (const path of ["/interventii", "/obiective/cladiri"]) {
      const { body } = await ask("get", `${path}?_order=desc&strict=1`).expect(400);
      expect((body as { message: string }).message).toBe("_order has no effect without _sort");
    }
    for (const path of ["/interventii?statuss=planned&strict=1", "/obiective/persoane?_statuss=1&strict=1"]) {
      const { body } = await ask("get", path).expect(400);
      expect((body as { message: string }).message).toMatch(/unknown query parameter _?statuss; check/);
    }
  });

  test("beyond twenty and of any length keeps the header small", async () => {
    const many = Array.from({ length: 400 }, (_, index) => `x${index}${"y".repeat(10)}=1`).join("&");
    expect((await ignored(`/interventii?${many}`))?.split(", ")).toHaveLength(20);
    expect((await ignored(`/interventii?${"z".repeat(9_000)}=1`))?.length).toBe(100);
  });
});

describe("B. reading a record", () => {
  test("returns the same object as POST, with a strong ETag", async () => {
    const made = await make({ notes: "n", crews: 2 });
    const { body, headers } = await ask("get", `/interventii/${made.id}`).expect(200);
    expect(body).toEqual(made);
    expect(headers["etag"]).toMatch(/^"[^"]+"$/);
  });
});

describe("C. roles", () => {
  const operations: [Method, string, object?][] = [
    ["get", "/interventii"],
    ["post", "/interventii", PATROL],
    ["get", "/interventii/1"],
    ["put", "/interventii/1", {}],
    ["patch", "/interventii/1", {}],
    ["delete", "/interventii/1"],
    ["get", "/obiective/cladiri"],
    ["get", "/obiective/bunuri/1"],
    ["get", "/obiective/persoane"],
    ["get", "/openapi.json"],
  ];
  test.each(operations)("%s %s requires an operator or administrator", async (method, path, body) => {
    await ask(method, path, "viewer")
      .send(body)
      .expect(403, /operator or administrator/);
    for (const role of ["operator", "administrator"] as const)
      expect((await ask(method, path, role).send(body)).status).not.toBe(403);
  });

  test("can be configured so that only administrators delete", async () => {
    const own = await TestApp.forTest({ deleteNeedsAdministrator: true });
    const remove = async (role: keyof typeof TEST_ACCOUNTS, id: number) =>
      (
        await request(own.app)
          .delete(`/interventii/${id}`)
          .set("Authorization", `Bearer ${await own.token(role)}`)
      ).status;
    const { record } = await own.parts.records.create(
      { ...PATROL, objectiveType: "obiective/cladiri" },
      OPERATOR_USER,
    );
    const mayDelete = async (app: TestApp["app"], role: keyof typeof TEST_ACCOUNTS): Promise<unknown> => {
      const token = `Bearer ${await own.token(role)}`;
      return (await request(app).get("/site/account").set("Authorization", token)).body.mayDelete;
    };
    expect(await mayDelete(own.app, "operator")).toBe(false);
    expect(await mayDelete(own.app, "administrator")).toBe(true);
    expect(await remove("operator", record.id)).toBe(403);
    expect(await remove("administrator", record.id)).toBe(204);
  });

  test("are read from the database at each request, not from the token", async () => {
    const own = await TestApp.forTest();
    const token = await own.token();
    const read = () => request(own.app).get("/interventii").set("Authorization", `Bearer ${token}`);
    await read().expect(200);
    await own.run("UPDATE accounts SET role = 'viewer'");
    await read().expect(403);
  });
});

describe("D. wrong credentials", () => {
  test.each([
    ["an unknown address", { email: "unknown@test.example", password: PASSWORD }],
    ["a wrong password", { email: TEST_ACCOUNTS.viewer, password: "wrong" }],
  ])("%s is 401 with one and the same message and WWW-Authenticate", async (_what, body) => {
    const answer = await request(site.app).post("/auth/token").send(body).expect(401);
    expect(answer.body.message).toBe("email or password is wrong");
    expect(answer.headers["www-authenticate"]).toMatch(/^Bearer /);
  });

  test.each([
    {},
    { email: TEST_ACCOUNTS.operator },
    { password: PASSWORD },
    { email: 1, password: PASSWORD },
    { email: TEST_ACCOUNTS.operator, password: ["x"] },
    { email: TEST_ACCOUNTS.operator, password: null },
    { email: "", password: "" },
    { email: TEST_ACCOUNTS.operator, password: PASSWORD, remember: true },
    { email: "a\u0000@b.c", password: PASSWORD },
    { email: "\ud800@b.c", password: PASSWORD },
    [],
  ])("%j is 400", async (body) => {
    expect((await request(site.app).post("/auth/token").send(body).expect(400)).body).toEqual(failure(400));
  });

  test.each([
    ["GET /interventii/x", "get", "/interventii/x"],
    ["a bad query", "get", "/interventii?_start=-1"],
    ["a bad body", "post", "/interventii"],
    ["a method that is not there", "delete", "/interventii"],
  ] as const)("%s without a token is 401 before anything else is checked", async (_what, method, path) => {
    const answer = await request(site.app)
      [method](path)
      .send(method === "post" ? { nonsense: 1 } : undefined);
    expect([answer.status, answer.headers["www-authenticate"]]).toEqual([401, 'Bearer realm="santinela"']);
  });

  test("an address that cannot be decoded is 401 without a token, and 400 with one", async () => {
    await request(site.app).get("/interventii/%zz").expect(401);
    await ask("get", "/interventii/%zz").expect(400);
  });

  test("another scheme gets the challenge without a token error", async () => {
    const { headers } = await request(site.app)
      .get("/interventii")
      .set("Authorization", "Basic YTpi")
      .expect(401);
    expect(headers["www-authenticate"]).toBe('Bearer realm="santinela"');
  });

  test("an invalid token is reported in WWW-Authenticate", async () => {
    const answer = await request(site.app).get("/interventii").set("Authorization", "Bearer abc").expect(401);
    expect(answer.headers["www-authenticate"]).toMatch(/error="invalid_token"/);
  });
});

describe("E. rate limit", () => {
  test("is by account and by address, has a Retry-After, and does not affect issued tokens", async () => {
    const own = await TestApp.forTest();
    const token = await own.token();
    const guess = (email: string) => request(own.app).post("/auth/token").send({ email, password: "x" });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 40; attempt += 1) statuses.push((await guess("a@b.c")).status);
    expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
    expect(new Set(statuses.slice(5))).toEqual(new Set([429]));
    expect((await guess("a@b.c")).headers["retry-after"]).toBe("30");
    for (let attempt = 0; attempt < 15; attempt += 1) await guess(`u${attempt}@b.c`).expect(401);
    await guess("one-more@b.c").expect(429);
    await request(own.app).get("/interventii").set("Authorization", `Bearer ${token}`).expect(200);
  });
});

describe("F. token refresh", () => {
  test("is a new sign-in; the response is not cached", async () => {
    const credentials = { email: TEST_ACCOUNTS.operator, password: PASSWORD };
    for (let again = 0; again < 2; again += 1) {
      const { body, headers } = await request(site.app).post("/auth/token").send(credentials).expect(200);
      expect(Object.keys(body).toSorted()).toEqual(["expiresIn", "token"]);
      expect([body.expiresIn, headers["cache-control"]]).toEqual([3600, "no-store"]);
    }
  });
});

describe("G. page size", () => {
  test("is a thousand by default and at most, with a link to the next page", async () => {
    await Promise.all([...Array(1100).keys()].map(() => site.parts.records.create(PATROL, OPERATOR_USER)));
    const pages = [await ask("get", "/interventii"), await ask("get", "/interventii?_start=0&_end=5000")];
    for (const { body, headers } of pages) {
      expect([body.length, headers["x-total-count"]]).toEqual([1000, "1100"]);
      expect(headers["link"]).toMatch(/_start=1000&_end=2000.*rel="next"/);
    }
    expect((await list("?_start=1000&_end=2000")).length).toBe(100);
    expect((await list("?_end=100")).length).toBe(100);
  });
});

test("G. the link to the next page keeps filters that contain a question mark", async () => {
  for (const name of ["Open?", "Open?", "Closed"]) await make({ name });
  const { headers } = await ask("get", "/interventii?_end=1&name=Open?&status=planned");
  const next = /<(.+)>; rel="next"/.exec(String(headers["link"]))?.[1] ?? "";
  const { body, headers: ofNext } = await ask("get", next);
  expect((body as { name: string }[]).map(({ name }) => name)).toEqual(["Open?"]);
  expect([ofNext["x-total-count"], ofNext["link"]]).toEqual(["2", undefined]);
});

describe("H. _start and _end", () => {
  beforeEach(async () => {
    for (const name of ["a", "b", "c"]) await make({ name });
  });
  test.each([
    ["?_start=1", "bc"],
    ["?_end=2", "ab"],
    ["?_start=1&_end=2", "b"],
    ["?_start=2&_end=2", ""],
    ["?_start=2&_end=1", ""],
    ["?_start=100", ""],
    ["?_start=99999999999999999999", ""],
    ["?_end=99999999999999999999", "abc"],
    ["?_end=0", ""],
  ])("%s returns %j", async (query, names) => {
    expect((await list(query)).map(({ name }) => name).join("")).toBe(names);
  });

  test.each(["x", "-1", "1.5", "1e1", "", "%20", "0x1", "1&_start=2", "+1", "null"])(
    "_start=%s is 400, for interventions and objectives",
    async (text) => {
      await ask("get", `/interventii?_start=${text}`).expect(400);
      await ask("get", `/obiective/cladiri?_start=${text}`).expect(400);
      await ask("get", `/interventii?_end=${text.replace("_start", "_end")}`).expect(400);
    },
  );
});

describe("I. _sort and _order", () => {
  beforeEach(async () => {
    await make({ name: "b", dateStart: "2026-01-01T12:00:00+02:00", priority: "high" });
    await make({ name: "a", dateStart: "2026-01-01T11:30:00Z" });
    await make({ name: "c", dateStart: null, priority: "high" });
    await make({ name: "a", dateStart: "2026-01-01T10:30:00Z" });
  });
  const order = async (query: string) => (await list(query)).map(({ name }) => name).join("");
  test.each([
    ["", "baca"],
    ["?_sort=name", "aabc"],
    ["?_sort=name&_order=DESC", "cbaa"],
    ["?_sort=name&_order=desc", "cbaa"],
    ["?_sort=name&_order=Asc", "aabc"],
    ["?_order=DESC", "baca"],
    ["?_sort=id&_order=DESC", "acab"],
    ["?_sort=priority,name&_order=desc,asc", expect.any(String) as string],
    ["?_sort=dateStart", "baac"],
    ["?_sort=dateStart&_order=DESC", "aabc"],
  ])("%s returns %s; nulls come last and dates are ordered by instant", async (query, names) => {
    expect(await order(query)).toEqual(names);
  });

  test("ties keep the order of the ids", async () => {
    const sorted = await list("?_sort=status");
    expect(sorted.map(({ id }) => id)).toEqual(sorted.map(({ id }) => id).toSorted((a, b) => a - b));
  });

  test.each([
    "?_sort=nonsense",
    "?_sort=id;DROP%20TABLE%20interventions",
    "?_sort=name%20DESC",
    "?_sort=uid",
    "?_sort=constructor",
    "?_sort=name,nonsense",
    "?_order=UP",
    "?_sort=name&_order=ASC;--",
    "?status=finished",
    "?status=PLANNED",
    "?priority=urgent",
    "?type=fire",
    "?objectiveType=cladiri",
    "?crews=two",
    "?police=yes",
    "?id=abc",
    "?status=",
  ])("%s is 400 and changes nothing", async (query) => {
    expect((await ask("get", `/interventii${query}`).expect(400)).body).toEqual(failure(400));
    expect(await order("")).toBe("baca");
  });

  test.each(["?nonsense=1", "?_page=2", "?_embed=x", "?__proto__=1", "?_=123"])(
    "%s is ignored",
    async (query) => {
      expect(await order(query)).toBe("baca");
    },
  );
});

describe("J. text", () => {
  test.each([
    ["a name of 200", { name: "x".repeat(200) }],
    ["200 that are each two UTF-16 units", { name: "🔔".repeat(200) }],
    ["a description of 4000", { description: "ș".repeat(4000) }],
    ["HTML, emoji, right to left, tabs and line breaks", { notes: "<b>ș</b> 🔥 שלום\tx\r\ny" }],
    ["blanks around", { name: "  x  " }],
  ])("%s is stored unchanged", async (_what, fields) => {
    const made = await make(fields);
    expect(await list(`?id=${made.id}`)).toEqual([expect.objectContaining(fields)]);
  });

  test.each([
    ["an empty name", { name: "" }],
    ["a blank name", { name: " \t " }],
    ["a name of 201", { name: "x".repeat(201) }],
    ["a description of 4001", { description: "x".repeat(4001) }],
    ["notes of 4001", { notes: "🔔".repeat(4001) }],
    ["a zero character", { notes: "a\u0000b" }],
    ["an escape character", { name: "a\u001b[31m" }],
    ["half a surrogate pair", { notes: "\ud800" }],
    ["a control character of the second block", { name: "a\u009bb" }],
  ])("%s is 400", async (_what, fields) => {
    await ask("post", "/interventii")
      .send(JSON.stringify({ ...PATROL, ...fields }))
      .set("Content-Type", "application/json")
      .expect(400);
  });

  test("a body over 100 kB is 413", async () => {
    await ask("post", "/interventii")
      .send({ ...PATROL, notes: "x".repeat(110_000) })
      .expect(413);
  });
});

describe("K. dates", () => {
  test.each([
    "2025-09-10T08:00:00",
    "2025-09-10T08:00",
    "2025-09-10T08:00:00Z",
    "2025-09-10T08:00:00.123Z",
    "2025-09-10T08:00:00.5",
    "2025-09-10T08:00:00.123456",
    "2025-09-10T08:00:00.123456789+03:00",
    "2025-09-10T08:00:00+03:00",
    "2025-09-10T08:00-11:30",
    "2024-02-29T00:00:00",
    "2026-03-29T03:30:00",
    "2026-10-25T03:30:00",
  ])("%s is returned as it was sent", async (dateStart) => {
    expect((await make({ dateStart })).dateStart).toBe(dateStart);
  });

  test.each([
    "2025-09-10",
    "2025-09-10 08:00:00",
    "2025-02-30T08:00:00",
    "2025-02-29T08:00:00",
    "2025-13-01T08:00:00",
    "2025-00-10T08:00:00",
    "2025-09-10T24:00:00",
    "2025-09-10T08:60:00",
    "2025-09-10T08:00:60",
    "2025-09-10T08:00:00+25:00",
    "2025-09-10T08:00:00+0300",
    "2025-09-10T08:00:00.1234567890Z",
    "2025-09-10t08:00:00z",
    "25-09-10T08:00:00",
    "2025-09-10T8:00",
    "0000-01-01T00:00:00",
    "now",
    "",
    " 2025-09-10T08:00:00",
    1757491200000,
    true,
    {},
  ])("%j is 400", async (dateStart) => {
    await ask("post", "/interventii")
      .send({ ...PATROL, dateStart })
      .expect(400);
  });

  test("without an offset are in the zone of the site, and compared as instants", async () => {
    await make({ name: "local", dateStart: "2026-01-01T12:00:00" });
    await make({ name: "utc", dateStart: "2026-01-01T11:00:00Z" });
    expect((await list("?_sort=dateStart")).map(({ name }) => name)).toEqual(["local", "utc"]);
    expect((await list("?dateStart_gte=2026-01-01T10:30:00Z")).map(({ name }) => name)).toEqual(["utc"]);
  });
});

describe("L. dateEnd before dateStart", () => {
  test.each([
    ["in one request", { dateStart: "2026-01-02T00:00:00", dateEnd: "2026-01-01T00:00:00" }, 400],
    ["as instants", { dateStart: "2026-01-01T12:00:00Z", dateEnd: "2026-01-01T13:00:00+02:00" }, 400],
    ["equal", { dateStart: "2026-01-01T12:00:00Z", dateEnd: "2026-01-01T14:00:00+02:00" }, 201],
    ["only an end", { dateEnd: "2026-01-01T12:00:00" }, 201],
  ])("%s", async (_what, fields, status) => {
    await ask("post", "/interventii")
      .send({ ...PATROL, ...fields })
      .expect(status);
  });

  test("is checked on the merged record", async () => {
    const { id } = await make({ dateStart: "2026-01-02T00:00:00" });
    await update(id, { dateEnd: "2026-01-01T00:00:00" }).expect(400);
    await update(id, { dateEnd: "2026-01-01T00:00:00", dateStart: null }).expect(200);
    await update(id, { dateStart: "2026-01-01T00:00:01" }).expect(400);
  });
});

describe("M. values", () => {
  const wrong: [string, unknown[]][] = [
    ["name", [1, null, true, [], {}]],
    ["objectiveType", ["cladiri", "Obiective/cladiri", null, 1, "obiective/cladiri "]],
    ["objectiveId", ["1", 1.5, -1, null, true, [1], 2 ** 60]],
    ["description", [1, false, {}]],
    ["status", ["Planned", "closed", null, 1]],
    ["priority", ["HIGH", "urgent", null, 0]],
    ["type", ["Repair", null, []]],
    ["crews", ["2", 1.5, 0, -1, null, true, 1001]],
    ["police", ["true", 1, 0, null]],
    ["ambulance", ["false", "", null]],
    ["firetruck", [1, {}]],
    ["notes", [0, []]],
    ["dateEnd", [0, []]],
  ];
  test.each(wrong.flatMap(([field, values]) => values.map((value) => [field, value] as const)))(
    "%s %j is 400, on create and update",
    async (field, value) => {
      const { id } = await make();
      await ask("post", "/interventii")
        .send({ ...PATROL, [field]: value })
        .expect(400);
      await update(id, { [field]: value }).expect(400);
    },
  );

  test("2.0 is 2, and null clears optional fields", async () => {
    const { body } = await ask("post", "/interventii")
      .set("Content-Type", "application/json")
      .send('{"name":"n","objectiveType":"obiective/cladiri","objectiveId":1,"crews":2.0}')
      .expect(201);
    expect(body.crews).toBe(2);
    const set = { description: "d", notes: "n", dateStart: "2026-01-01T00:00", dateEnd: "2026-01-01T00:00" };
    const unset = { description: null, notes: null, dateStart: null, dateEnd: null };
    expect((await update(body.id, set).expect(200)).body).toMatchObject(set);
    expect((await update(body.id, unset).expect(200)).body).toMatchObject(unset);
  });
});

describe("N. objectives", () => {
  test.each([
    ["that do not exist", { objectiveId: 4711 }],
    ["of 0", { objectiveId: 0 }],
  ])("%s are 404 or 400 and create no record", async (_what, fields) => {
    const { status } = await ask("post", "/interventii").send({ ...PATROL, ...fields });
    expect([400, 404]).toContain(status);
    expect(await list("")).toEqual([]);
  });

  test("an invalid date comes before an unknown objective, in a POST as in a PUT", async () => {
    const { id } = await make();
    const both = { objectiveId: 77, dateStart: "tomorrow" };
    await ask("post", "/interventii")
      .send({ ...PATROL, ...both })
      .expect(400, /dateStart/);
    await update(id, both).expect(400, /dateStart/);
  });

  test("of another type are 404, on create and update", async () => {
    await site.run("INSERT INTO objectives VALUES('obiective/bunuri', 77, '{\"name\":\"x\"}', 'config')");
    await ask("post", "/interventii")
      .send({ ...PATROL, objectiveId: 77 })
      .expect(404);
    const { id } = await make();
    await update(id, { objectiveId: 77 }).expect(404);
    await update(id, { objectiveType: "obiective/bunuri", objectiveId: 77 }).expect(200);
    await site.clear();
    await site.run("DELETE FROM objectives WHERE id = 77");
  });
});

describe("O. unknown fields", () => {
  test.each(["prioritty", "Name", "uid", "rev", "createdAt", "toString", "constructor"])(
    "%s is 400 naming it",
    async (field) => {
      const { id } = await make();
      const answers = [
        await ask("post", "/interventii").send({ ...PATROL, [field]: "x" }),
        await update(id, { [field]: "x" }),
      ];
      for (const { status, body } of answers) {
        expect(status).toBe(400);
        expect(body.message).toContain(field);
      }
    },
  );

  test("read-only fields are accepted and ignored, on POST and PUT", async () => {
    const own = { id: 4711, dispeceratId: 99, invoicePdf: "x" };
    const made = await make(own);
    expect(made).toMatchObject({ dispeceratId: 7, invoicePdf: null });
    expect(made.id).not.toBe(4711);
    expect((await update(made.id, own).expect(200)).body).toEqual(made);
    await ask("get", "/interventii/4711").expect(404);
  });
});

describe("P. PUT", () => {
  test("is partial and atomic; an empty body changes nothing", async () => {
    const made = await make({ notes: "n" });
    expect((await update(made.id, {}).expect(200)).body).toEqual(made);
    await update(made.id, { crews: 5, priority: "wrong" }).expect(400);
    expect(await list("")).toEqual([made]);
    expect((await update(made.id, { crews: 5 }).expect(200)).body).toEqual({ ...made, crews: 5 });
  });

  test("with concurrent requests for different fields keeps them all", async () => {
    const { id } = await make();
    const fields = { crews: 4, notes: "n", police: true, priority: "high", description: "d" };
    await Promise.all(Object.entries(fields).map(([name, value]) => update(id, { [name]: value })));
    expect(await list("")).toEqual([expect.objectContaining(fields)]);
  });

  test("of the objective type alone is 400, unless it is the same", async () => {
    const { id } = await make();
    await update(id, { objectiveType: "obiective/bunuri" }).expect(400, /cannot change without objectiveId/);
    await update(id, { objectiveType: "obiective/cladiri" }).expect(200);
  });

  test("of a record that is done is allowed", async () => {
    const { id } = await make({ status: "done" });
    await update(id, { notes: "invoice sent" }).expect(200);
  });

  test.each([[], "x", 1, null])("of %j is 400", async (body) => {
    const { id } = await make();
    await ask("put", `/interventii/${id}`)
      .set("Content-Type", "application/json")
      .send(JSON.stringify(body))
      .expect(400);
  });
});

describe("Q. status", () => {
  const all = ["planned", "in_progress", "done"] as const;
  test.each(all.flatMap((from) => all.map((to) => [from, to] as const)))(
    "%s may become %s",
    async (from, to) => {
      const { id } = await make({ status: from });
      expect((await update(id, { status: to, crews: 3 }).expect(200)).body).toMatchObject({
        status: to,
        crews: 3,
      });
    },
  );

  test("each transition is in the event log", async () => {
    const { id } = await make();
    await update(id, { status: "in_progress" }).expect(200);
    expect((await site.newestEvents(1))[0]).toMatchObject({
      event: "intervention-changed",
      detail: { before: { status: "planned" }, after: { status: "in_progress" } },
    });
  });
});

describe("R. dispeceratId and invoicePdf", () => {
  test("are the configured dispatch centre and null, whatever the request holds", async () => {
    const made = await make({ dispeceratId: null, invoicePdf: "x" });
    expect([made.dispeceratId, made.invoicePdf]).toEqual([7, null]);
  });
});

describe("S. DELETE", () => {
  test("is 204 and empty, then 404, and the id is never reused", async () => {
    const made = await make();
    const { text, headers } = await ask("delete", `/interventii/${made.id}`).expect(204);
    expect([text, headers["content-type"]]).toEqual(["", undefined]);
    await ask("delete", `/interventii/${made.id}`).expect(404);
    await ask("get", `/interventii/${made.id}`).expect(404);
    await update(made.id, { crews: 2 }).expect(404);
    expect((await make()).id).toBeGreaterThan(made.id);
    const events = await site.newestEvents(10);
    const removed = events.find(({ event }) => event === "intervention-deleted");
    expect(removed?.detail).toEqual({ before: made });
  });
});

describe("T. methods, media types and ids", () => {
  test.each([
    ["/interventii", "GET, HEAD, POST, OPTIONS"],
    ["/interventii/1", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"],
    ["/obiective/cladiri", "GET, HEAD, OPTIONS"],
    ["/auth/token", "POST, OPTIONS"],
  ])("OPTIONS %s requires no token and returns %s", async (path, allow) => {
    const { headers } = await request(site.app).options(path).expect(204);
    expect(headers["allow"]).toBe(allow);
  });

  test.each<[Method, string]>([
    ["put", "/interventii"],
    ["patch", "/interventii"],
    ["delete", "/interventii"],
    ["post", "/interventii/1"],
    ["post", "/obiective/cladiri"],
    ["delete", "/obiective/bunuri"],
    ["put", "/obiective/persoane/1"],
    ["get", "/auth/token"],
    ["delete", "/auth/token"],
    ["put", "/auth/token"],
  ])("%s %s is 405 with Allow, with a body or without", async (method, path) => {
    await ask(method, path).set("Content-Type", "text/plain").send("x").expect(405);
    const { body, headers } = await ask(method, path).expect(405);
    expect(body).toEqual(failure(405));
    expect(headers["allow"]).toMatch(/OPTIONS/);
  });

  test("HEAD is GET without a body", async () => {
    const { id } = await make();
    for (const path of ["/interventii", `/interventii/${id}`, "/obiective/cladiri"]) {
      const { headers, text } = await ask("head", path).expect(200);
      expect([text, headers["content-type"]]).toEqual([undefined, "application/json; charset=utf-8"]);
    }
  });

  test("no header and no field overrides a method", async () => {
    const { id } = await make();
    await ask("post", `/interventii/${id}`).set("X-HTTP-Method-Override", "DELETE").send({}).expect(405);
    await ask("post", "/interventii?_method=DELETE").send(PATROL).expect(201);
    await ask("get", `/interventii/${id}`).expect(200);
  });

  test.each([
    ["text/plain", 415],
    ["application/x-www-form-urlencoded", 415],
    ["application/xml", 415],
    ["application/json; charset=utf-16", 415],
    ["application/json; charset=latin1", 415],
    ["application/json", 201],
    ["application/json; charset=utf-8", 201],
    ["application/json; profile=alarm; v=1", 201],
    ["application/json; v=1; charset=utf-16", 415],
    ["APPLICATION/JSON;charset=UTF-8", 201],
  ])("a body as %s is %i", async (type, status) => {
    await ask("post", "/interventii").set("Content-Type", type).send(JSON.stringify(PATROL)).expect(status);
  });

  test.each(["{", "{'a':1}", "undefined", '{"a":1}{"b":2}', "nul", '"\\ud'])(
    "the broken JSON %s is 400",
    async (text) => {
      await ask("post", "/interventii").set("Content-Type", "application/json").send(text).expect(400);
    },
  );

  test("a too deeply nested body is 400", async () => {
    const text = `{"name":${"[".repeat(40_000)}${"]".repeat(40_000)}}`;
    await ask("post", "/interventii").set("Content-Type", "application/json").send(text).expect(400);
  });

  test.each([
    "1.0",
    "01",
    "1e0",
    "0x1",
    "+1",
    "1abc",
    "-1",
    "0",
    "abc",
    "99999999999999999999",
    "1%20",
    "%31x",
  ])("the id %s finds nothing, and not record 1", async (text) => {
    for (const method of ["get", "put", "delete"] as const) {
      const pendingRequest = ask(method, `/interventii/${text}`);
      expect([400, 404]).toContain(
        (await (method === "put" ? pendingRequest.send({ crews: 2 }) : pendingRequest)).status,
      );
    }
    await ask("get", `/obiective/cladiri/${text}`).expect(404);
  });
});

describe("U. versioning", () => {
  test("is in the document, not in the path", async () => {
    const { body } = await ask("get", "/openapi.json").expect(200);
    expect(body.info.version).toMatch(/^\d+\.\d+\.\d+/);
    await ask("get", "/v1/interventii").expect(404);
  });
});

/** What a web page of another origin may read. */
const EXPOSED_HEADERS =
  "X-Total-Count X-Ignored-Parameters ETag Location Retry-After X-Error-Code Idempotency-Key Idempotency-Replayed Preference-Applied".split(
    " ",
  );

describe("V. other origins", () => {
  const pendingRequest = (app: TestApp["app"], origin: string) =>
    request(app)
      .options("/interventii")
      .set("Origin", origin)
      .set("Access-Control-Request-Method", "GET")
      .set("Access-Control-Request-Headers", "authorization");
  test("get no access by default, and no origin is reflected", async () => {
    for (const origin of ["http://evil.example", "null", "http://localhost:3000"])
      expect((await pendingRequest(site.app, origin)).headers["access-control-allow-origin"]).toBeUndefined();
  });

  test("get access with an exact entry in the list", async () => {
    const own = await TestApp.forTest({ corsOrigins: ["http://panel.local:3000"] });
    const { headers } = await pendingRequest(own.app, "http://panel.local:3000").expect(204);
    expect(headers).toMatchObject({
      "access-control-allow-origin": "http://panel.local:3000",
      "access-control-max-age": "600",
      vary: expect.stringMatching(/Origin/) as string,
    });
    expect(headers["access-control-allow-credentials"]).toBeUndefined();
    for (const name of ["Authorization", "Content-Type", "If-Match", "Idempotency-Key", "Prefer"])
      expect(headers["access-control-allow-headers"]?.toLowerCase()).toContain(name.toLowerCase());
    const refused = await request(own.app)
      .get("/interventii")
      .set("Origin", "http://panel.local:3000")
      .expect(401);
    expect(refused.headers["access-control-allow-origin"]).toBe("http://panel.local:3000");
    expect(refused.headers["access-control-allow-credentials"]).toBeUndefined();
    for (const name of EXPOSED_HEADERS)
      expect(refused.headers["access-control-expose-headers"]).toContain(name);
    for (const origin of ["http://panel.local", "https://panel.local:3000", "http://panel.local:3000.evil"])
      for (const { headers: others } of [
        await pendingRequest(own.app, origin),
        await request(own.app).get("/interventii").set("Origin", origin),
      ]) {
        expect(others["access-control-allow-origin"]).toBeUndefined();
        expect(others["vary"]).toContain("Origin");
      }
  });
});

describe("W. ETag and If-Match", () => {
  test("a match is accepted, a mismatch is 412, a missing header is accepted, a weak tag never matches", async () => {
    const { id } = await make();
    const { headers } = await ask("get", `/interventii/${id}`);
    const tag = headers["etag"] ?? "";
    const put = (match: string) => update(id, { notes: match }).set("If-Match", match);
    await put(`W/${tag}`).expect(412);
    await put('"nonsense"').expect(412);
    await put(tag).expect(200);
    await put(tag).expect(412);
    await put("*").expect(200);
    await update(id, { notes: "x" }).expect(200);
    await ask("delete", `/interventii/${id}`).set("If-Match", tag).expect(412);
    await ask("delete", `/interventii/${id}`).set("If-Match", '"a", "4"').expect(204);
  });
});

describe("W. ETag and If-None-Match", () => {
  test("a read with the tag of the record is an empty 304 until the record changes", async () => {
    const { id } = await make();
    const read = (match: string, method: "get" | "head" = "get") =>
      ask(method, `/interventii/${id}`).set("If-None-Match", match);
    const { headers } = await read('"nonsense"').expect(200);
    const tag = headers["etag"] ?? "";
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
      const { headers: again, text } = await read(known).expect(304);
      expect([again["etag"], text]).toEqual([tag, ""]);
    }
    await read(tag, "head").expect(304);
    await update(id, { crews: 2 }).expect(200);
    await read(tag).expect(200);
    await ask("get", "/interventii/4711").set("If-None-Match", "*").expect(404);
  });

  test("a change only of what does not exist, or of another revision, is 412", async () => {
    const { id } = await make();
    const put = (match: string) => update(id, { notes: match }).set("If-None-Match", match);
    await put("*").expect(412);
    await put('"1"').expect(412);
    await put('W/"1"').expect(412);
    await put('"2"').expect(200);
    await ask("put", "/interventii/4711").set("If-None-Match", "*").send({ notes: "x" }).expect(404);
  });

  test("so is a deletion", async () => {
    const { id } = await make();
    const remove = (match: string, of = id) =>
      ask("delete", `/interventii/${of}`).set("If-None-Match", match);
    for (const match of ["*", '"1"', 'W/"1"', '"x", "1"']) await remove(match).expect(412);
    await ask("get", `/interventii/${id}`).expect(200);
    await remove("*", 4711).expect(404);
    await remove('"2"').expect(204);
  });
});

describe("X. Idempotency-Key", () => {
  const post = (key: string, body: object = PATROL, role: keyof typeof TEST_ACCOUNTS = "operator") =>
    ask("post", "/interventii", role).set("Idempotency-Key", key).send(body);
  test("a repetition returns the first response, another body is 422, another account has its own keys", async () => {
    const first = await post('"k-1"').expect(201);
    const again = await post('"k-1"').expect(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers["location"]).toBe(first.headers["location"]);
    await post('"k-1"', { ...PATROL, crews: 2 }).expect(422);
    expect((await post('"k-1"', PATROL, "administrator").expect(201)).body.id).not.toBe(first.body.id);
    expect((await list("")).length).toBe(2);
  });

  test("many concurrent requests create one record", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => post('"k-2"')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await list("")).toHaveLength(1);
  });

  test("the first response is returned also after the record was changed or deleted", async () => {
    const { body } = await post('"k-3"').expect(201);
    await update(body.id, { crews: 9 }).expect(200);
    expect((await post('"k-3"').expect(201)).body).toEqual(body);
  });
});

describe("Y. the body of an error", () => {
  test.each<[string, Method, string, object | undefined, number]>([
    ["400", "post", "/interventii", {}, 400],
    ["404", "get", "/interventii/4711", undefined, 404],
    ["404 of an address", "get", "/nowhere", undefined, 404],
    ["405", "delete", "/interventii", undefined, 405],
    ["a percent sign", "get", "/interventii/%E0%A4%A", undefined, 400],
  ])("%s is error, message and statusCode, and nothing else", async (_what, method, path, sent, status) => {
    const pendingRequest = ask(method, path);
    const { body, headers } = await (sent === undefined ? pendingRequest : pendingRequest.send(sent)).expect(
      status,
    );
    expect(body).toEqual(failure(status));
    expect(headers["content-type"]).toMatch(/^application\/json/);
  });

  test("every answer names its request", async () => {
    const ids = await Promise.all(
      ["/interventii", "/nowhere"].map(async (path) => (await ask("get", path)).headers),
    );
    expect(new Set(ids.map((headers) => headers["x-request-id"])).size).toBe(2);
  });

  test.each(["//[", "//%00", "//@", "/..%2f", "/%", "/interventii/%00", "/?%"])(
    "the path %s is answered with that body, and never 500",
    async (path) => {
      const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
        httpRequest(
          { port, path, headers: { Authorization: `Bearer ${tokens.operator}` }, agent: false },
          (response) => {
            let text = "";
            response.on("data", (chunk: Buffer) => (text += chunk.toString()));
            response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
          },
        )
          .on("error", reject)
          .end();
      });
      expect([400, 404]).toContain(answer.status);
      expect(JSON.parse(answer.text)).toEqual(failure(answer.status));
    },
  );
});

describe("Z. other endpoints", () => {
  test.each(["/healthz", "/readyz", "/metrics"])("%s is not available over the network", async (path) => {
    expect([401, 404]).toContain((await request(site.app).get(path)).status);
    expect((await ask("get", path)).status).toBe(404);
  });

  test("/openapi.json requires a token", async () => {
    await request(site.app).get("/openapi.json").expect(401);
    expect((await ask("get", "/openapi.json").expect(200)).body.openapi).toBe("3.1.0");
  });
});

describe("Clock", () => {
  test("a clock step makes tokens invalid, and signing in works", async () => {
    const own = await TestApp.forTest();
    const token = await own.token();
    own.clock.stepWall(40 * 365 * 86_400_000);
    await request(own.app).get("/interventii").set("Authorization", `Bearer ${token}`).expect(401);
    await request(own.app)
      .get("/interventii")
      .set("Authorization", `Bearer ${await own.token()}`)
      .expect(200);
    own.clock.stepWall(-50 * 365 * 86_400_000);
    await request(own.app)
      .get("/interventii")
      .set("Authorization", `Bearer ${await own.token()}`)
      .expect(200);
  });
});
