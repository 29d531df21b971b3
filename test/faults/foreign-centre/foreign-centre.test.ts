import { afterEach, expect, test } from "vitest";
import type { Intervention } from "../../../src/domain/intervention.ts";
import { eventually } from "../../support/eventually.ts";
import { ForeignSite, wrongAt, type Row } from "./foreign-site.ts";

/*
 * The built daemon against a third-party dispatch centre: it has no keys, reuses ids, and has a gateway,
 * delayed reads and its own users. Slow tests are in slow-habits.test.ts.
 */

const sites: ForeignSite[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.remove();
});

async function siteAt(habits: Readonly<Record<string, unknown>> = {}): Promise<ForeignSite> {
  const site = new ForeignSite();
  sites.push(site);
  await site.start(habits);
  return site;
}

const HABITS = { addsFields: true, ownDates: true, trims: true };
const ONE_RECORD = "^/interventii/\\d+$";

/** A record created by a user at the dispatch centre for the same call, similar in every likely field. */
function typed({ name, objectiveType, objectiveId, priority }: Intervention): object {
  return { name, objectiveType, objectiveId, priority, description: "the neighbour called" };
}

test("records that users create under reused ids remain theirs, and those of the site are created again", async () => {
  const site = await siteAt(HABITS);
  const records: Intervention[] = [];
  for (let index = 1; index <= 5; index += 1)
    records.push(
      await site.create({
        name: `Intrusion ${index}`,
        priority: "high",
        ...(index % 2 === 0 ? { dateStart: "2026-11-20T21:30:00Z" } : {}),
      }),
    );
  await site.settle();
  const { rows } = await site.state();
  for (const { id } of rows) await site.order("remove", { id });
  const theirs: Row[] = [];
  for (const record of records) theirs.push(await site.type(typed(record)));
  expect(theirs.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));

  for (const { id } of records)
    await site.ask(200, "PUT", `/interventii/${id}`, { description: "second call" });
  await site.settle();

  const now = await site.state();
  expect(now.rows.filter(({ id }) => now.makers[id] === "people")).toEqual(theirs);
  expect(await wrongAt(site)).toEqual([]);
  const { conditions } = await site.status();
  expect(conditions.map(({ code }) => code)).toContain("upstream-ids-given-again");
});

test.each(["gateway", "interface"] as const)(
  "a 404 of a gateway that looks like one of the %s does not make a record deleted, and a manual retry creates no duplicate",
  async (shape) => {
    const site = await siteAt(HABITS);
    const record = await site.create({ name: "Smoke" });
    await site.settle();
    await site.order("gateway", [{ method: "GET", path: ONE_RECORD, status: 404, shape, times: 1 }]);
    await site.ask(200, "PUT", `/interventii/${record.id}`, { description: "second floor" });
    const { summary } = await site.now();
    expect(summary.gone).toBe(0);
    await site.ask(200, "POST", `/site/sync/${record.id}/retry`);
    await site.settle();
    expect(await wrongAt(site)).toEqual([]);
  },
  60_000,
);

test("a record that was deleted at the dispatch centre is uncertain, and an edit of it waits for a second read", async () => {
  const site = await siteAt(HABITS);
  const record = await site.create({ name: "Patrol" });
  await site.settle();
  const { rows } = await site.state();
  for (const { id } of rows) await site.order("remove", { id });
  await site.ask(200, "PUT", `/interventii/${record.id}`, { description: "second round" });
  const { records, summary } = await site.now();
  expect(records).toMatchObject([{ interventionId: record.id, phase: "doubtful" }]);
  expect(summary).toMatchObject({ doubtful: 1, gone: 0 });
});

/** Created by a user; a page of the dispatch centre has fifty of them. */
const OLD = {
  objectiveType: "obiective/cladiri",
  objectiveId: 2,
  status: "planned",
  type: "maintenance",
};

test("with lists without pages, an alarm whose response was lost is found in a partial list", async () => {
  const site = await siteAt({ ...HABITS, ignoresStart: true, ignoresSort: true });
  for (let index = 0; index < 60; index += 1)
    await site.type({ ...OLD, name: `Old ${index}`, priority: "low" });
  await site.order("cut", [{ method: "POST", path: "^/interventii$", times: 1 }]);
  const record = await site.create({ name: "Panic", priority: "high" });
  await eventually("the site to have found it", async () => {
    const { records, summary } = await site.now();
    return summary.waiting === 0 && records.length === 0;
  });
  expect(await site.copiesOf(record)).toHaveLength(1);
});

test.each([
  ["no total", false],
  ["the length of the page as the total", "page"],
])(
  "with lists without pages and %s, an alarm whose response was lost is searched for before it is sent again",
  async (_what, saysTotal) => {
    const site = await siteAt({ ...HABITS, ignoresStart: true, ignoresSort: true, saysTotal });
    for (let index = 0; index < 60; index += 1)
      await site.type({ ...OLD, name: `Old ${index}`, priority: "high" });
    await site.order("cut", [{ method: "POST", path: "^/interventii$", times: 1 }]);
    const record = await site.create({ name: "Panic", priority: "high" });
    await eventually("the site to have searched three times", async () => {
      const { records } = await site.now();
      const { seen } = await site.state();
      return (
        (records[0]?.attempts ?? 0) >= 3 &&
        Date.now() - (seen.find(({ method }) => method === "POST")?.atMs ?? 0) > 17_000
      );
    });
    expect(await site.copiesOf(record)).toHaveLength(1);
  },
);

test.each([400, 413, 415, 422, 403, 404])(
  "one %i of a gateway neither stops an alarm nor delays the next one",
  async (status) => {
    const site = await siteAt(HABITS);
    await site.order("gateway", [
      { method: "POST", path: "^/interventii$", body: "Panic", status, times: 1 },
    ]);
    await site.create({ name: "Panic", priority: "high" });
    const { link, summary } = await site.now();
    expect(summary.rejected).toBe(0);
    expect(link.state).toBe("up");
    await site.create({ name: "Fire", priority: "high" });
    await eventually("the next alarm", async () => {
      const { rows } = await site.state();
      return rows.some(({ name }) => name === "Fire");
    });
    await site.settle();
    expect(await wrongAt(site)).toEqual([]);
  },
  60_000,
);

test("a dispatch centre that truncates notes is reported, and no record is updated repeatedly for its reference", async () => {
  const site = await siteAt({ ...HABITS, notesMax: 255 });
  await site.create({ name: "Repair", notes: "x".repeat(300) });
  await site.settle();
  for (let look = 0; look < 3; look += 1) await site.now();
  const { seen } = await site.state();
  expect(seen.filter(({ method }) => method === "PUT")).toEqual([]);
  const { conditions } = await site.status();
  expect(conditions.map(({ code }) => code).toSorted()).toEqual([
    "upstream-notes-cut",
    "upstream-reference-lost",
  ]);
  expect(await wrongAt(site)).toEqual([]);
});

test("a deleted record that returns with a backup of the dispatch centre is deleted again; one without a reference stays", async () => {
  const site = await siteAt(HABITS);
  const kept = await site.create({ name: "Kept" });
  const deleted = await site.create({ name: "Deleted" });
  const rewritten = await site.create({ name: "Rewritten" });
  await site.settle();
  const { rows } = await site.state();
  const upstreamRecord = rows.find(({ name }) => name === "Rewritten");
  await site.order("edit", { id: upstreamRecord?.id, fields: { notes: "kept for the insurer" } });
  await site.order("backup");
  await site.order("edit", { id: upstreamRecord?.id, fields: { notes: upstreamRecord?.["notes"] } });
  for (const { id } of [deleted, rewritten]) await site.ask(204, "DELETE", `/interventii/${id}`);
  await site.settle();
  await site.order("restore");
  await eventually("the deleted one to be removed again", async () => {
    await site.now();
    return !(await site.state()).rows.some(({ name }) => name === "Deleted");
  });
  expect((await site.state()).rows.map(({ name }) => name)).toEqual([kept.name, rewritten.name]);
});

test("the site reports the number of compared records and each difference", async () => {
  const site = await siteAt({ ...HABITS, readLagMs: 300 });
  await site.create({ name: "One" });
  await site.create({ name: "Two" });
  await site.settle();
  await eventually("a comparison", async () => {
    await site.now();
    const { comparison } = await site.status();
    return comparison?.here === 2 && comparison.there === 2 && comparison.differences.length === 0;
  });
  const { rows } = await site.state();
  await site.order("remove", { id: rows[0]?.id });
  await eventually("the difference", async () => {
    await site.now();
    const { comparison } = await site.status();
    return comparison?.there === 1 && comparison.differences[0]?.kind === "missing-there";
  });
  const { link } = await site.status();
  expect(Date.parse(link.answeredAt ?? "")).toBeGreaterThan(Date.now() - 60_000);
});

test("a new memory card with the same site reference reads its records before it sends any", async () => {
  const site = await siteAt({ ...HABITS, pageRows: 7 });
  for (let index = 1; index <= 10; index += 1)
    await site.create({ name: `Call ${index}`, description: `${index}` });
  await site.type(
    { name: "Call 1", objectiveType: "obiective/cladiri", objectiveId: 1, notes: "[ref:other-1]" },
    "other",
  );
  // A site whose reference has the same prefix as ours.
  const neighbours = await site.type(
    {
      name: "Neighbour's call",
      objectiveType: "obiective/cladiri",
      objectiveId: 1,
      notes: "[ref:proof-2-019a0000-0000-7000-8000-000000000001]",
    },
    "other",
  );
  await site.settle();
  await site.endSite();
  await site.startSite("new-card");
  await site.create({ name: "After the card", priority: "high" });
  await site.settle();
  expect(await wrongAt(site)).toEqual([]);
  const localRecords = await site.here();
  expect(localRecords.map(({ name }) => name).sort()).toEqual(
    [...Array.from({ length: 10 }, (_, index) => `Call ${index + 1}`), "After the card"].sort(),
  );
  const { seen, rows } = await site.state();
  expect(rows).toContainEqual(neighbours);
  const lastPost = seen.findLastIndex(({ method }) => method === "POST");
  expect(seen.slice(0, lastPost).filter(({ method }) => method === "POST")).toHaveLength(10);
});
