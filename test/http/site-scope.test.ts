import request from "supertest";
import { beforeEach, describe, expect, test } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import type { SiteView } from "../../src/generated/types.ts";
import { PATROL, TESTER, TestApp } from "../support/app.ts";
import { enrolled, SITE_PASSWORD } from "../support/enrolled-site.ts";
import { REPORT } from "../support/fleet.ts";

/* The account of the site hala-nord at a dispatch centre: building 1 and truck 2 are its own, everything else is not. */

let centre: TestApp;
/** Token of the site, of a second site, and of a dispatcher. */
let site: string;
let other: string;
let dispatcher: string;
let own: Intervention;
let truck: Intervention;
let foreign: Intervention;

beforeEach(async () => {
  centre = await TestApp.forTest();
  site = await enrolled(centre, "hala-nord", ["obiective/cladiri/1", "obiective/bunuri/2"]);
  other = await enrolled(centre, "hala-sud", ["obiective/cladiri/2"]);
  dispatcher = await centre.token();
  own = await added(PATROL);
  truck = await added({ ...PATROL, name: "Truck", objectiveType: "obiective/bunuri", objectiveId: 2 });
  // The id of an own objective, in another list.
  foreign = await added({ ...PATROL, name: "Secret", objectiveType: "obiective/bunuri", objectiveId: 1 });
});

type Method = "get" | "post" | "put" | "patch" | "delete" | "head";

function ask(method: Method, path: string, token = site) {
  return request(centre.app)[method](path).set("Authorization", `Bearer ${token}`);
}

async function added(body: object, token = dispatcher): Promise<Intervention> {
  return (await ask("post", "/interventii", token).send(body).expect(201)).body as Intervention;
}

async function ids(query: string, token = site): Promise<{ ids: number[]; total: string | undefined }> {
  const { body, headers } = await ask("get", `/interventii${query}`, token).expect(200);
  return { ids: (body as Intervention[]).map(({ id }) => id), total: headers["x-total-count"] };
}

const NOWHERE = 999_999;

/** Expects that a request about a record of others gets what one about no record gets. */
async function expectAsMissing(method: Method, body?: object, headers: Record<string, string> = {}) {
  const [hidden, missing] = await Promise.all(
    [foreign.id, NOWHERE].map(async (id) => {
      const asked = ask(method, `/interventii/${id}`).set(headers);
      const { status, body: told, headers: sent } = await (body ? asked.send(body) : asked);
      return { status, told: JSON.stringify(told).replaceAll(String(id), "ID"), etag: sent["etag"] };
    }),
  );
  expect(hidden).toEqual(missing);
  expect(hidden?.status).toBe(404);
}

describe("records of others", () => {
  test("are in no list and no total, whatever is asked for", async () => {
    expect(await ids("")).toEqual({ ids: [own.id, truck.id], total: "2" });
    expect(await ids("?_start=1&_end=2")).toEqual({ ids: [truck.id], total: "2" });
    expect(await ids("?status=planned")).toEqual({ ids: [own.id, truck.id], total: "2" });
    expect(await ids(`?id=${foreign.id}`)).toEqual({ ids: [], total: "0" });
    expect(await ids("?q=secret")).toEqual({ ids: [], total: "0" });
    expect(await ids("?objectiveType=obiective/bunuri&objectiveId=1")).toEqual({ ids: [], total: "0" });
    expect(await ids("?_sort=name&_order=DESC&objectiveId=1&objectiveId=2")).toEqual({
      ids: [truck.id, own.id],
      total: "2",
    });
    // The newest id is that of the newest own record, which the search after a lost response starts from.
    expect(await ids("?_sort=id&_order=DESC&_start=0&_end=1")).toEqual({ ids: [truck.id], total: "2" });
    expect((await ids("", other)).total).toBe("0");
    expect((await ids("", dispatcher)).total).toBe("3");
  });

  test("that were deleted look as if they had never existed, and own ones as deleted", async () => {
    for (const { id } of [own, foreign]) await ask("delete", `/interventii/${id}`, dispatcher).expect(204);
    const codeFor = async (method: Method, id: number, token: string): Promise<unknown> =>
      (await ask(method, `/interventii/${id}`, token).expect(404)).headers["x-error-code"];
    await expectAsMissing("get");
    for (const method of ["get", "delete"] as const) {
      expect(await codeFor(method, foreign.id, site)).toBe("not-found");
      expect(await codeFor(method, own.id, other)).toBe("not-found");
      expect(await codeFor(method, own.id, site)).toBe("deleted");
      expect(await codeFor(method, NOWHERE, dispatcher)).toBe("not-found");
      expect(await codeFor(method, foreign.id, dispatcher)).toBe("deleted");
    }
  });

  test("can be neither read, changed nor deleted, and look as if they did not exist", async () => {
    await expectAsMissing("get");
    await expectAsMissing("put", { name: "Mine now" });
    await expectAsMissing("put", { name: "Mine now" }, { "If-Match": '"1"' });
    await expectAsMissing("put", { name: 5, objectiveId: "x" });
    await expectAsMissing("put", { objectiveType: "obiective/cladiri", objectiveId: 1 });
    await expectAsMissing("delete");
    await expectAsMissing("delete", undefined, { "If-Match": '"1"', Prefer: "return=representation" });
    const { status } = await ask("patch", `/interventii/${foreign.id}`).send({ name: "Mine now" });
    expect(status).toBe((await ask("patch", `/interventii/${NOWHERE}`).send({ name: "Mine now" })).status);
    expect((await ask("head", `/interventii/${foreign.id}`)).status).toBe(404);
    const { body } = await ask("get", `/interventii/${foreign.id}`, dispatcher).expect(200);
    expect(body).toEqual(foreign);
  });

  test("are not answered for their key, and a key of the site stays its own", async () => {
    const key = "3b9a2f60-0000-4000-8000-000000000001";
    const keyed = (token: string, body: object) =>
      ask("post", "/interventii", token).set("Idempotency-Key", key).send(body);
    const { body: first } = await keyed(dispatcher, { ...PATROL, objectiveId: 3 }).expect(201);
    const { body: mine, headers } = await keyed(site, PATROL).expect(201);
    expect(mine.id).not.toBe(first.id);
    expect(headers["idempotency-replayed"]).toBeUndefined();
    const again = await keyed(site, PATROL).expect(201);
    expect(again.body).toEqual(mine);
    expect(again.headers["idempotency-replayed"]).toBe("true");
    await keyed(other, PATROL).expect(404);
  });
});

describe("the site's own records", () => {
  test("are created, read, changed and deleted as by any other account", async () => {
    const { body, headers } = await ask("get", `/interventii/${own.id}`).expect(200);
    expect(body).toEqual(own);
    const ifMatch = headers["etag"] ?? "";
    await ask("put", `/interventii/${own.id}`).set("If-Match", ifMatch).send({ notes: "Seen" }).expect(200);
    await ask("put", `/interventii/${own.id}`).set("If-Match", ifMatch).send({ notes: "No" }).expect(412);
    const mine = await added({ ...PATROL, name: "Mine" }, site);
    await ask("delete", `/interventii/${mine.id}`).expect(204);
    expect(await ids("")).toMatchObject({ total: "2" });
  });

  test("cannot be put at an objective of others, which looks as if it did not exist", async () => {
    const missing = { objectiveType: "obiective/bunuri", objectiveId: 4_000 };
    const hidden = { objectiveType: "obiective/bunuri", objectiveId: 1 };
    const told = async (method: "post" | "put", path: string, at: { objectiveId: number }) => {
      const { status, body } = await ask(method, path).send({ ...PATROL, ...at });
      return [status, JSON.stringify(body).replace(` ${at.objectiveId} `, " ID ")];
    };
    for (const [method, path] of [
      ["post", "/interventii"],
      ["put", `/interventii/${own.id}`],
    ] as const) {
      const [seen, expected] = [await told(method, path, hidden), await told(method, path, missing)];
      expect(seen).toEqual(expected);
      expect(seen[0]).toBe(404);
    }
    // An invalid body is still explained.
    await ask("put", `/interventii/${own.id}`).send({ objectiveId: "1" }).expect(400);
    await ask("put", `/interventii/${own.id}`).send({ objectiveType: "obiective/bunuri" }).expect(400);
    await ask("put", `/interventii/${own.id}`).send([]).expect(400);
    await ask("put", `/interventii/${own.id}`)
      .send({ objectiveType: "obiective/bunuri", objectiveId: 2 })
      .expect(200);
    expect(await ids("", dispatcher)).toMatchObject({ total: "3" });
  });

  test("that a dispatcher moves to another objective stay its own, so that its sync does not take them for deleted", async () => {
    const mine = await added({ ...PATROL, name: "Mine" }, site);
    await ask("put", `/interventii/${mine.id}`, dispatcher).send({ objectiveId: 3 }).expect(200);
    expect(await ids("?_sort=id")).toEqual({ ids: [own.id, truck.id, mine.id], total: "3" });
    expect(await ids("?objectiveId=3")).toEqual({ ids: [mine.id], total: "1" });
    expect(await ids("", other)).toEqual({ ids: [], total: "0" });
    await ask("get", `/interventii/${mine.id}`).expect(200);
    await ask("put", `/interventii/${mine.id}`).send({ notes: "Crew has left" }).expect(200);
    await ask("get", `/interventii/${mine.id}`, other).expect(404);
  });
});

test("objectives of others are in no list and no total, and do not exist", async () => {
  for (const [list, listed] of [
    ["cladiri", [1]],
    ["bunuri", [2]],
    ["persoane", []],
  ] as const) {
    const { body, headers } = await ask("get", `/obiective/${list}`).expect(200);
    expect((body as { id: number }[]).map(({ id }) => id)).toEqual(listed);
    expect(headers["x-total-count"]).toBe(String(listed.length));
  }
  await ask("get", "/obiective/cladiri/1").expect(200);
  const [hidden, missing] = await Promise.all(
    [3, NOWHERE].map((id) => ask("get", `/obiective/cladiri/${id}`).expect(404)),
  );
  expect(hidden?.body.code).toBe(missing?.body.code);
  await ask("get", "/obiective/bunuri/1").expect(404);
  // An answer kept for one account is not given to another.
  const { headers } = await ask("get", "/obiective/cladiri", other).expect(200);
  await ask("get", "/obiective/cladiri")
    .set("If-None-Match", headers["etag"] ?? "")
    .expect(200);
});

test("a site reports for itself only, and sees no other site", async () => {
  await ask("post", "/site-reports").send(REPORT).expect(204);
  await ask("post", "/site-reports")
    .send({ ...REPORT, ref: "hala-sud" })
    .expect(403);
  await ask("post", "/site-reports", other)
    .send({ ...REPORT, ref: "hala-sud", objective: "obiective/cladiri/1" })
    .expect(204);
  const all = (await ask("get", "/sites", dispatcher).expect(200)).body as SiteView[];
  const [north, south] = ["hala-nord", "hala-sud"].map((ref) => all.find(({ report }) => report.ref === ref));
  // Its silence must not send a crew to the objective of another.
  expect(south?.report.objective).not.toBe("obiective/cladiri/1");
  const { body, headers } = await ask("get", "/sites").expect(200);
  expect((body as SiteView[]).map(({ id }) => id)).toEqual([north?.id]);
  expect(headers["x-total-count"]).toBe("1");
  await ask("get", `/sites/${north?.id}`).expect(200);
  const [hidden, missing] = await Promise.all(
    [south?.id, NOWHERE].map((id) => ask("get", `/sites/${id}`).expect(404)),
  );
  expect(JSON.stringify(hidden?.body).replace(String(south?.id), "ID")).toBe(
    JSON.stringify(missing?.body).replace(String(NOWHERE), "ID"),
  );
  await ask("delete", `/sites/${south?.id}`).expect(403);
});

test("an account of no site reports for no enrolled one, also after its access was revoked", async () => {
  const refused = () => ask("post", "/site-reports", dispatcher).send(REPORT).expect(403);
  expect((await refused()).body).toMatchObject({
    message: expect.stringContaining("account of the site") as string,
  });
  // A site that was never enrolled reports with an ordinary account.
  await ask("post", "/site-reports", dispatcher)
    .send({ ...REPORT, ref: "hala-est" })
    .expect(204);
  const administrator = await centre.token("administrator");
  await ask("delete", "/enrolments/hala-nord", administrator);
  await refused();
  const sites = (await ask("get", "/sites", dispatcher)).body as SiteView[];
  expect(sites.map(({ report }) => report.ref)).toEqual(["hala-est"]);
});

test("the first account that reports for a site without enrolment keeps it, until an administrator moves the site", async () => {
  const { accounts } = centre.parts;
  const second = { email: "second@test.example", password: "a password of its own" };
  await accounts.add({ ...second, role: "operator" }, TESTER);
  const { body } = await request(centre.app).post("/auth/token").send(second).expect(200);
  const [token, administrator] = [body.token as string, await centre.token("administrator")];
  const report = (ref: string, by: string) => ask("post", "/site-reports", by).send({ ...REPORT, ref });
  const idOf = async (ref: string) =>
    ((await ask("get", "/sites", dispatcher)).body as SiteView[]).find((one) => one.report.ref === ref)?.id;

  await report("hala-est", dispatcher).expect(204);
  const refused = await report("hala-est", token).expect(403);
  expect(refused.body.message).toContain("another account reports for site hala-est");
  await report("hala-est", administrator).expect(403);
  await report("hala-est", dispatcher).expect(204);
  // One account may report for many sites.
  await report("hala-vest", dispatcher).expect(204);

  await ask("delete", `/sites/${await idOf("hala-est")}`, administrator).expect(204);
  await report("hala-est", token).expect(204);
  await report("hala-est", dispatcher).expect(403);

  await accounts.setDisabled(second.email, true, TESTER);
  await report("hala-est", dispatcher).expect(204);
  await accounts.setDisabled(second.email, false, TESTER);

  const enrolledToken = await enrolled(centre, "hala-vest", ["obiective/cladiri/3"]);
  await report("hala-vest", enrolledToken).expect(204);
  await report("hala-vest", dispatcher).expect(403);
});

test("of two accounts that report for a new site at once, one keeps it", async () => {
  const administrator = await centre.token("administrator");
  const first = [dispatcher, administrator, dispatcher, administrator].map((by) =>
    ask("post", "/site-reports", by).send({ ...REPORT, ref: "hala-est" }),
  );
  const statuses = (await Promise.all(first)).map(({ status }) => status);
  expect([
    [204, 403, 204, 403],
    [403, 204, 403, 204],
  ]).toContainEqual(statuses);
});

test("what concerns the whole centre is denied to a site, even as an administrator of an earlier release", async () => {
  const email = "hala-nord@sites.santinela.local";
  centre.database.prepare("UPDATE accounts SET role = 'administrator' WHERE email = ?").run(email);
  const { body } = await request(centre.app)
    .post("/auth/token")
    .send({ email, password: SITE_PASSWORD })
    .expect(200);
  site = body.token as string;
  const denied: [Method, string][] = [
    ["get", "/sites/summary"],
    ["get", "/sites/records?ids=1"],
    ["get", "/enrolments"],
    ["post", "/enrolments"],
    ["delete", "/enrolments/hala-sud"],
    ["delete", "/sites/1"],
    ["get", "/site/status"],
    ["get", "/site/events"],
    ["get", "/site/sync"],
    ["get", "/site/zones"],
    ["get", "/site/trips"],
    ["get", "/site/accounts"],
    ["get", "/site/configuration"],
    ["get", `/site/interventions/${foreign.id}/history`],
    ["get", "/site/objectives"],
    ["get", "/site/journal"],
    ["get", "/site/backup"],
    ["put", "/site/accounts/admin@test.example"],
    ["post", "/site/restart"],
  ];
  const answers = await Promise.all(
    denied.map(async ([method, path]) => [(await ask(method, path)).status, method, path]),
  );
  expect(answers).toEqual(denied.map((one) => [403, ...one]));
  await ask("get", "/interventii/" + foreign.id).expect(404);
});

test("a site whose account lost its objectives sees none, not all", async () => {
  await centre.run("UPDATE accounts SET objectives = NULL WHERE site = 'hala-nord'");
  const { body } = await request(centre.app)
    .post("/auth/token")
    .send({ email: "hala-nord@sites.santinela.local", password: SITE_PASSWORD })
    .expect(200);
  site = body.token as string;
  expect(await ids("")).toEqual({ ids: [], total: "0" });
  await ask("get", "/obiective/cladiri/1").expect(404);
  await ask("get", `/interventii/${own.id}`).expect(404);
});
