import { beforeEach, describe, expect, test } from "vitest";
import { OPERATOR_USER } from "../support/app.ts";
import { InMemoryCentre, type CentreRow } from "../support/in-memory-centre.ts";
import { json, type ReceivedRequest } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/*
 * The notes of a record at the centre show the reference of the site. Dispatchers paste them into records of their own, which
 * the site neither deletes nor takes for one of its own. The centre has no idempotency keys.
 */

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const START = "2026-11-20T21:30:07Z";

let centre: InMemoryCentre;
let site: SyncingSite;

beforeEach(async () => {
  centre = new InMemoryCentre();
  site = await SyncingSite.at(centre);
});

/** An alarm that has arrived. */
async function alarm(name = "Burglary", dateStart = START): Promise<{ id: number; row: CentreRow }> {
  const { id } = site.create({ name, dateStart, priority: "high", notes: "23:30:07 Hall" });
  await site.push.cycle();
  const row = centre.rows.get(site.entry(id).upstreamId ?? 0);
  if (!row) throw new Error("the alarm is not at the centre");
  return { id, row };
}

/** The comparison of each hour, with the checks that follow from it. */
async function hours(count: number, stepMs = HOUR_MS): Promise<void> {
  for (let hour = 0; hour < count; hour += 1) {
    site.app.clock.advance(stepMs);
    site.push.audit.makeDue();
    await site.push.audit.runIfDue();
    await site.push.cycleWithChecks();
    await site.push.cycleWithChecks();
  }
}

const followUp = (notes: unknown, fields: Readonly<Record<string, unknown>> = {}): CentreRow =>
  centre.add({
    name: "Repair door",
    objectiveType: "obiective/cladiri",
    objectiveId: 1,
    dateStart: "2026-11-21T09:00:00",
    status: "planned",
    priority: "low",
    crews: 1,
    notes,
    ...fields,
  });

const conflicts = (): string[] =>
  site.app.events
    .newest(50)
    .filter(({ event }) => event === "sync-conflict")
    .map(({ detail }) => String(detail["conflict"]));

const writes = (): string[] => centre.writes.map(({ method, path }) => `${method} ${path}`);

describe("a dispatcher pastes the notes of an alarm into a record of their own", () => {
  const PLACES: readonly [string, (notes: unknown) => CentreRow][] = [
    ["its notes", (notes) => followUp(notes)],
    ["its description", (notes) => followUp("by key", { description: `see ${String(notes)}` })],
    ["that of another building", (notes) => followUp(notes, { objectiveId: 2 })],
    [
      "that of the same name and start at another building",
      (notes) => followUp(notes, { name: "Burglary", dateStart: START, objectiveId: 2 }),
    ],
  ];

  test.each(PLACES)("%s: both stay, and it is reported once", async (_where, add) => {
    const { id, row } = await alarm();
    await hours(1);
    const added = add(row["notes"]);
    await hours(3);
    expect([...centre.rows.values()]).toEqual([row, added]);
    expect(writes()).toEqual(["POST /interventii"]);
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: row.id, sweepAtMs: null });
    expect(site.app.interventions.get(id).record).toMatchObject({ name: "Burglary", dateStart: START });
    expect(conflicts()).toEqual(["copied"]);
  });

  test("before the search for a second arrival: both stay", async () => {
    const { id, row } = await alarm();
    const added = followUp(row["notes"]);
    await hours(3, 200_000);
    expect([...centre.rows.values()]).toEqual([row, added]);
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: row.id, sweepAtMs: null });
    expect(conflicts()).toEqual(["copied"]);
  });

  test("and it copies every field: both stay, since no request was in doubt", async () => {
    const { id, row } = await alarm();
    await hours(1);
    const { id: _, ...fields } = row;
    const added = centre.add(fields);
    await hours(3);
    expect([...centre.rows.values()]).toEqual([row, added]);
    expect(site.entry(id).upstreamId).toBe(row.id);
    expect(conflicts()).toEqual(["copied"]);
  });

  test("while it is unconfirmed here: that alarm is linked, and both stay", async () => {
    centre.afterwards = ({ method }) => (method === "POST" ? json(504, {}) : undefined);
    const { id } = site.create({ name: "Burglary", dateStart: START, priority: "high" });
    await site.push.cycle();
    centre.afterwards = () => undefined;
    const [row] = [...centre.rows.values()] as [CentreRow];
    const added = followUp(row["notes"]);
    await hours(2);
    await hours(3, DAY_MS);
    expect([...centre.rows.values()]).toEqual([row, added]);
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: row.id, sweepAtMs: null });
    expect(site.app.interventions.get(id).record.name).toBe("Burglary");
    expect(conflicts()).toEqual(["copied"]);
  });

  test("and the alarm has arrived twice: the second arrival alone is deleted", async () => {
    let late: ReceivedRequest | undefined;
    centre.instead = (request) => {
      if (request.method === "POST") late = request;
      return request.method === "POST" ? json(504, {}) : undefined;
    };
    site.create({ name: "Burglary", dateStart: START, priority: "high" });
    await site.push.cycle();
    centre.instead = () => undefined;
    site.app.clock.advance(200_000);
    await site.push.cycle();
    const [row] = [...centre.rows.values()] as [CentreRow];
    const added = followUp(row["notes"]);
    if (late) centre.arrive(late);
    expect(centre.rows.size).toBe(3);
    await hours(2);
    await hours(3, DAY_MS);
    expect([...centre.rows.values()]).toEqual([row, added]);
  });
});

describe("a dispatcher replaces the notes of an alarm by those of another one of this site", () => {
  test.each([
    ["long after both have arrived", 1],
    ["at once", 0],
  ])("%s: each alarm stays at the centre once, under its own id", async (_when, waited) => {
    const one = await alarm("Burglary", START);
    const other = await alarm("Fire", "2026-11-20T21:45:00Z");
    await hours(waited);
    centre.edit(one.row.id, { notes: other.row["notes"] });
    await hours(3, 400_000);
    expect([...centre.rows.values()].map(({ id, name }) => [id, name])).toEqual([
      [one.row.id, "Burglary"],
      [other.row.id, "Fire"],
    ]);
    expect(site.entry(one.id)).toMatchObject({ phase: "linked", upstreamId: one.row.id });
    expect(site.entry(other.id)).toMatchObject({ phase: "linked", upstreamId: other.row.id });
    expect(writes().filter((line) => !line.startsWith("PUT"))).toEqual([
      "POST /interventii",
      "POST /interventii",
    ]);
  });
});

describe("an alarm that was deleted here", () => {
  test("is not looked for in a dispatcher's record with its notes, which stays and is reported once", async () => {
    const { id, row } = await alarm();
    await hours(1);
    site.app.interventions.delete(id, OPERATOR_USER);
    await site.push.cycle();
    expect(centre.rows.size).toBe(0);
    const added = followUp(row["notes"]);
    await hours(3);
    expect([...centre.rows.values()]).toEqual([added]);
    expect(conflicts()).toEqual(["copied"]);
  });

  test("and of which a dispatcher had made a copy of every field: the copy stays", async () => {
    const { id, row } = await alarm();
    await hours(1);
    const { id: _, ...fields } = row;
    const added = centre.add(fields);
    site.app.interventions.delete(id, OPERATOR_USER);
    await site.push.cycle();
    await hours(3);
    expect([...centre.rows.values()]).toEqual([added]);
    expect(conflicts()).toEqual(["copied"]);
  });

  test("while it was in doubt: the record with its notes stays", async () => {
    centre.afterwards = ({ method }) => (method === "POST" ? json(504, {}) : undefined);
    const { id } = site.create({ name: "Burglary", dateStart: START });
    await site.push.cycle();
    centre.afterwards = () => undefined;
    const [row] = [...centre.rows.values()] as [CentreRow];
    site.app.interventions.delete(id, OPERATOR_USER);
    const added = followUp(row["notes"]);
    await hours(2);
    await hours(3, DAY_MS);
    expect([...centre.rows.values()]).toEqual([added]);
  });

  test("before its arrival was confirmed, and there too: the record with its notes stays", async () => {
    centre.afterwards = ({ method }) => (method === "POST" ? json(504, {}) : undefined);
    const { id } = site.create({ name: "Burglary", dateStart: START });
    await site.push.cycle();
    centre.afterwards = () => undefined;
    const [row] = [...centre.rows.values()] as [CentreRow];
    centre.rows.delete(row.id);
    const added = followUp(row["notes"]);
    site.app.interventions.delete(id, OPERATOR_USER);
    await hours(2);
    expect([...centre.rows.values()]).toEqual([added]);
    expect(site.entry(id).phase).toBe("closed");
  });

  test("and that a restored centre brings back is deleted again, with an entry in the event log", async () => {
    const { id, row } = await alarm();
    await hours(1);
    site.app.interventions.delete(id, OPERATOR_USER);
    await site.push.cycle();
    centre.rows.set(row.id, row);
    await hours(2);
    expect(centre.rows.size).toBe(0);
    expect(conflicts()).toEqual(["deleted-again"]);
  });
});

describe("open records that the account has not shown for a while", () => {
  const CENTRES: readonly [string, (row: CentreRow) => CentreRow][] = [
    ["that keeps the reference", (row) => row],
    ["that drops it", (row) => ({ ...row, notes: null })],
  ];

  const LOST_NOTES = new Set(["upstream-reference-lost", "upstream-notes-cut"]);

  test.each(CENTRES)(
    "at a centre %s: they are linked again, without an order of a person",
    async (_what, keeps) => {
      centre.keeps = keeps;
      const one = await alarm("Burglary", START);
      const other = await alarm("Fire", "2026-11-20T21:45:00Z");
      await hours(1);
      const rows = [...centre.rows];
      centre.rows.clear();
      await hours(6, 150_000);
      expect([one, other].map(({ id }) => site.entry(id).phase)).toEqual(["gone", "gone"]);
      for (const [id, row] of rows) centre.rows.set(id, row);
      centre.edit(one.row.id, { status: "done" });
      await hours(2);
      expect([one, other].map(({ id }) => site.entry(id))).toMatchObject([
        { phase: "linked", upstreamId: one.row.id },
        { phase: "linked", upstreamId: other.row.id },
      ]);
      expect(site.app.interventions.get(one.id).record.status).toBe("done");
      expect(site.conditions().filter((code) => !LOST_NOTES.has(code))).toEqual([]);
      expect(writes()).toEqual(["POST /interventii", "POST /interventii"]);
      expect(conflicts().filter((kind) => kind === "shown-again")).toHaveLength(2);
    },
  );

  test("stay deleted if only a dispatcher's record has their notes", async () => {
    const { id, row } = await alarm();
    await hours(1);
    centre.rows.delete(row.id);
    const added = followUp(row["notes"]);
    await hours(6, 150_000);
    expect(site.entry(id).phase).toBe("gone");
    await hours(3);
    expect(site.entry(id).phase).toBe("gone");
    expect([...centre.rows.values()]).toEqual([added]);
  });
});

test("a record of the former alarm's id is that of the next alarm, at a centre that drops notes and assigns the id again", async () => {
  centre.keeps = (record) => ({ ...record, notes: null });
  const { row } = await alarm("Hall", START);
  centre.restoreTo(row.id);
  const { id } = site.create({ name: "Hall", dateStart: "2026-11-20T22:10:00Z", priority: "high" });
  await site.push.cycle();
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: row.id });
  await hours(6, 200_000);
  const starts = [...centre.rows.values()].map(({ dateStart }) => dateStart);
  expect(starts.filter((start) => start === "2026-11-20T22:10:00Z")).toHaveLength(1);
});

test("an update that is answered with another record is not taken as confirmed", async () => {
  const one = await alarm("Burglary", START);
  const other = await alarm("Fire", "2026-11-20T21:45:00Z");
  centre.instead = ({ method }) => (method === "PUT" ? json(200, other.row) : undefined);
  site.app.interventions.update(one.id, { crews: 3 }, OPERATOR_USER);
  await site.push.cycle();
  centre.instead = () => undefined;
  expect(site.entry(one.id)).toMatchObject({ phase: "linked", lastCode: "ANOTHER-RECORD" });
  await hours(2);
  expect(centre.rows.get(one.row.id)).toEqual({ ...one.row, crews: 3 });
  expect(site.app.interventions.get(one.id).record).toMatchObject({ name: "Burglary", crews: 3 });
  expect(conflicts()).toEqual([]);
});
