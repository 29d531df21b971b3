import { gzipSync } from "node:zlib";
import { connect } from "node:net";
import request from "supertest";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { TestApp, testOfSite } from "../support/app.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { ServedApp } from "../support/served-app.ts";

let site: TestApp;
let token: string;
beforeAll(async () => {
  site = await TestApp.make();
  token = await site.token();
});
afterAll(() => site.close());

const post = (path = "/interventii") => request(site.app).post(path).set("Authorization", `Bearer ${token}`);
const MINIMAL = { name: "n", objectiveType: "obiective/cladiri", objectiveId: 1 };

function expectShape(answer: request.Response, status: number): void {
  expect(answer.status).toBe(status);
  expect(answer.headers["content-type"]).toMatch(/^application\/json/);
  expect(Object.keys(answer.body).sort((a, b) => a.localeCompare(b))).toEqual([
    "error",
    "message",
    "statusCode",
  ]);
  expect(answer.body).toEqual({ error: expect.any(String), message: expect.any(String), statusCode: status });
}

describe("an invalid body gets the error body", () => {
  const raw = (text: string | Buffer, type = "application/json") =>
    post().set("Content-Type", type).send(text);

  test.each([
    ["malformed JSON", '{"name":', 400],
    ["a word", "hello", 400],
    ["a number", "5", 400],
    ["null", "null", 400],
    ["a list", "[]", 400],
    ["a text", '"x"', 400],
    ["an empty object", "{}", 400],
    ["JSON forty thousand levels deep", `${"[".repeat(40_000)}${"]".repeat(40_000)}`, 400],
    [
      "a deep value in an ignored field",
      `{"name":"n","objectiveType":"obiective/cladiri","objectiveId":1,"invoicePdf":${"[".repeat(40_000)}${"]".repeat(40_000)},"crews":0}`,
      400,
    ],
  ])("%s", async (_what, text, status) => {
    expectShape(await raw(text), status);
  });

  test.each(["post", "put", "patch"] as const)("more than 64 levels of nesting with %s", async (method) => {
    const path = method === "post" ? "/interventii" : "/interventii/1";
    const nested = (levels: number) =>
      request(site.app)
        [method](path)
        .set("Authorization", `Bearer ${token}`)
        .set("Content-Type", "application/json")
        .send(`{"invoicePdf":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`);
    const answer = await nested(65);
    expectShape(answer, 400);
    expect(answer.text).toContain("nests deeper than 64 levels");
    expect((await nested(64)).text).not.toContain("nests deeper");
  });

  test("no body at all", async () => {
    expectShape(await post(), 400);
    expectShape(await request(site.app).put("/interventii/1").set("Authorization", `Bearer ${token}`), 400);
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/jsonp",
    "application/json; charset=latin1",
    "application/json; charset=utf-16",
    "",
  ])("the media type %j", async (type) => {
    expectShape(await raw(JSON.stringify(MINIMAL), type), 415);
  });

  test("an unsupported encoding", async () => {
    expectShape(
      await post().set("Content-Encoding", "compress").set("Content-Type", "application/json").send("{}"),
      415,
    );
  });

  test("broken UTF-8", async () => {
    const bytes = Buffer.from(JSON.stringify({ ...MINIMAL, name: "a?b" }));
    bytes[bytes.indexOf("?")] = 0xff;
    const answer = await post()
      .set("Content-Type", "application/json")
      .serialize((body) => body as unknown as string)
      .send(bytes);
    expectShape(answer, 400);
  });

  test("one that is too large, also when compressed", async () => {
    const large = JSON.stringify({ ...MINIMAL, notes: "x".repeat(200_000) });
    expectShape(await raw(large), 413);
    const packed = gzipSync(large);
    expect(packed.length).toBeLessThan(1000);
    const answer = await post()
      .set("Content-Type", "application/json")
      .set("Content-Encoding", "gzip")
      .serialize((body) => body as unknown as string)
      .send(packed);
    expectShape(answer, 413);
  });

  test("and nothing is stored", async () => {
    expect(await site.run("SELECT id FROM interventions")).toEqual([]);
  });
});

describe("with less than 16 MB of free disk space", () => {
  let full: TestApp;
  let user: string;
  beforeAll(async () => {
    full = await TestApp.make();
    user = await full.token();
  });
  afterAll(() => full.close());
  const create = (fields: object, bearer = user) =>
    request(full.app)
      .post("/interventii")
      .set("Authorization", `Bearer ${bearer}`)
      .send({ ...MINIMAL, ...fields });
  const known = (): number => full.records().length;
  afterEach(() => {
    full.isDiskFull = false;
  });

  testOfSite.each([{ priority: "low" }, { priority: "medium" }, {}])(
    "a new record with %j gets 503, and is stored when there is space again",
    async (fields) => {
      const before = known();
      full.isDiskFull = true;
      const answer = await create(fields).set("Idempotency-Key", '"minor"');
      expectShape(answer, 503);
      expect(answer.body.message).toMatch(/disk.*nearly full.*high priority.*Free space/);
      expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
      expect(known()).toBe(before);
      full.isDiskFull = false;
      expect((await create(fields)).status).toBe(201);
    },
  );

  test("an alarm is stored, and so is every trip of a zone", async () => {
    full.isDiskFull = true;
    expect((await create({ priority: "high" })).status).toBe(201);
    const device = await full.tokens.deviceToken();
    for (const priority of ["low", "medium", "high"])
      expect((await create({ priority }, device).set("Idempotency-Key", `"trip-${priority}"`)).status).toBe(
        201,
      );
  });

  test("records can be read, changed and deleted, and a repeated request gets its first response", async () => {
    const made = await create({ priority: "low" }).set("Idempotency-Key", '"known"');
    full.isDiskFull = true;
    const again = await create({ priority: "low" }).set("Idempotency-Key", '"known"');
    expect([again.status, again.body]).toEqual([201, made.body]);
    const one = (method: "get" | "put" | "delete") =>
      request(full.app)[method](`/interventii/${made.body.id}`).set("Authorization", `Bearer ${user}`);
    expect((await one("get")).status).toBe(200);
    expect((await one("put").send({ status: "done" })).status).toBe(200);
    expect((await one("delete")).status).toBe(204);
  });
});

describe("an unknown path or method gets the error body", () => {
  test.each([
    "/",
    "/nothing",
    "/interventii/1/2",
    "/INTERVENTII",
    "/obiective",
    "/auth",
    "/%E0%A4%A",
    "//",
    "//[",
    "/healthz",
    "/readyz",
  ])("GET %s", async (path) => {
    const answer = await request(site.app).get(path).set("Authorization", `Bearer ${token}`);
    expect([400, 404]).toContain(answer.status);
    expectShape(answer, answer.status);
  });

  test.each([
    ["put", "/interventii", "GET, HEAD, POST, OPTIONS"],
    ["delete", "/interventii", "GET, HEAD, POST, OPTIONS"],
    ["post", "/interventii/1", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"],
    ["post", "/obiective/cladiri", "GET, HEAD, OPTIONS"],
    ["delete", "/obiective/cladiri/1", "GET, HEAD, OPTIONS"],
    ["get", "/auth/token", "POST, OPTIONS"],
    ["delete", "/site/status", "GET, HEAD, OPTIONS"],
  ] as const)("%s %s is 405 and lists the allowed methods", async (method, path, allow) => {
    const answer = await request(site.app)
      [method](path)
      .set("Authorization", `Bearer ${token}`)
      .send(method === "delete" || method === "get" ? undefined : {});
    expectShape(answer, 405);
    expect(answer.headers["allow"]).toBe(allow);
  });

  test("a method cannot be overridden", async () => {
    expectShape(await post("/interventii/1").set("X-HTTP-Method-Override", "DELETE").send({}), 405);
  });
});

test("HEAD responds like GET without the body, OPTIONS without a token", async () => {
  const head = await request(site.app)
    .head("/interventii")
    .set("Authorization", `Bearer ${token}`)
    .expect(200);
  expect(head.headers["x-total-count"]).toBe("0");
  expect(head.text).toBeUndefined();
  const options = await request(site.app).options("/interventii/1").expect(204);
  expect(options.headers["allow"]).toBe("GET, HEAD, PUT, PATCH, DELETE, OPTIONS");
});

describe("a host name of another machine", () => {
  const called = (name: string, app = site.app) =>
    request(app).get("/interventii").set("Host", name).set("Authorization", `Bearer ${token}`);

  test.each([
    "evil.example",
    "evil.example:8080",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "x.local.evil.example",
    "",
  ])("%j is rejected", async (name) => {
    expectShape(await called(name), 400);
  });

  test.each([
    "127.0.0.1:8080",
    "192.168.1.7",
    "[::1]:8080",
    "localhost",
    "LOCALHOST:1",
    "santinela.local",
    "pi.local:8080",
  ])("%j is accepted", async (name) => {
    await called(name).expect(200);
  });

  test("is accepted once it is configured", async () => {
    const named = await TestApp.forTest({ hosts: ["Alarm.Example.ro"] });
    const authorization = `Bearer ${await named.token()}`;
    await request(named.app)
      .get("/interventii")
      .set("Host", "alarm.example.ro:80")
      .set("Authorization", authorization)
      .expect(200);
  });
});

test("every response forbids sniffing, framing and caching, and names no product", async () => {
  for (const path of ["/interventii", "/nothing"]) {
    const { headers } = await request(site.app).get(path).set("Authorization", `Bearer ${token}`);
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(headers["x-powered-by"]).toBeUndefined();
  }
});

test("an internal error is a plain 500 for the client and a stack trace in the log", async () => {
  const broken = await TestApp.forTest();
  const authorization = `Bearer ${await broken.token()}`;
  await broken.run("ALTER TABLE interventions RENAME TO elsewhere");
  const answer = await request(broken.app).get("/interventii").set("Authorization", authorization);
  expectShape(answer, 500);
  expect(answer.body.message).not.toMatch(/SQL|table|interventions/);
  expect(broken.logLines.join("")).toMatch(/request-failed.*(no such table|does not exist)/);
});

describe("on a raw connection", () => {
  let served: ServedApp;
  beforeAll(async () => {
    served = await new ServedApp(site).start();
  });
  afterAll(() => served.stop());

  const raw = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let answer = "";
      const socket = connect(served.server.address.port, "127.0.0.1", () => socket.write(text));
      socket.on("data", (chunk) => (answer += chunk.toString()));
      socket.on("close", () => resolve(answer));
      socket.on("error", reject);
    });

  test.each([
    ["nonsense", "nonsense\r\n\r\n", 400],
    [
      "a length twice",
      "POST /interventii HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
      400,
    ],
    [
      "a length and chunks",
      "POST /interventii HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    [
      "a broken chunk",
      "POST /auth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
      400,
    ],
    ["headers without end", `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"a".repeat(40_000)}\r\n\r\n`, 431],
  ])("%s gets the error body", async (_what, text, status) => {
    const answer = await raw(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({
      statusCode: status,
      message: expect.any(String),
    });
  });

  const GET = "GET /interventii HTTP/1.1\r\nHost: localhost\r\n\r\n";

  test.each([
    ["nonsense", "nonsense\r\n\r\n", 400],
    ["headers without end", `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"a".repeat(40_000)}\r\n\r\n`, 431],
    [
      "a broken chunk",
      "POST /auth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
      400,
    ],
  ])("%s after an earlier request on the connection gets the error body too", async (_what, text, status) => {
    let answer = "";
    const socket = connect(served.server.address.port, "127.0.0.1");
    socket.on("data", (chunk) => (answer += chunk.toString()));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(GET);
    await eventually("the first response", () => answer.endsWith("}"));
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
    answer = "";
    socket.write(text);
    await closed;
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ statusCode: status });
  });

  const EARLY = "POST /interventii HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  const EXPECTING = `${EARLY}Expect: nonsense\r\nTransfer-Encoding: chunked\r\n\r\n`;

  test.each([
    ["a broken end", EXPECTING, "nonsense\r\n", [417]],
    ["an end and nonsense behind it", EXPECTING, "0\r\n\r\nnonsense\r\n\r\n", [417, 400]],
    [
      "its body and nonsense behind it",
      `${EARLY}Content-Length: 3\r\n\r\n{`,
      "}\nnonsense\r\n\r\n",
      [401, 400],
    ],
  ])("one that is answered early gets no second response, with %s", async (_what, begin, rest, statuses) => {
    let answer = "";
    const socket = connect(served.server.address.port, "127.0.0.1");
    socket.on("data", (chunk) => (answer += chunk.toString()));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(begin);
    await eventually("the response", () => answer.endsWith("}"));
    socket.write(rest);
    await closed;
    expect(Array.from(answer.matchAll(/HTTP\/1.1 (\d+)/g), ([, status]) => Number(status))).toEqual(statuses);
  });

  test("nonsense right behind a request is not taken for its response", async () => {
    const answer = await raw(`${GET}nonsense\r\n\r\n`);
    expect(answer).not.toMatch(/^HTTP\/1.1 400 /);
  });

  test("an address with letters that are not encoded gets the remedy", async () => {
    const answer = await raw("GET /interventii?q=Ștefan HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({
      statusCode: 400,
      message: expect.stringContaining("must be percent-encoded"),
    });
  });

  test("headers that are too large are named in the answer", async () => {
    const answer = await raw(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"a".repeat(40_000)}\r\n\r\n`);
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({
      statusCode: 431,
      message: "the request headers are too large",
    });
  });

  test("the control socket requires no token, and the network API still does", async () => {
    const statusOf = async (path: string): Promise<number> =>
      (await askDaemon(served.folder, "GET", path)).status;
    expect(await statusOf("/interventii")).toBe(200);
    expect(await statusOf("/healthz")).toBe(200);
    expect(await statusOf("/readyz")).toBe(200);
    expect((await fetch(`http://127.0.0.1:${served.server.loopbackPort}/interventii`)).status).toBe(401);
    expect((await fetch(`http://127.0.0.1:${served.server.loopbackPort}/healthz`)).status).toBe(404);
  });
});
