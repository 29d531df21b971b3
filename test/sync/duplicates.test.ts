import { beforeEach, expect, test } from "vitest";
import { OPERATOR_USER } from "../support/app.ts";
import { InMemoryCentre, type CentreRow } from "../support/in-memory-centre.ts";
import { json, type ReceivedRequest } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A record whose first request was lost, and arrives after the second one. */

const FIRST = {
  name: "Alarm",
  priority: "high",
  notes: "03:27 Door",
  dateStart: "2026-11-20T19:46:44",
} as const;

let centre: InMemoryCentre;
let site: SyncingSite;

beforeEach(async () => {
  centre = new InMemoryCentre();
  site = await SyncingSite.at(centre);
});

/**
 * The first request is lost, the second one creates record 1, and then the first one arrives as record 2.
 * @param delayMinutes until it arrives
 */
async function arrivedTwice(delayMinutes = 1): Promise<number> {
  let late: ReceivedRequest | undefined;
  centre.instead = (request) => {
    if (request.method === "POST") late = request;
    return request.method === "POST" ? json(504, {}) : undefined;
  };
  const { id } = site.create(FIRST);
  await site.push.cycle();
  centre.instead = () => undefined;
  await site.minutes(delayMinutes);
  if (late) centre.arrive(late);
  expect([...centre.rows.keys()]).toEqual([1, 2]);
  return id;
}

const isDeletion = ({ method }: ReceivedRequest): boolean => method === "DELETE";

test("a dispatcher deletes the linked one while the other is about to be deleted: that one stays, and is linked", async () => {
  const id = await arrivedTwice();
  centre.instead = ({ method, path }) => {
    if (method === "GET" && path === "/interventii/2") centre.rows.delete(1);
    return undefined;
  };
  await site.minutes(120);
  expect([...centre.rows.keys()]).toEqual([2]);
  expect(centre.writes.filter(isDeletion)).toEqual([]);
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 2 });
});

test("a person unlinks the record while the other is being deleted: it is searched for and linked again", async () => {
  const id = await arrivedTwice(60);
  let isUnlinked = false;
  centre.instead = (request) => {
    if (isDeletion(request) && !isUnlinked) {
      isUnlinked = true;
      site.app.database.exec("UPDATE outbox SET last_code = 'UNCLEAR', missing_since = 1");
      site.push.operator.retry(id);
    }
    return undefined;
  };
  site.app.clock.advance(86_400_000);
  await site.minutes(60);
  expect(isUnlinked).toBe(true);
  expect([...centre.rows.keys()]).toEqual([1]);
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
  expect(site.logLines.join("\n")).not.toContain("outbox-write-failed");
});

const WRITTEN: readonly [what: string, keeps: (row: CentreRow) => CentreRow][] = [
  ["the start in UTC", (row) => ({ ...row, dateStart: "2026-11-20T17:46:44.000Z" })],
  ["the start to the minute", (row) => ({ ...row, dateStart: "2026-11-20T19:46" })],
  ["the name in capitals", (row) => ({ ...row, name: String(row["name"]).toUpperCase() })],
  ["the name with escapes", (row) => ({ ...row, name: "A &amp; B" })],
  ["the id of the objective as a text", (row) => ({ ...row, objectiveId: String(row["objectiveId"]) })],
];

test.each(WRITTEN)(
  "an alarm that was deleted while it was unconfirmed is deleted at a centre that writes %s",
  async (what, keeps) => {
    centre.keeps = keeps;
    centre.afterwards = ({ method }) => (method === "POST" ? json(504, {}) : undefined);
    const { id } = site.create({ ...FIRST, ...(what.includes("escapes") ? { name: "A & B" } : {}) });
    await site.push.cycle();
    expect(centre.rows.size).toBe(1);
    site.app.interventions.delete(id, OPERATOR_USER);
    await site.minutes(5);
    expect(centre.rows.size).toBe(0);
  },
);

test.each<[what: string, changes: object]>([
  ["another start", { dateStart: "2026-11-20T20:10:00" }],
  ["another minute", { dateStart: "2026-11-20T19:47" }],
  ["another name", { name: "Repair" }],
  ["another objective", { objectiveId: 99 }],
])("a dispatcher's record with its notes and %s stays", async (_what, changes) => {
  const { id } = site.create(FIRST);
  await site.push.cycle();
  const [row] = [...centre.rows.values()] as [CentreRow];
  centre.rows.clear();
  site.app.database.exec(
    `UPDATE outbox SET phase = 'unsure', upstream_id = NULL, base = NULL, doubted = 1, sends = 1, next_at = 0`,
  );
  const { id: _id, ...fields } = row;
  centre.add({ ...fields, ...changes });
  site.app.interventions.delete(id, OPERATOR_USER);
  await site.minutes(30);
  expect(centre.rows.size).toBe(1);
});

test.each([WRITTEN[0], WRITTEN[2]] as typeof WRITTEN)(
  "of two that are found at once, one is deleted within minutes at a centre that writes %s",
  async (_what, keeps) => {
    centre.keeps = keeps;
    let late: ReceivedRequest | undefined;
    centre.instead = (request) => {
      if (request.method !== "POST" || late) return undefined;
      late = request;
      return json(504, {});
    };
    centre.afterwards = ({ method }) => (method === "POST" ? json(504, {}) : undefined);
    site.create(FIRST);
    await site.push.cycle();
    site.app.clock.advance(20_000);
    await site.push.cycle();
    if (late) centre.arrive(late);
    expect(centre.rows.size).toBe(2);
    await site.minutes(5);
    expect(centre.rows.size).toBe(1);
  },
);
