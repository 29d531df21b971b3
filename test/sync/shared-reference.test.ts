import { afterEach, beforeEach, expect, test } from "vitest";
import { TestApp } from "../support/app.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* Two daemons push to one dispatch centre: a memory card was copied for a second site with the same `site.ref`. */

const HOUR_MS = 3_600_000;
let centre: InMemoryCentre;
let sites: SyncingSite[];

beforeEach(async () => {
  centre = new InMemoryCentre();
  const baseUrl = await centre.start();
  sites = [new SyncingSite(await TestApp.make(), baseUrl), new SyncingSite(await TestApp.make(), baseUrl)];
});
afterEach(async () => {
  await Promise.all(sites.map((site) => site.close()));
  await centre.stop();
});

function conditionOf(site: SyncingSite): string | undefined {
  return site.health.list().find(({ code }) => code === "upstream-reference-shared")?.text;
}

async function compare(site: SyncingSite, afterMs: number): Promise<void> {
  site.app.clock.advance(afterMs);
  site.push.audit.makeDue();
  await site.push.audit.runIfDue();
}

test("a site that finds foreign records under its reference reports the other daemon for a day", async () => {
  const [one, two] = sites as [SyncingSite, SyncingSite];
  for (const site of sites) await site.push.audit.readBackRecords();
  one.create();
  await one.push.cycle();
  await compare(one, 60_000);
  expect(conditionOf(one), "with its own records alone").toBeUndefined();
  two.create({ name: "Leak" });
  await two.push.cycle();
  await compare(one, HOUR_MS);
  expect(conditionOf(one)).toContain("(Leak, id 2 there)");
  await compare(one, 23 * HOUR_MS);
  expect(conditionOf(one), "within a day").toBeDefined();
  await compare(one, 2 * HOUR_MS);
  expect(conditionOf(one), "after a day without a further one").toBeUndefined();
});

test("a site on a new memory card adopts its records and reports no other daemon", async () => {
  const [before, after] = sites as [SyncingSite, SyncingSite];
  before.create();
  await before.push.cycle();
  await after.push.audit.readBackRecords();
  await compare(after, HOUR_MS);
  expect(after.outbox.findByUpstreamId(1)).toMatchObject({ phase: "linked" });
  expect(conditionOf(after)).toBeUndefined();
});

test("a site on a new memory card adopts a record that its centre has twice, and the second one is removed", async () => {
  const [before, after] = sites as [SyncingSite, SyncingSite];
  before.create({ name: "Burglary" });
  await before.push.cycle();
  const [row] = [...centre.rows.values()];
  centre.add({ ...row, id: 2 });
  await after.push.audit.readBackRecords();
  await after.push.cycleWithChecks();
  expect([...centre.rows.values()]).toEqual([row]);
  expect(after.outbox.findByUpstreamId(1)).toMatchObject({ phase: "linked" });
});

test("a site on a new memory card leaves a dispatcher's record with the notes of its own alone", async () => {
  const [before, after] = sites as [SyncingSite, SyncingSite];
  before.create({ name: "Burglary" });
  await before.push.cycle();
  const [row] = [...centre.rows.values()];
  const followUp = centre.add({ ...row, id: 2, name: "Repair door" });
  await after.push.audit.readBackRecords();
  await after.push.cycleWithChecks();
  await compare(after, HOUR_MS);
  await after.push.cycleWithChecks();
  expect([...centre.rows.values()]).toEqual([row, followUp]);
  expect(after.outbox.findByUpstreamId(1)).toMatchObject({ phase: "linked" });
});
