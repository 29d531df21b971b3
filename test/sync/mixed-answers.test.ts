import { beforeEach, expect, test } from "vitest";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { json } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A proxy before the dispatch centre answers a POST with the response to another client. */

let centre: InMemoryCentre;
let site: SyncingSite;

beforeEach(async () => {
  centre = new InMemoryCentre();
  site = await SyncingSite.at(centre);
});

async function settle(): Promise<void> {
  for (let minute = 0; minute < 30; minute += 1) {
    site.app.clock.advance(60_000);
    await site.push.cycle();
  }
}

const ANOTHERS = {
  name: "Visit",
  objectiveType: "obiective/cladiri",
  objectiveId: 1,
  status: "planned",
  priority: "low",
  dateStart: null,
  notes: null,
};

test.each([
  ["of another objective", { ...ANOTHERS, objectiveId: 99, name: "Patrol" }],
  ["with another name", ANOTHERS],
  ["with the reference of another site", { ...ANOTHERS, name: "Patrol", notes: "[ref:elsewhere-1]" }],
])(
  "an alarm that is answered with a record %s is still at the centre once, and linked to its own",
  async (_what, fields) => {
    const another = centre.add(fields);
    centre.afterwards = ({ method }) => (method === "POST" ? json(201, another) : undefined);
    const { id } = site.create({ priority: "high" });
    await site.push.cycle();
    centre.afterwards = () => undefined;
    await settle();
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 2 });
    expect([...centre.rows.keys()]).toEqual([1, 2]);
    expect(centre.rows.get(1)).toEqual(another);
  },
);

test("an alarm that never arrived is sent again after the response to another client", async () => {
  const another = centre.add(ANOTHERS);
  centre.instead = ({ method }) => (method === "POST" ? json(201, another) : undefined);
  const { id } = site.create({ priority: "high" });
  await site.push.cycle();
  centre.instead = () => undefined;
  await settle();
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 2 });
  expect(centre.rows.get(1)).toEqual(another);
});

const REWRITES: InMemoryCentre["keeps"] = ({ notes: _notes, ...record }) => ({
  ...record,
  name: "CALL",
  notes: null,
});

test("a centre that rewrites names and drops references has an alarm twice at most", async () => {
  centre.keeps = REWRITES;
  const { id } = site.create({ priority: "high" });
  await site.push.cycle();
  await settle();
  expect([1, 2]).toContain(centre.rows.size);
  expect(site.entry(id)).toMatchObject({ phase: "linked" });
});

test("an alarm that is always answered with another site's record is reported as rejected", async () => {
  const another = centre.add({ ...ANOTHERS, notes: "[ref:elsewhere-1]" });
  centre.instead = ({ method }) => (method === "POST" ? json(201, another) : undefined);
  const { id } = site.create({ priority: "high" });
  await site.push.cycle();
  await settle();
  expect(site.entry(id).phase).toBe("rejected");
  expect(site.conditions()).toContain("upstream-rejects-alarm");
  centre.instead = () => undefined;
  site.push.operator.retry(id);
  await settle();
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 2 });
});

test("a centre that rewrites names and drops references has an alarm twice if its list failed once", async () => {
  centre.keeps = REWRITES;
  const { id } = site.create({ priority: "high" });
  await site.push.cycle();
  centre.instead = ({ method }) => (method === "GET" ? json(503, {}) : undefined);
  site.app.clock.advance(60_000);
  await site.push.cycle();
  centre.instead = () => undefined;
  await settle();
  expect(site.entry(id).phase).toBe("linked");
  expect(centre.rows.size).toBe(2);
});

test("a retry links an alarm at a centre that rewrites it and whose list cannot be read", async () => {
  centre.keeps = REWRITES;
  const { id } = site.create({ priority: "high" });
  await site.push.cycle();
  centre.instead = ({ method }) => (method === "GET" ? json(500, {}) : undefined);
  await settle();
  expect(site.entry(id).phase).toBe("unsure");
  site.push.operator.retry(id);
  await settle();
  expect(site.entry(id).phase).toBe("linked");
  expect(centre.rows.size).toBe(2);
});
