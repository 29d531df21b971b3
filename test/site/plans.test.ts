import request from "supertest";
import { beforeEach, expect, test } from "vitest";
import type { PlanView } from "../../src/site/plan-view.ts";
import { TEST_ACCOUNTS, TestApp } from "../support/app.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const JPEG = Buffer.from("ffd8ffe000104a464946", "hex");
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');

let site: TestApp;
let tokens: Readonly<Record<keyof typeof TEST_ACCOUNTS, string>>;
beforeEach(async () => {
  site = await TestApp.forTest();
  tokens = await site.tokenOfEach();
});

type Method = "get" | "post" | "put" | "delete";

function ask(method: Method, path: string, role: keyof typeof TEST_ACCOUNTS = "administrator"): request.Test {
  return request(site.app)[method](path).set("Authorization", `Bearer ${tokens[role]}`);
}

function send(method: "post" | "put", path: string, picture: Buffer): request.Test {
  return ask(method, path).set("Content-Type", "application/octet-stream").send(picture);
}

async function added(name = "Ground floor"): Promise<PlanView> {
  const { status, body } = await send("post", `/site/plans?name=${encodeURIComponent(name)}`, PNG);
  expect(status).toBe(201);
  return (body as PlanView[]).at(-1) as PlanView;
}

test("a plan keeps its picture, its name and the places of its zones", async () => {
  const { id } = await added("Parter");
  const pins = [{ zone: "smoke", x: 12.5, y: 100 }];
  const { status, body } = await ask("put", `/site/plans/${id}`).send({ pins });
  expect(status).toBe(200);
  expect(body).toMatchObject([{ id, name: "Parter", type: "image/png", pins }]);
  const renamed = await ask("put", `/site/plans/${id}`).send({ name: "Ground floor" });
  expect(renamed.body).toMatchObject([{ name: "Ground floor", pins }]);
  expect((await ask("get", "/site/plans", "viewer")).body).toEqual(renamed.body);
  expect((await ask("get", `/site/plans/${id}/picture`, "viewer")).body).toEqual(PNG);
});

test("a picture is served as a picture and nothing else, for signed-in users", async () => {
  const { id } = await added();
  const { headers } = await ask("get", `/site/plans/${id}/picture`, "viewer");
  expect(headers).toMatchObject({
    "content-type": "image/png",
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
  });
  expect((await request(site.app).get(`/site/plans/${id}/picture`)).status).toBe(401);
});

test("a new picture keeps the places", async () => {
  const { id } = await added();
  const pins = [{ zone: "smoke", x: 1, y: 2 }];
  await ask("put", `/site/plans/${id}`).send({ pins });
  const { body } = await send("put", `/site/plans/${id}/picture`, JPEG);
  expect(body).toMatchObject([{ id, type: "image/jpeg", pins }]);
  expect((await ask("get", `/site/plans/${id}/picture`)).body).toEqual(JPEG);
});

test.each([
  ["SVG, which may have scripts", SVG],
  ["an empty file", Buffer.alloc(0)],
])("%s is refused", async (_what, picture) => {
  const { status } = await send("post", "/site/plans?name=Parter", picture);
  expect(status).toBe(415);
  expect((await ask("get", "/site/plans")).body).toEqual([]);
});

test("a picture of more than 2 MB is refused", async () => {
  const large = Buffer.concat([PNG, Buffer.alloc(2 * 1024 * 1024)]);
  expect((await send("post", "/site/plans?name=Parter", large)).status).toBe(413);
});

test.each([
  { pins: [{ zone: "smoke", x: 101, y: 0 }] },
  { pins: [{ zone: "smoke", x: 0 }] },
  {
    pins: [
      { zone: "smoke", x: 0, y: 0 },
      { zone: "smoke", x: 1, y: 1 },
    ],
  },
  { pins: Array.from({ length: 501 }, (_, zone) => ({ zone: String(zone), x: 0, y: 0 })) },
  { name: " " },
  { name: "two\nlines" },
  { name: "x".repeat(41) },
])("an invalid change is refused and changes nothing: %j", async (change) => {
  const { id } = await added();
  expect((await ask("put", `/site/plans/${id}`).send(change)).status).toBe(400);
  expect((await ask("get", "/site/plans")).body).toMatchObject([{ name: "Ground floor", pins: [] }]);
});

test("there are at most twelve plans, and a removed one makes room", async () => {
  const first = await added();
  for (let floor = 1; floor < 12; floor += 1) await added(`Floor ${floor}`);
  expect((await send("post", "/site/plans?name=Roof", PNG)).status).toBe(409);
  const { body } = await ask("delete", `/site/plans/${first.id}`);
  expect(body).toHaveLength(11);
  expect((await ask("get", `/site/plans/${first.id}/picture`)).status).toBe(404);
  await added("Roof");
});

test("only administrators change plans, and the event log names them", async () => {
  const { id } = await added("Parter");
  for (const role of ["viewer", "operator"] as const) {
    expect((await ask("post", "/site/plans?name=x", role)).status).toBe(403);
    expect((await ask("put", `/site/plans/${id}`, role).send({ name: "x" })).status).toBe(403);
    expect((await ask("put", `/site/plans/${id}/picture`, role)).status).toBe(403);
    expect((await ask("delete", `/site/plans/${id}`, role)).status).toBe(403);
  }
  const event = site.events.newest(20).find((one) => one.event === "plan-changed");
  expect(event).toMatchObject({
    who: TEST_ACCOUNTS.administrator,
    subject: "plan Parter",
    detail: { change: "added" },
  });
});

test.each(["0", "7", "x"])("plan %s does not exist", async (id) => {
  expect((await ask("put", `/site/plans/${id}`).send({ name: "x" })).status).toBe(404);
  expect((await send("put", `/site/plans/${id}/picture`, PNG)).status).toBe(404);
  expect((await ask("delete", `/site/plans/${id}`)).status).toBe(404);
});

test("two administrators do not overwrite each other's places: the older version is refused, and nothing changes", async () => {
  const { id, etag } = await added("Parter");
  const first = [{ zone: "smoke", x: 1, y: 2 }];
  const change = (ifMatch: string, pins: object[]) =>
    ask("put", `/site/plans/${id}`).set("If-Match", ifMatch).send({ pins });
  const saved = await change(etag, first);
  expect(saved.status).toBe(200);
  const [now] = saved.body as PlanView[];
  expect(now?.etag).not.toBe(etag);

  const refused = await change(etag, []);
  expect(refused.status).toBe(412);
  expect(refused.body).toMatchObject({
    message: expect.stringMatching(/has changed since it was read/) as string,
  });
  const picture = await send("put", `/site/plans/${id}/picture`, JPEG).set("If-Match", etag);
  const removed = await ask("delete", `/site/plans/${id}`).set("If-Match", etag);
  expect([picture.status, removed.status]).toEqual([412, 412]);
  expect((await ask("get", "/site/plans")).body).toEqual([now]);

  const replaced = await send("put", `/site/plans/${id}/picture`, JPEG).set("If-Match", now?.etag ?? "");
  expect(replaced.body).toMatchObject([{ type: "image/jpeg", pins: first }]);
  // A client without a version, and one that asks for any, change it as before.
  expect((await change("*", [])).status).toBe(200);
  expect((await ask("delete", `/site/plans/${id}`)).status).toBe(200);
});
