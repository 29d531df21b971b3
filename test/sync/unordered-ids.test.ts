import { beforeEach, expect, test } from "vitest";
import { UpstreamCapabilities } from "../../src/store/upstream-capabilities.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { json } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* Centres of several servers, each of which has its own block of ids: a newer record can have a lower id. */

const ALARM = { name: "Alarm", priority: "high", dateStart: "2026-11-20T10:00:00Z" } as const;
/** The highest id of the other server. */
const TOP = 60;

let centre: InMemoryCentre;
let site: SyncingSite;
let nextId: number;
beforeEach(async () => {
  nextId = 12;
  centre = new InMemoryCentre();
  centre.add({ id: TOP, name: "Typed" });
  centre.keeps = (record) => ({ ...record, id: nextId++ });
  site = await SyncingSite.at(centre);
});

async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    site.app.clock.advance(60_000);
    await site.push.cycleWithChecks();
  }
}

/** The response to the next POST is lost. */
function loseNextPost({ isStored }: { readonly isStored: boolean }): void {
  let isLost = false;
  centre[isStored ? "afterwards" : "instead"] = ({ method }) => {
    if (method !== "POST" || isLost) return undefined;
    isLost = true;
    return json(504, {});
  };
}

test("an alarm whose notes a dispatcher replaces stays one", async () => {
  const { id } = site.create(ALARM);
  await site.push.cycle();
  centre.edit(12, { notes: "The crew is on its way" });
  await pass(10);
  expect([...centre.rows.keys()]).toEqual([TOP, 12]);
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 12 });
  expect(site.conditions()).toEqual([]);
});

test("an alarm without a response is found once such an id was seen", async () => {
  site.create({ ...ALARM, name: "First" });
  await site.push.cycle();
  loseNextPost({ isStored: true });
  const { id } = site.create(ALARM);
  await site.push.cycle();
  await pass(10);
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 13 });
  expect(centre.rows.size).toBe(3);
});

test("a second record of the first alarm is removed by a sweep", async () => {
  loseNextPost({ isStored: true });
  const { id } = site.create(ALARM);
  await site.push.cycle();
  await pass(2);
  expect([...centre.rows.keys()]).toEqual([TOP, 12, 13]);
  await pass(20);
  expect([...centre.rows.keys()]).toEqual([TOP, 12]);
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 12 });
});

test("a lower id after a restore of the centre is not one of another server", async () => {
  centre.afterwards = ({ method }) => {
    if (method === "POST") centre.rows.delete(TOP);
    return undefined;
  };
  const { id } = site.create(ALARM);
  await site.push.cycle();
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 12 });
  expect(new UpstreamCapabilities(site.app.database).hasUnorderedIds).toBe(false);
});

test("the order of the ids is known after a restart", async () => {
  site.create(ALARM);
  await site.push.cycle();
  site.centre.habits.areIdsOrdered = true;
  site.restart();
  expect(site.centre.habits.areIdsOrdered).toBe(false);
});
