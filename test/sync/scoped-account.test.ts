import request from "supertest";
import { afterEach, beforeEach, expect, test } from "vitest";
import { UpstreamCapabilities } from "../../src/store/upstream-capabilities.ts";
import { PATROL, TestApp } from "../support/app.ts";
import { enrolled, SITE_PASSWORD } from "../support/enrolled-site.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* The sync of a site whose account at the centre may use building 1 only. */

let centre: TestApp;
let site: SyncingSite;
let dispatcher: string;
beforeEach(async () => {
  centre = await TestApp.forTest();
  await enrolled(centre, "test", ["obiective/cladiri/1"]);
  dispatcher = await centre.token();
  for (let number = 0; number < 3; number += 1)
    await at("post", "/interventii", { ...PATROL, objectiveId: 2 });
  const account = { email: "test@sites.santinela.local", password: SITE_PASSWORD };
  const app = await TestApp.make();
  site = new SyncingSite(app, `http://127.0.0.1:${await centre.listen()}`, undefined, account);
});
afterEach(() => site.close());

function at(method: "post" | "put", path: string, body: object) {
  return request(centre.app)[method](path).set("Authorization", `Bearer ${dispatcher}`).send(body);
}

test("its comparison finds all of its records, also one that a dispatcher moved, and none of others", async () => {
  const [stays, moved] = [site.create({ name: "Stays" }), site.create({ name: "Moved" })];
  await site.push.cycle();
  expect([site.entry(stays.id).phase, site.entry(moved.id).phase]).toEqual(["linked", "linked"]);
  const there = site.entry(moved.id).upstreamId;
  await at("put", `/interventii/${there}`, { objectiveId: 2 }).expect(200);
  await site.cycleAfterWait();
  await site.push.audit.runIfDue();
  expect(new UpstreamCapabilities(site.app.database).comparison).toMatchObject({
    here: 2,
    there: 2,
    differences: [],
  });
  await site.cycleAfterWait();
  expect(site.entry(moved.id)).toMatchObject({ phase: "linked", upstreamId: there });
  expect(site.conditions()).toEqual([]);
});

test("a trip at an objective outside its scope waits as for one that does not exist, and arrives once it may", async () => {
  const record = site.create({ name: "Outside", objectiveId: 3 });
  await site.push.cycle();
  const waiting = site.entry(record.id);
  expect(waiting.upstreamId).toBeNull();
  await enrolled(centre, "test", ["obiective/cladiri/1", "obiective/cladiri/3"], true);
  await site.cycleAfterWait();
  await site.cycleAfterWait();
  expect(site.entry(record.id).phase).toBe("linked");
  expect(centre.records().filter(({ name }) => name === "Outside")).toHaveLength(1);
});
