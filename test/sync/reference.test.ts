import { searchBeforeResend } from "../../src/store/pending-searches.ts";
import { randomUUID } from "node:crypto";
import request from "supertest";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { MarkerField } from "../../src/domain/marker.ts";
import { TestApp, OPERATOR_USER } from "../support/app.ts";
import { notFound, json } from "../support/nonconforming-centre.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* `[ref:<site>-<key>]` in a text of each record at the dispatch centre identifies its site and record. */

let centre: InMemoryCentre;
let baseUrl: string;
let sites: SyncingSite[];

beforeEach(async () => {
  centre = new InMemoryCentre();
  baseUrl = await centre.start();
  sites = [];
});
afterEach(async () => {
  for (const site of sites) await site.close();
  await centre.stop();
});

async function opened(siteRef: string, marker: MarkerField = "notes"): Promise<SyncingSite> {
  const site = new SyncingSite(await TestApp.make(), baseUrl, () => 0.5, { siteRef, marker });
  sites.push(site);
  return site;
}

/** Advances a quarter of an hour and runs every due check. */
async function look(): Promise<void> {
  for (const site of sites) {
    site.app.clock.advance(1_000_000);
    await site.push.cycleWithChecks();
  }
}

describe.each<MarkerField>(["notes", "description"])("the reference in the %s", (marker) => {
  test("is not shown on the site, despite text of a dispatcher around it", async () => {
    const site = await opened("nord", marker);
    const { id } = site.create({ [marker]: "by the gate" }, "k");
    await site.push.cycle();
    expect(centre.rows.get(1)?.[marker]).toBe("by the gate\n[ref:nord-k]");
    centre.edit(1, { [marker]: "by the gate\n[ref:nord-k]\ncalled the owner", crews: 2 });
    await look();

    const token = await site.app.token();
    const ask = async (path: string): Promise<{ text: string; body: unknown }> =>
      request(site.app.app).get(path).set("Authorization", `Bearer ${token}`).expect(200);
    const one = await ask(`/interventii/${id}`);
    expect(one.body).toMatchObject({ [marker]: "by the gate\ncalled the owner", crews: 2 });
    expect((await ask("/interventii?q=nord-k")).body).toEqual([]);
    expect((await ask("/interventii?q=called")).body).toHaveLength(1);
    const shown = [
      one.text,
      (await ask(`/interventii?_sort=${marker}`)).text,
      JSON.stringify(site.app.events.newest(100)),
      site.logLines.join(""),
    ];
    expect(shown.filter((text) => text.includes("[ref:"))).toEqual([]);

    const { wantRev } = site.entry(id);
    await request(site.app.app)
      .put(`/interventii/${id}`)
      .set("Authorization", `Bearer ${token}`)
      .send(one.body as object)
      .expect(200);
    expect(site.entry(id).wantRev).toBe(wantRev);
  });
});

describe("two sites at one dispatch centre", () => {
  const SAME = { name: "Intrusion", dateStart: "2026-11-20T21:30:00Z" };
  const unanswered = ({ method }: { method: string }) => (method === "POST" ? json(504, {}) : undefined);

  test("each find their own record of two similar ones", async () => {
    const [nord, sud] = [await opened("nord"), await opened("sud")];
    const ids = [nord, sud].map((site) => site.create(SAME).id) as [number, number];
    centre.afterwards = unanswered;
    await nord.push.cycle();
    await sud.push.cycle();
    centre.afterwards = () => undefined;
    await look();
    expect([nord.entry(ids[0]).upstreamId, sud.entry(ids[1]).upstreamId]).toEqual([1, 2]);
    expect(centre.rows.size).toBe(2);
  });

  test("never match, change or delete the record of the other site", async () => {
    const [nord, sud] = [await opened("nord"), await opened("sud")];
    sud.create(SAME);
    await sud.push.cycle();
    const theirs = centre.rows.get(1);
    const { id } = nord.create(SAME);
    centre.instead = unanswered;
    await nord.push.cycle();
    centre.instead = () => undefined;
    nord.app.interventions.update(id, { crews: 3 }, OPERATOR_USER);
    await look();
    await look();
    expect(nord.entry(id).upstreamId).toBe(2);
    nord.app.interventions.delete(id, OPERATOR_USER);
    await look();
    await look();
    expect([...centre.rows.values()]).toEqual([theirs]);
  });
});

describe("a dispatch centre that truncates the reference", () => {
  test("has an unconfirmed record that the site still finds at every search", async () => {
    centre.keeps = ({ notes, ...record }) => ({ ...record, notes: String(notes).slice(0, 5) });
    const site = await opened("nord");
    site.create({ name: "Patrol" });
    await site.push.cycle();
    const { id } = site.create({ name: "Inspection", dateStart: null });
    centre.afterwards = ({ method }) => (method === "POST" ? json(500, {}) : undefined);
    await site.push.cycle();
    centre.afterwards = () => undefined;
    for (let time = 0; time < 3; time += 1) await look();
    expect(site.entry(id)).toMatchObject({
      phase: "linked",
      upstreamId: 2,
      missingSinceMs: null,
    });
    centre.edit(2, { crews: 3 });
    await look();
    expect(site.app.interventions.get(id).record.crews).toBe(3);
    expect(centre.rows.size).toBe(2);
  });
});

test("blocked, rejected and deleted records delay no other, and are listed", async () => {
  const site = await opened("nord");
  const blocked = site.create({ objectiveId: 2, priority: "high" });
  const rejected = site.create({ objectiveId: 3, priority: "high" });
  const gone = site.create({ priority: "high" });
  centre.instead = ({ method, body }) => {
    const { objectiveId } = JSON.parse(body || "{}") as { objectiveId?: number };
    if (method !== "POST" || objectiveId === 1) return undefined;
    return objectiveId === 2 ? notFound("no such objective") : json(400, { message: "no" });
  };
  await site.push.cycle();
  centre.rows.delete(1);
  site.app.interventions.update(gone.id, { crews: 2 }, OPERATOR_USER);
  const alarm = site.create({ description: "alarm", priority: "high" });
  const patrol = site.create({ description: "patrol" });
  // An alarm is retried three times before it counts as rejected.
  for (let time = 0; time < 4; time += 1) {
    site.app.clock.advance(450_000);
    await site.push.cycle();
  }
  expect([blocked, rejected, gone, alarm, patrol].map(({ id }) => site.entry(id).phase)).toEqual([
    "blocked",
    "rejected",
    "gone",
    "linked",
    "linked",
  ]);
  expect(site.conditions()).toEqual(["upstream-rejects-alarm", "upstream-rejects-records"]);
  expect(site.outbox.summary()).toMatchObject({ blocked: 1, rejected: 1, gone: 1 });
});

test("a site that gets another reference has every record once at the centre", async () => {
  const former = await opened("site-1");
  const { app } = former;
  const [linked, unsure] = [randomUUID(), randomUUID()];
  const { id } = former.create({ notes: "by the gate" }, linked);
  await former.push.cycle();
  centre.afterwards = ({ method }) => (method === "POST" ? { status: 504, body: "<html>" } : undefined);
  const { id: other } = former.create({ name: "Second" }, unsure);
  await former.push.cycle();
  centre.afterwards = () => undefined;
  expect(former.entry(other).phase).toBe("unsure");
  await former.push.stop();

  const site = new SyncingSite(app, baseUrl, () => 0.5, { siteRef: "nord" });
  const check = async (): Promise<void> => {
    app.clock.advance(3_600_000);
    await site.push.cycleWithChecks();
    site.push.audit.makeDue();
    await site.push.audit.runIfDue();
  };
  for (let hour = 0; hour < 4; hour += 1) await check();
  expect([...centre.rows.keys()]).toEqual([1, 2]);
  expect([site.entry(id).upstreamId, site.entry(other).upstreamId]).toEqual([1, 2]);

  centre.edit(1, { notes: `by the gate\n[ref:site-1-${linked}]\ncalled the owner` });
  await check();
  expect(app.interventions.get(id).record.notes).toBe("by the gate\ncalled the owner");
  app.interventions.update(id, { crews: 2 }, OPERATOR_USER);
  await check();
  expect(centre.rows.get(1)).toMatchObject({
    crews: 2,
    notes: `by the gate\ncalled the owner\n[ref:nord-${linked}]`,
  });
  await check();
  expect(centre.rows.size).toBe(2);
  expect(site.conditions()).toEqual([]);
  site.client.close();
});

test("a record that a restored backup does not know as sent is found by its former reference", async () => {
  const former = await opened("site-1");
  const { app } = former;
  const { id } = former.create({ priority: "high" }, randomUUID());
  const before = app.database.prepare("SELECT * FROM outbox").all() as Record<string, unknown>[];
  await former.push.cycle();
  expect([...centre.rows.keys()]).toEqual([1]);
  await former.push.stop();
  for (const row of before) {
    const names = Object.keys(row);
    app.database
      .prepare(
        `INSERT OR REPLACE INTO outbox(${names.join(", ")}) VALUES(${names.map((name) => `:${name}`).join(", ")})`,
      )
      .run(row);
  }
  searchBeforeResend(app.database);

  const site = new SyncingSite(app, baseUrl, () => 0.5, { siteRef: "nord" });
  for (let hour = 0; hour < 3; hour += 1) {
    app.clock.advance(3_600_000);
    await site.push.cycleWithChecks();
  }
  expect([...centre.rows.keys()]).toEqual([1]);
  expect(site.entry(id).upstreamId).toBe(1);
  expect(app.events.newest(50).filter(({ event }) => event === "sync-conflict")).toEqual([]);
  site.client.close();
});
