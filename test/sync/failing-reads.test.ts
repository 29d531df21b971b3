import { beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { json, type ReceivedRequest, type ScriptedResponse } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* Centres that answer no read: their reads come from a copy that is down, or the account may only create records. */

const READS: readonly [what: string, answer: ScriptedResponse][] = [
  ["502", { status: 502, headers: { "Content-Type": "text/html" }, body: "<p>Bad gateway" }],
  ["503", json(503, {}, { "Retry-After": "30" })],
  ["403", json(403, { error: "Forbidden", message: "no", statusCode: 403 })],
];

let centre: InMemoryCentre;
let site: SyncingSite;
beforeEach(async () => {
  centre = new InMemoryCentre();
  site = await SyncingSite.at(centre);
});

const isRead = ({ method }: ReceivedRequest): boolean => method === "GET";

/** Lets this time pass, five seconds at a time. */
async function pass(minutes: number): Promise<void> {
  for (let step = 0; step < 12 * minutes; step += 1) {
    site.app.clock.advance(5_000);
    await site.push.cycle();
  }
}

describe.each(READS)("at a centre that answers each read with %s", (_what, answer) => {
  test("an alarm is created, and found again once reads work", async () => {
    centre.instead = (request) => (isRead(request) ? answer : undefined);
    const { id } = site.create({ priority: "high" });
    await site.push.cycle();
    await pass(16);
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
    centre.instead = () => undefined;
    await pass(30);
    expect(centre.rows.size).toBe(1);
    expect(site.conditions()).toEqual([]);
  });

  const isDenied = answer.status === 403;
  test(`a record of a lower priority ${isDenied ? "is created too, because waiting does not help" : "waits"}`, async () => {
    centre.instead = (request) => (isRead(request) ? answer : undefined);
    for (const name of ["Leak", "Tamper", "Battery"]) site.create({ name });
    await site.push.cycle();
    await pass(46);
    expect(centre.rows.size).toBe(isDenied ? 3 : 0);
    centre.instead = () => undefined;
    await pass(30);
    expect(new Set([...centre.rows.values()].map(({ name }) => name))).toEqual(
      new Set(["Battery", "Leak", "Tamper"]),
    );
    expect(centre.writes).toHaveLength(3);
    expect(site.conditions()).toEqual([]);
  });

  test("an alarm that is not answered either is sent once, and again once reads work", async () => {
    centre.add({ name: "Typed" });
    await site.push.cycle();
    centre.instead = (request) => (isRead(request) ? answer : json(503, {}));
    const { id } = site.create({ priority: "high" });
    await site.push.cycle();
    await pass(60);
    expect(centre.writes).toHaveLength(1);
    centre.instead = () => undefined;
    await pass(16);
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 2 });
    expect(centre.rows.size).toBe(2);
  });

  test("the first alarm of a new memory card is created", async () => {
    centre.instead = (request) => (isRead(request) ? answer : undefined);
    const scheduler = site.scheduler();
    scheduler.start();
    site.create({ priority: "high" });
    scheduler.requestRun({ urgent: true });
    await eventually("the alarm at the centre", () => {
      site.app.clock.advance(15_000);
      return centre.rows.size === 1;
    });
  });
});

test.each([
  ["an unset sign-in", (): ScriptedResponse => json(401, {})],
  [
    "the page of a public network",
    (): ScriptedResponse => ({ status: 200, headers: { "Content-Type": "text/html" }, body: "<p>" }),
  ],
])("an alarm is not sent after %s", async (_what, answer) => {
  centre.instead = answer;
  site.create({ priority: "high" });
  await site.push.cycle();
  await pass(20);
  expect(centre.writes).toEqual([]);
});
