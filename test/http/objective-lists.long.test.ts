import { request as ask } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Objective } from "../../src/domain/objective.ts";
import { PATROL, TEST_ACCOUNTS, TestApp, TESTER, testOfSite } from "../support/app.ts";
import { close, listen } from "../support/loopback.ts";

/* The lists of objectives that sites request every hour. */

const BUILDINGS = "obiective/cladiri";
const LIST = `/${BUILDINGS}?_start=0&_end=200`;
let centre: TestApp;
let server: Server;
let token: string;

beforeEach(async () => {
  centre = await TestApp.forTest();
  server = createServer(centre.served.classes, centre.app);
  await listen(server);
  token = await centre.token();
});
afterEach(async () => {
  server.closeAllConnections();
  await close(server);
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As received. */
  readonly raw: Buffer;
  /** Decompressed and parsed; undefined without a body. */
  readonly rows: Objective[];
}

function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  const { port } = server.address() as AddressInfo;
  const all = { Authorization: `Bearer ${token}`, ...headers };
  return new Promise((resolve, reject) => {
    ask({ port, path, method, headers: all, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const raw = Buffer.concat(chunks);
        const isPacked = response.headers["content-encoding"] === "gzip";
        const text = (isPacked && raw.length > 0 ? gunzipSync(raw) : raw).toString();
        const rows = (text === "" ? [] : JSON.parse(text)) as Objective[];
        resolve({ status: response.statusCode ?? 0, headers: response.headers, raw, rows });
      });
    })
      .on("error", reject)
      .end();
  });
}

const tagOf = async (path = LIST): Promise<string> => (await get(path)).headers.etag ?? "";
const idsOf = async (path = LIST): Promise<number[]> => (await get(path)).rows.map(({ id }) => id);
const halls = (count: number): Objective[] =>
  Array.from({ length: count }, (_, index) => ({ id: index + 11, name: `Hala ${index + 11}`, city: "Cluj" }));
const add = (...objectives: Objective[]): Promise<unknown> =>
  centre.importObjectives({ [BUILDINGS]: objectives }, "import");

describe("a list that the client has already", () => {
  test.each([
    ["the tag", (tag: string) => tag],
    ["the tag as a strong one", (tag: string) => tag.replace("W/", "")],
    ["several tags with that one among them", (tag: string) => `"other", ${tag}, W/"one, more"`],
    ["any tag", () => "*"],
  ])("is answered with 304 and without a body to %s", async (_what, known) => {
    const tag = await tagOf();
    expect(tag).toMatch(/^W\/"[\x21\x23-\x7e]+"$/);
    const { status, headers, raw } = await get(LIST, { "If-None-Match": known(tag) });
    expect([status, raw.length, headers.etag, headers["cache-control"]]).toEqual([304, 0, tag, "no-store"]);
    expect(headers["content-type"]).toBeUndefined();
  });

  test("is answered with 304 to HEAD too, and for each page by itself", async () => {
    const head = await get(LIST, { "If-None-Match": await tagOf() }, "HEAD");
    expect(head.status).toBe(304);
    const second = `/${BUILDINGS}?_start=2&_end=3`;
    expect((await get(second, { "If-None-Match": await tagOf(second) })).status).toBe(304);
  });

  test.each([`"another"`, `W/""`, "nonsense", `"unended`, ""])(
    "is returned in full for If-None-Match: %s",
    async (known) => {
      const { status, rows } = await get(LIST, { "If-None-Match": known });
      expect([status, rows.length]).toEqual([200, 3]);
    },
  );

  test("is still rejected for an invalid query, an invalid token and a viewer", async () => {
    const known = { "If-None-Match": await tagOf() };
    expect((await get(`/${BUILDINGS}?_start=x`, known)).status).toBe(400);
    expect((await get(`/${BUILDINGS}?_sort=nonsense`, known)).status).toBe(400);
    expect((await get(LIST, { ...known, Authorization: "Bearer x" })).status).toBe(401);
    const viewer = `Bearer ${await centre.token("viewer")}`;
    expect((await get(LIST, { ...known, Authorization: viewer })).status).toBe(403);
  });
});

describe("a list that has changed", () => {
  const changes: [string, () => unknown][] = [
    ["an objective was added", () => add({ id: 4, name: "Hall 4" })],
    ["an objective was renamed", () => add({ id: 3, name: "Hala Sud" })],
    ["one was removed", () => centre.run("DELETE FROM objectives WHERE id = 3")],
  ];
  test.each(changes)("is returned in full when %s", async (_what, change) => {
    const tag = await tagOf();
    await change();
    const { status, headers } = await get(LIST, { "If-None-Match": tag });
    expect(status).toBe(200);
    expect(headers.etag).not.toBe(tag);
  });

  testOfSite("is returned in full when the centre's own centre has described one", async () => {
    const tag = await tagOf();
    centre.database
      .prepare("INSERT INTO centre_objectives(kind, id, data) VALUES(?, 50, ?)")
      .run(BUILDINGS, JSON.stringify({ id: 50, name: "Hala Vest" }));
    expect((await get(LIST, { "If-None-Match": tag })).status).toBe(200);
  });

  test("has a new tag after it was changed and changed back", async () => {
    const before = await tagOf();
    await add({ id: 4, name: "Hall 4" });
    await centre.run("DELETE FROM objectives WHERE id = 4 AND kind = 'obiective/cladiri'");
    expect(await tagOf()).not.toBe(before);
  });

  test("does not change the tags of other types, nor do records and unchanged imports", async () => {
    const [assets, buildings] = [await tagOf("/obiective/bunuri"), await tagOf()];
    await centre.parts.records.create(PATROL, {
      accountId: 1,
      email: "a@b.c",
      role: "operator",
      from: "::1",
    });
    await centre.importObjectives({ [BUILDINGS]: [{ id: 1, name: "Hall 1", status: "active" }] }, "config");
    expect(await tagOf()).toBe(buildings);
    await add({ id: 4, name: "Hall 4" });
    expect(await tagOf("/obiective/bunuri")).toBe(assets);
  });
});

describe("a long list", () => {
  beforeEach(() => add(...halls(1_500)));

  test.each(["gzip", "deflate, gzip;q=0.5", "br, *"])(
    "is compressed for a client that accepts %s",
    async (accepted) => {
      const plain = await get(LIST);
      const packed = await get(LIST, { "Accept-Encoding": accepted });
      expect(packed.headers["content-encoding"]).toBe("gzip");
      expect(packed.raw.length).toBeLessThan(plain.raw.length / 3);
      expect(Number(packed.headers["content-length"])).toBe(packed.raw.length);
      expect(packed.rows).toEqual(plain.rows);
      expect(packed.headers.etag).toBe(plain.headers.etag);
      for (const name of ["x-total-count", "link", "vary"])
        expect(packed.headers[name]).toBe(plain.headers[name]);
      expect(packed.headers.vary).toMatch(/\bAccept-Encoding\b/);
    },
  );

  test.each(["identity", "gzip;q=0", "gzip; q=0.000, *", "br", "*;q=0", ""])(
    "is sent uncompressed to a client that accepts %s",
    async (accepted) => {
      const { headers, rows } = await get(LIST, { "Accept-Encoding": accepted });
      expect(headers["content-encoding"]).toBeUndefined();
      expect(headers.vary).toMatch(/\bAccept-Encoding\b/);
      expect(rows).toHaveLength(200);
    },
  );

  test("is compressed in its current version, also after earlier requests", async () => {
    const accepted = { "Accept-Encoding": "gzip" };
    for (let time = 0; time < 3; time += 1) await get(LIST, accepted);
    await add({ id: 1, name: "Hala Sud" });
    expect((await get(LIST, accepted)).rows[0]).toMatchObject({ id: 1, name: "Hala Sud" });
    const next = `/${BUILDINGS}?_start=200&_end=400`;
    expect((await get(next, accepted)).rows[0]?.id).toBe((await get(next)).rows[0]?.id);
  });

  // Over PostgreSQL they may wait too long for one of its eight connections, and get 503.
  testOfSite("is the same for fifty concurrent requests", async () => {
    const paths = Array.from({ length: 50 }, (_, index) => `/${BUILDINGS}?_start=${(index % 5) * 200}`);
    const answers = await Promise.all(paths.map((path) => get(path, { "Accept-Encoding": "gzip" })));
    const plain = await Promise.all(paths.map((path) => get(path)));
    expect(answers.map(({ rows }) => rows)).toEqual(plain.map(({ rows }) => rows));
  });
});

test("a list of three is too short for compression", async () => {
  const { headers } = await get("/obiective/bunuri", { "Accept-Encoding": "gzip" });
  expect(headers["content-encoding"]).toBeUndefined();
});

describe("an account of a site that is restricted to its objectives", () => {
  const bind = (...objectives: { type: typeof BUILDINGS; id: number }[]): Promise<void> =>
    centre.parts.accounts.setObjectives(TEST_ACCOUNTS.operator, objectives, TESTER);

  test("can read these and no others, in the lists and by their ids", async () => {
    await add(...halls(300));
    await bind({ type: BUILDINGS, id: 2 }, { type: BUILDINGS, id: 60 }, { type: BUILDINGS, id: 9_999 });
    token = await centre.token();
    const { rows, headers } = await get(LIST);
    expect(rows.map(({ id }) => id)).toEqual([2, 60]);
    expect(headers["x-total-count"]).toBe("2");
    expect(headers.link).toBeUndefined();
    expect(await idsOf(`/${BUILDINGS}?_sort=name`)).toEqual([60, 2]);
    expect(await idsOf(`/${BUILDINGS}?id=1&id=2`)).toEqual([2]);
    expect(await idsOf(`/${BUILDINGS}?_start=1&_end=2`)).toEqual([60]);
    expect(await idsOf("/obiective/bunuri")).toEqual([]);
    expect((await get(`/${BUILDINGS}/60`)).status).toBe(200);
    expect((await get(`/${BUILDINGS}/1`)).status).toBe(404);
  });

  test("gets another tag than an unrestricted one, and a new one after a change of its objectives", async () => {
    const all = await tagOf();
    await bind({ type: BUILDINGS, id: 2 });
    token = await centre.token();
    const own = await tagOf();
    expect(own).not.toBe(all);
    expect((await get(LIST, { "If-None-Match": all })).status).toBe(200);
    expect((await get(LIST, { "If-None-Match": own })).status).toBe(304);
    await bind({ type: BUILDINGS, id: 3 });
    token = await centre.token();
    expect((await get(LIST, { "If-None-Match": own })).rows.map(({ id }) => id)).toEqual([3]);
  });

  test("can create records at any objective: a list never prevents an alarm", async () => {
    await bind({ type: BUILDINGS, id: 2 });
    token = await centre.token();
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/interventii`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(PATROL),
    });
    expect(answer.status).toBe(201);
  });

  test("can read nothing when restricted to nothing, and everything when no longer restricted", async () => {
    await bind();
    token = await centre.token();
    expect(await idsOf()).toEqual([]);
    await centre.parts.accounts.setObjectives(TEST_ACCOUNTS.operator, undefined, TESTER);
    token = await centre.token();
    expect(await idsOf()).toEqual([1, 2, 3]);
    expect(await centre.newestEvents(9)).toContainEqual(
      expect.objectContaining({
        event: "account-role-changed",
        subject: `account ${TEST_ACCOUNTS.operator}`,
        detail: { objectives: "all" },
      }),
    );
  });

  test("loses its tokens at the change", async () => {
    await bind({ type: BUILDINGS, id: 2 });
    expect((await get(LIST)).status).toBe(401);
  });
});
