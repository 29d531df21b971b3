import request from "supertest";
import { beforeEach, describe, expect, test } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import { PATROL, TestApp } from "../support/app.ts";
import { enrolled } from "../support/enrolled-site.ts";
import { REPORT } from "../support/fleet.ts";

/* The interventions of one site in the list of a dispatch centre: hala-nord has building 1 and truck 2. */

let centre: TestApp;
let site: string;
let dispatcher: string;
let administrator: string;
beforeEach(async () => {
  centre = await TestApp.forTest();
  site = await enrolled(centre, "hala-nord", ["obiective/cladiri/1", "obiective/bunuri/2"]);
  await enrolled(centre, "hala-sud", ["obiective/cladiri/2"]);
  ({ operator: dispatcher, administrator } = await centre.tokenOfEach());
});

function ask(method: "get" | "post" | "put" | "delete", path: string, token = dispatcher) {
  return request(centre.app)[method](path).set("Authorization", `Bearer ${token}`);
}

async function added(fields: object, token = dispatcher): Promise<Intervention> {
  return (
    await ask("post", "/interventii", token)
      .send({ ...PATROL, ...fields })
      .expect(201)
  ).body as Intervention;
}

async function listed(
  query: string,
  token = dispatcher,
): Promise<{ names: string[]; total: string | undefined }> {
  const { body, headers } = await ask("get", `/interventii${query}`, token).expect(200);
  expect(headers["x-ignored-parameters"]).toBeUndefined();
  return { names: (body as Intervention[]).map(({ name }) => name), total: headers["x-total-count"] };
}

async function refusal(query: string, token = dispatcher): Promise<string> {
  const { body, headers } = await ask("get", `/interventii${query}`, token).expect(400);
  expect(headers["x-error-code"]).toBe("invalid");
  return (body as { message: string }).message;
}

describe("the list of a dispatcher", () => {
  beforeEach(async () => {
    await added({ name: "Hall" });
    await added({ name: "Truck", objectiveType: "obiective/bunuri", objectiveId: 2 });
    await added({ name: "Other hall", objectiveId: 2 });
    // The id of an objective of the site, in another list.
    await added({ name: "Other truck", objectiveType: "obiective/bunuri", objectiveId: 1 });
    const { id } = await added({ name: "Moved" }, site);
    await ask("put", `/interventii/${id}`).send({ objectiveId: 3 }).expect(200);
  });

  test("has the interventions of a site: those at its objectives and those that it has created", async () => {
    expect(await listed("?site=hala-nord&strict=1")).toEqual({
      names: ["Hall", "Truck", "Moved"],
      total: "3",
    });
    expect(await listed("?site=hala-sud")).toEqual({ names: ["Other hall"], total: "1" });
    expect((await listed("")).total).toBe("5");
  });

  test("is sorted, paged, filtered and searched within a site", async () => {
    expect(await listed("?site=hala-nord&_sort=name&_order=DESC&_start=0&_end=2")).toEqual({
      names: ["Truck", "Moved"],
      total: "3",
    });
    expect(await listed("?site=hala-nord&q=TRUCK")).toEqual({ names: ["Truck"], total: "1" });
    expect(await listed("?site=hala-nord&objectiveId=3&status=planned")).toEqual({
      names: ["Moved"],
      total: "1",
    });
    expect(await listed("?site=hala-nord&status=done")).toEqual({ names: [], total: "0" });
  });

  test("has the past of a site whose access was revoked", async () => {
    await ask("delete", "/enrolments/hala-nord", administrator).expect(204);
    expect((await listed("?site=hala-nord")).total).toBe("3");
  });

  test("is refused for a site that is not known here", async () => {
    expect(await refusal("?site=hala-vest")).toMatch(/^site "hala-vest" has no account here/);
    for (const reference of ["", "HALA-NORD", "hala%00nord", "%27%20OR%201=1", "x".repeat(5_000)])
      expect(await refusal(`?site=${reference}`)).toMatch(/^site ".{0,60}" has no account here/);
    expect(await refusal("?site=hala-nord&site=hala-sud")).toMatch(/^site may be given once/);
  });
});

test("a site without an enrolment has the interventions of the account that reports for it", async () => {
  await ask("post", "/site-reports", administrator)
    .send({ ...REPORT, ref: "depozit" })
    .expect(204);
  await added({ name: "Own", objectiveId: 3 }, administrator);
  await added({ name: "Another" });
  expect(await listed("?site=depozit")).toEqual({ names: ["Own"], total: "1" });
  // Once it is enrolled, its own account counts.
  await enrolled(centre, "depozit", ["obiective/cladiri/1"]);
  expect(await listed("?site=depozit")).toEqual({ names: ["Another"], total: "1" });
});

test("the account of a site sees nothing more by naming a site, and does not learn which sites there are", async () => {
  await added({ name: "Hall" });
  await added({ name: "Other hall", objectiveId: 2 });
  expect(await listed("?site=hala-nord", site)).toEqual({ names: ["Hall"], total: "1" });
  const [hidden, missing] = [await refusal("?site=hala-sud", site), await refusal("?site=nowhere", site)];
  expect(hidden.replace("hala-sud", "REF")).toBe(missing.replace("nowhere", "REF"));
});

test("the sites that have created a page of interventions are asked for by their ids", async () => {
  await ask("post", "/site-reports", site)
    .send({ ...REPORT, ref: "hala-nord", name: "Hala Nord" })
    .expect(204);
  const south = await enrolled(centre, "hala-vest", ["obiective/cladiri/3"]);
  const typed = await added({ name: "By telephone" });
  const [north, west] = [await added({ name: "Gate" }, site), await added({ objectiveId: 3 }, south)];
  // A dispatcher may move it, and may rewrite its notes: it still comes from its site.
  await ask("put", `/interventii/${north.id}`).send({ objectiveId: 2, notes: "called" }).expect(200);
  const path = `/sites/records?ids=${west.id},${typed.id},${north.id},999`;
  const named = [
    { interventionId: north.id, ref: "hala-nord", name: "Hala Nord" },
    { interventionId: west.id, ref: "hala-vest", name: null },
  ];
  expect((await ask("get", path).expect(200)).body).toEqual(named);
  await ask("delete", `/interventii/${west.id}`, administrator).expect(204);
  expect((await ask("get", path).expect(200)).body).toEqual(named.slice(0, 1));
  for (const ids of ["", "?ids=", "?ids=0", "?ids=1,x"]) await ask("get", `/sites/records${ids}`).expect(400);
  await ask("get", path, site).expect(403);
  await ask("get", path, "").expect(401);
});
