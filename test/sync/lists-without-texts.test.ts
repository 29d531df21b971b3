import { beforeEach, describe, expect, test } from "vitest";
import { OPERATOR_USER } from "../support/app.ts";
import { type CentreRow, InMemoryCentre } from "../support/in-memory-centre.ts";
import { json, type ReceivedRequest } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* Centres whose list shows less of a record than a read of it: without the text that has the reference, or a part of it. */

const NOTES_SHOWN = 20;

const LISTS: readonly [what: string, shown: (row: CentreRow) => object][] = [
  ["neither texts nor dates", ({ id, name }) => ({ id, name })],
  ["null for texts", (row) => ({ ...row, notes: null, description: null })],
  [
    "the beginnings of texts",
    (row) => ({ ...row, notes: `${((row["notes"] ?? "") as string).slice(0, NOTES_SHOWN)}…` }),
  ],
  ["no texts and no invoice", ({ notes: _notes, invoicePdf: _invoice, ...row }) => row],
];

const START = "2026-11-20T10:00:00Z";
const ALARM = { priority: "high", dateStart: START, notes: "Trip of the zone at the back door" } as const;

let centre: InMemoryCentre;
let site: SyncingSite;
let shown: (row: CentreRow) => object;
/** Reads of single records. */
let reads: number;

beforeEach(async () => {
  [centre, reads] = [new InMemoryCentre(), 0];
  centre.instead = list;
  site = await SyncingSite.at(centre);
});

function list({ method, path }: ReceivedRequest): ReturnType<InMemoryCentre["instead"]> {
  if (method === "GET" && /^\/interventii\/\d+$/.test(path)) reads += 1;
  if (method !== "GET" || !path.startsWith("/interventii?")) return undefined;
  const query = new URL(path, "http://centre").searchParams;
  const rows = [...centre.rows.values()].sort((a, b) => b.id - a.id).map(shown);
  return json(200, rows.slice(Number(query.get("_start")), Number(query.get("_end") ?? rows.length)));
}

/** Lets this time pass, a minute at a time. */
async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    site.app.clock.advance(60_000);
    await site.push.cycleWithChecks();
  }
}

async function compare(): Promise<void> {
  site.app.clock.advance(60_000);
  site.push.audit.makeDue();
  await site.push.audit.runIfDue();
}

/** The first POST is lost; it arrives when the second one was answered. */
async function sendTwice(): Promise<number> {
  let isLost = false;
  centre.instead = (request) => {
    if (request.method !== "POST" || isLost) return list(request);
    isLost = true;
    return json(504, {});
  };
  const { id } = site.create(ALARM);
  await site.push.cycle();
  await pass(2);
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
  const [first] = centre.writes;
  if (first) centre.arrive(first);
  return id;
}

describe.each(LISTS)("at a centre whose list shows %s", (_what, shows) => {
  beforeEach(() => {
    shown = shows;
  });

  test("a second record of an alarm is removed", async () => {
    await sendTwice();
    expect(centre.rows.size).toBe(2);
    await pass(20);
    expect([...centre.rows.keys()]).toEqual([1]);
  });

  test("a second record with an invoice stays, and the other one is removed", async () => {
    const id = await sendTwice();
    centre.edit(2, { invoicePdf: "invoice.pdf" });
    await pass(20);
    expect([...centre.rows.keys()]).toEqual([2]);
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 2 });
  });

  test("the records of the site are compared as they are", async () => {
    for (const name of ["Hall", "Yard"]) site.create({ ...ALARM, name });
    await site.push.cycle();
    centre.add({ name: "Hall", notes: "typed" });
    for (let hour = 0; hour < 3; hour += 1) await compare();
    expect(site.outbox.comparison()).toMatchObject({ here: 2, there: 2, differences: [] });
    expect(site.conditions()).toEqual([]);
    centre.rows.delete(2);
    await compare();
    expect(site.outbox.comparison()).toMatchObject({ here: 2, there: 1, differing: 1 });
  });

  test("a new memory card adopts the records of the site", async () => {
    const typed = { objectiveType: "obiective/cladiri", objectiveId: 12, dateStart: START };
    centre.add({ ...typed, name: "Before", notes: "[ref:test-01939a3e-5c1b-7000-8000-00000000a1a7]" });
    centre.add({ ...typed, name: "Typed", notes: "typed" });
    await site.push.audit.readBackRecords();
    site.create({ ...ALARM, name: "Alarm" });
    await site.push.cycle();
    await compare();
    const names = site.app.records().map(({ name }) => name);
    expect(names.sort()).toEqual(["Alarm", "Before"]);
  });
});

test("a list that shows the texts costs no read of a record in a sweep or a comparison", async () => {
  shown = (row) => row;
  site.create(ALARM);
  await site.push.cycle();
  for (let count = 0; count < 40; count += 1) centre.add({ ...ALARM, name: "Patrol", notes: null });
  await pass(4);
  const before = reads;
  await compare();
  await pass(1);
  expect(reads - before).toBeLessThanOrEqual(1);
});

test("a change by a dispatcher of one of two records is kept", async () => {
  shown = ({ id, name }) => ({ id, name });
  const id = await sendTwice();
  centre.edit(2, { crews: 4 });
  await pass(20);
  expect([...centre.rows.keys()]).toEqual([2]);
  expect(site.app.interventions.get(id).record.crews).toBe(4);
  site.app.interventions.update(id, { police: true }, OPERATOR_USER);
  await pass(1);
  expect(centre.rows.get(2)).toMatchObject({ police: true, crews: 4 });
});

test("an account that may not read the records of others sends a lost alarm again, and compares its own", async () => {
  shown = ({ id, name }) => ({ id, name });
  const denied = centre.add({ ...ALARM, name: "Alarm", notes: "typed" });
  const denial = { error: "Forbidden", message: "no", statusCode: 403 };
  let isLost = false;
  centre.instead = (request) => {
    const isFirst = request.method === "POST" && !isLost;
    if (isFirst) isLost = true;
    if (isFirst) return json(504, {});
    return request.path.endsWith(`/${denied.id}`) ? json(403, denial) : list(request);
  };
  const { id } = site.create({ ...ALARM, name: "Alarm" });
  await site.push.cycle();
  await pass(2);
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 2 });
  await compare();
  expect(site.outbox.comparison()).toMatchObject({ here: 1, there: 1, differences: [] });
});
