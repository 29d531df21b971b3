import request from "supertest";
import { afterEach, beforeEach, expect, test } from "vitest";
import { shownPhase } from "../../src/domain/shown-phase.ts";
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

test("a record that leaves the scope after the site has got another account is neither lost nor created again", async () => {
  const before = new SyncingSite(site.app, `http://127.0.0.1:${await centre.listen()}`);
  const [alarm, finished] = [
    before.create({ name: "Alarm" }),
    before.create({ name: "Finished", status: "done" }),
  ];
  await before.push.cycle();
  const there = before.entry(alarm.id).upstreamId;
  before.client.close();
  site.restart();
  for (const id of [there, before.entry(finished.id).upstreamId])
    await at("put", `/interventii/${id}`, { objectiveId: 2 }).expect(200);
  // The own account now has records of its own above it.
  site.create({ name: "Later" });
  for (let check = 0; check < 4; check += 1) {
    site.app.clock.advance(1_000_000);
    await site.push.cycleWithChecks();
  }
  expect(
    centre
      .records()
      .map(({ name }) => name)
      .filter((name) => name !== PATROL.name),
  ).toEqual(["Alarm", "Finished", "Later"]);
  expect(site.entry(alarm.id)).toMatchObject({
    phase: "gone",
    lastError: `record ${there} exists at the dispatch centre, at an objective that the account of this site may not use; santinela sync retry ${alarm.id} would create it a second time`,
  });
  // It is not said to be deleted.
  expect(shownPhase(site.entry(alarm.id))).toBe("out-of-scope");
  expect(site.entry(finished.id).phase).toBe("closed");
  const event = site.app.events.newest(20).find(({ subject }) => subject === `intervention ${alarm.id}`);
  expect(event).toMatchObject({
    event: "sync-conflict",
    detail: { conflict: "out-of-scope", phase: "gone" },
  });
});

test("only the reference of a record tells the account of a site that it exists outside its scope", async () => {
  const reference = "[ref:test-0190f3a1-7c2b-7d3e-8f4a-5b6c7d8e9f00]";
  const { body } = await at("post", "/interventii", {
    ...PATROL,
    objectiveId: 2,
    notes: `ours\n${reference}`,
  });
  const own = await enrolled(centre, "test", ["obiective/cladiri/1"], true);
  const codeWith = async (known?: string) => {
    const asked = request(centre.app).get(`/interventii/${body.id}`).set("Authorization", `Bearer ${own}`);
    const { status, headers } = await (known === undefined ? asked : asked.set("Record-Reference", known));
    return [status, headers["x-error-code"]];
  };
  expect(await codeWith()).toEqual([404, "not-found"]);
  for (const guess of ["ours", "[ref:test-1]", reference.replace("9f00", "9f01"), "ref", reference.slice(1)])
    expect([guess, ...(await codeWith(guess))]).toEqual([guess, 404, "not-found"]);
  expect(await codeWith(reference)).toEqual([404, "out-of-scope"]);
  // The site had another reference when it sent the record.
  expect(await codeWith(reference.replace("test", "hall"))).toEqual([404, "out-of-scope"]);
  await request(centre.app)
    .delete(`/interventii/${body.id}`)
    .set("Authorization", `Bearer ${dispatcher}`)
    .expect(204);
  expect(await codeWith(reference)).toEqual([404, "deleted"]);
  expect(await codeWith()).toEqual([404, "not-found"]);
});
