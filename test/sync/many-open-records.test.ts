import { beforeEach, expect, test } from "vitest";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { json } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A site with many open records: how long dispatchers' changes and losses at the centre stay unseen. */

const OPEN_RECORDS = 60;
const MORE_OPEN_RECORDS = 140;

let centre: InMemoryCentre;
let site: SyncingSite;
/** Local ids in the order in which the records were created and linked. */
let ids: number[];
/** Ids of the records that were read, in this order. */
let read: number[];

beforeEach(async () => {
  centre = new InMemoryCentre();
  read = [];
  centre.instead = ({ method, path }) => {
    const id = /^\/interventii\/(\d+)$/.exec(path)?.[1];
    if (method === "GET" && id !== undefined) read.push(Number(id));
    return undefined;
  };
  site = await SyncingSite.at(centre);
  ids = [];
  await create(OPEN_RECORDS);
  // The first comparison is past.
  await site.push.audit.runIfDue();
});

async function create(count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) ids.push(site.create({ name: `Old ${ids.length}` }).id);
  await site.push.cycle();
}

const statusHere = (id: number): string => site.app.interventions.get(id).record.status;
const upstreamId = (id: number): number => site.entry(id).upstreamId ?? 0;

/** Minutes until a condition holds; at most fifteen. */
async function minutesUntil(holds: () => boolean): Promise<number> {
  for (let minute = 1; minute <= 15; minute += 1) {
    await site.minutes(1);
    if (holds()) return minute;
  }
  return Number.POSITIVE_INFINITY;
}

async function compare(): Promise<void> {
  site.push.audit.makeDue();
  await site.push.audit.runIfDue();
}

test("each of two hundred is read within ten minutes, and no more than a fifth of them in a minute", async () => {
  await create(MORE_OPEN_RECORDS);
  await site.minutes(6);
  const last = ids.find((id) => upstreamId(id) === read.at(-1)) ?? 0;
  centre.edit(upstreamId(last), { status: "done" });
  read = [];
  const minutes = await minutesUntil(() => statusHere(last) === "done");
  expect(minutes).toBeLessThanOrEqual(6);
  expect(read.length / minutes).toBeLessThanOrEqual(ids.length / 5);
});

test("on a slow link the reads of a minute end after half of it", async () => {
  await create(MORE_OPEN_RECORDS);
  site.app.clock.advance(360_000);
  read = [];
  const { instead } = centre;
  centre.instead = (request) => {
    site.app.clock.advance(1_300);
    return instead(request);
  };
  await site.push.cycleWithChecks();
  expect(read).toHaveLength(24);
});

test("an open alarm is read before the others that are due", async () => {
  const { id: alarm } = site.create({ name: "Alarm", priority: "high" });
  await site.push.cycle();
  site.app.clock.advance(360_000);
  read = [];
  await site.push.cycleWithChecks();
  expect(read[0]).toBe(upstreamId(alarm));
});

test("a record whose row of the comparison has changed is read at the next check, before the others", async () => {
  site.app.clock.advance(3_600_000);
  const newest = ids.at(-1) ?? 0;
  centre.edit(upstreamId(newest), { status: "in_progress", crews: 2 });
  await compare();
  read = [];
  await site.minutes(1);
  expect(read[0]).toBe(upstreamId(newest));
  expect(statusHere(newest)).toBe("in_progress");
});

test("a record that the comparison misses is known to be gone two minutes later, before the others are read", async () => {
  site.app.clock.advance(3_600_000);
  const missing = ids.at(-1) ?? 0;
  centre.rows.delete(upstreamId(missing));
  await compare();
  expect(await minutesUntil(() => site.entry(missing).phase === "gone")).toBeLessThanOrEqual(4);
});

test("a list that writes values in another way than a read has each record read once", async () => {
  centre.afterwards = ({ method, path }) => {
    if (method !== "GET" || !path.includes("?")) return undefined;
    const query = new URL(path, "http://centre").searchParams;
    const rows = [...centre.rows.values()]
      .sort((a, b) => b.id - a.id)
      .slice(Number(query.get("_start")), Number(query.get("_end")));
    return json(
      200,
      rows.map((row) => ({ ...row, crews: String(row["crews"]) })),
    );
  };
  await compare();
  expect(due()).toBe(OPEN_RECORDS);
  await site.minutes(5);
  expect(due()).toBe(0);
  await compare();
  expect(due()).toBe(0);
});

/** The number of records that are due to be read. */
function due(): number {
  const count = "SELECT count(*) FROM outbox WHERE verify_at <= ?";
  return site.app.database.prepare<[number], number>(count).pluck().get(site.app.clock.wallMs()) ?? 0;
}

test("a centre that limits requests gets no more than twenty reads a minute afterwards", async () => {
  await create(MORE_OPEN_RECORDS);
  const { instead } = centre;
  let isLimited = true;
  centre.instead = (request) => {
    const answer = instead(request);
    return isLimited && read.length > 25 ? json(429, {}, { "Retry-After": "30" }) : answer;
  };
  read = [];
  await site.minutes(6);
  expect(read.length).toBeGreaterThan(25);
  isLimited = false;
  await site.minutes(2);
  read = [];
  await site.minutes(5);
  expect(read.length).toBeGreaterThan(0);
  expect(read.length).toBeLessThanOrEqual(100);
});
