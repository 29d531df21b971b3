import { beforeEach, describe, expect, test } from "vitest";
import { OPERATOR_USER } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import {
  json,
  notFound,
  type ReceivedRequest,
  type ScriptedResponse,
} from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* Centres that answer no read: their reads come from a copy that is down, or the account may only create records. */

const DENIAL = json(403, { error: "Forbidden", message: "no", statusCode: 403 });
const READS: readonly [what: string, answer: ScriptedResponse][] = [
  ["502", { status: 502, headers: { "Content-Type": "text/html" }, body: "<p>Bad gateway" }],
  ["503", json(503, {}, { "Retry-After": "30" })],
  ["403", DENIAL],
  ["405", json(405, { error: "Method Not Allowed", message: "no", statusCode: 405 })],
  ["501", json(501, { error: "Not Implemented", message: "no", statusCode: 501 })],
  ["the 404 of a gateway", { status: 404, headers: { "Content-Type": "text/html" }, body: "<p>" }],
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

  // A copy of the reads that is down works again; an account that may read nothing never gets further.
  const sendsMax = isDenied ? 5 : 1;
  test(`an alarm that is not answered either is sent ${isDenied ? "several times" : "once"}, and again once reads work`, async () => {
    centre.add({ name: "Typed" });
    await site.push.cycle();
    centre.instead = (request) => (isRead(request) ? answer : json(503, {}));
    const { id } = site.create({ priority: "high" });
    await site.push.cycle();
    await pass(60);
    expect(centre.writes).toHaveLength(sendsMax);
    centre.instead = () => undefined;
    await pass(16);
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 2 });
    expect(centre.rows.size).toBe(2);
    expect(site.conditions()).toEqual([]);
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

describe("at a centre that answers each read with a 404 of its own", () => {
  const allMissing = ({ method }: ReceivedRequest): ScriptedResponse | undefined =>
    method === "GET" ? notFound("no such path") : undefined;

  test("each record is created once, and the failing comparison is a condition after a day", async () => {
    centre.instead = allMissing;
    for (const priority of ["high", "low"] as const) site.create({ priority });
    await site.push.cycle();
    for (let hour = 0; hour < 26; hour += 1) {
      await pass(60);
      site.push.audit.makeDue();
      await site.push.audit.runIfDue();
    }
    expect(centre.writes).toHaveLength(2);
    expect(site.conditions()).toEqual(["upstream-not-compared"]);
  });

  test("no record counts as deleted, and changes and deletions follow once it can be read", async () => {
    const [changed, deleted] = [site.create({ name: "A" }), site.create({ name: "B" })];
    await site.push.cycle();
    centre.instead = allMissing;
    site.app.interventions.change(changed.id, { body: { status: "done" } }, OPERATOR_USER);
    site.app.interventions.delete(deleted.id, OPERATOR_USER);
    await pass(60);
    expect([changed, deleted].map(({ id }) => site.entry(id).phase)).toEqual(["linked", "linked"]);
    centre.instead = () => undefined;
    await pass(10);
    expect([...centre.rows.values()]).toMatchObject([{ name: "A", status: "done" }]);
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

describe("an account that may only create records, and whose first request gets no answer", () => {
  let isLost: (request: ReceivedRequest) => boolean;
  let posts: number;

  beforeEach(async () => {
    posts = 0;
    isLost = () => posts === 1;
    await site.push.cycle();
    centre.instead = (request) => {
      if (isRead(request)) return DENIAL;
      posts += 1;
      return isLost(request) ? json(503, {}) : undefined;
    };
  });

  test.each(["high", "medium"] as const)("sends it again: %s priority", async (priority) => {
    const { id } = site.create({ priority });
    await site.push.cycle();
    await pass(60);
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
    expect(centre.rows.size).toBe(1);
  });

  test("sends it again at once after a user has ordered it", async () => {
    isLost = () => posts <= 4;
    const { id } = site.create({ priority: "high" });
    await site.push.cycle();
    await pass(20);
    expect(site.entry(id).phase).toBe("unsure");
    expect(site.conditions()).toContain("upstream-alarm-unproved");
    site.push.operator.retry(id);
    await pass(2);
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
    expect(centre.rows.size).toBe(1);
    expect(site.conditions()).toEqual([]);
  });

  test("sends it four times, then once every half hour", async () => {
    isLost = () => true;
    site.create({ priority: "high" });
    await site.push.cycle();
    await pass(25);
    expect(posts).toBe(4);
    await pass(60);
    expect(posts).toBe(6);
  });

  test("reports it until it is confirmed, also while it is sent again", async () => {
    isLost = () => true;
    site.create({ priority: "high" });
    await site.push.cycle();
    const reported: boolean[] = [];
    for (let step = 0; step < 720; step += 1) {
      await pass(1 / 12);
      await site.push.cycle();
      reported.push(site.conditions().includes("upstream-alarm-unproved"));
    }
    expect(reported.slice(reported.indexOf(true))).not.toContain(false);
    isLost = () => false;
    await pass(60);
    expect(site.conditions()).toEqual([]);
  });

  test("leaves one record once it may read, although each request was applied", async () => {
    isLost = () => false;
    centre.afterwards = (request) => (isRead(request) ? undefined : json(504, {}));
    const { id } = site.create({ priority: "high" });
    await site.push.cycle();
    await pass(25);
    expect(centre.rows.size).toBe(4);
    centre.instead = () => undefined;
    centre.afterwards = () => undefined;
    await site.minutes(40);
    expect(site.entry(id).phase).toBe("linked");
    expect(centre.rows.size).toBe(1);
  });

  test("is not asked for more records than two if its answers are rewritten", async () => {
    isLost = () => false;
    centre.afterwards = (request) =>
      isRead(request) ? undefined : json(201, { id: posts, name: "REWRITTEN", dateStart: null });
    const { id } = site.create({ priority: "high" });
    await site.push.cycle();
    await pass(60);
    expect(site.entry(id).upstreamId).toBe(2);
    expect(posts).toBe(2);
  });

  test("searches first once it may read, after requests that were denied as well", async () => {
    isLost = () => false;
    centre.afterwards = ({ method }) => (method === "POST" && posts === 1 ? json(504, {}) : undefined);
    const { id } = site.create({ priority: "high" });
    await site.push.cycle();
    centre.instead = () => DENIAL;
    await pass(12);
    centre.instead = () => undefined;
    await pass(20);
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
    expect(centre.rows.size).toBe(1);
  });

  test("does not send a deleted one again", async () => {
    const { id } = site.create({ priority: "high" });
    await site.push.cycle();
    site.app.interventions.delete(id, OPERATOR_USER);
    await pass(60);
    expect(posts).toBe(1);
  });
});

describe.each<[what: string, answer: ScriptedResponse]>([
  ["an empty 201", { status: 201 }],
  ["202", json(202, {})],
])("an account that may only create records, and whose requests are answered with %s", (_what, success) => {
  let isDenied: boolean;

  beforeEach(async () => {
    await site.push.cycle();
    isDenied = true;
    centre.instead = (request) => (isDenied && isRead(request) ? DENIAL : undefined);
    centre.afterwards = ({ method }) => (method === "POST" ? success : undefined);
  });

  test("has one record until a user orders another one", async () => {
    const { id } = site.create({ priority: "high" });
    await site.push.cycle();
    await pass(90);
    site.restart();
    await pass(90);
    expect(centre.rows.size).toBe(1);
    expect(site.conditions()).toContain("upstream-alarm-unproved");
    site.push.operator.retry(id);
    await pass(90);
    expect(centre.rows.size).toBe(2);
    isDenied = false;
    await site.minutes(40);
    expect(site.entry(id).phase).toBe("linked");
    expect(centre.rows.size).toBe(1);
    expect(site.conditions()).toEqual([]);
  });

  test("has one record after other failures of its reads", async () => {
    site.create({ priority: "high" });
    await site.push.cycle();
    for (const answer of [DENIAL, json(500, {}), { status: 502 }, { status: 0 }]) {
      centre.instead = (request) => (isRead(request) ? answer : undefined);
      await pass(5);
    }
    centre.instead = (request) => (isRead(request) ? DENIAL : undefined);
    await pass(60);
    expect(centre.rows.size).toBe(1);
  });
});

test("a record that a user has ordered within seconds is sent, although its list fails each time", async () => {
  await site.push.cycle();
  const isSimple = ({ path }: ReceivedRequest): boolean => path === "/interventii?_start=0&_end=1";
  centre.instead = (request) => (isRead(request) && !isSimple(request) ? json(500, {}) : undefined);
  centre.afterwards = ({ method }) => (method === "POST" ? json(202, {}) : undefined);
  const { id } = site.create({ priority: "medium" });
  await site.push.cycle();
  await pass(1);
  expect(site.entry(id).lastCode).toBe("ANSWERED");
  site.push.operator.retry(id);
  await pass(60);
  expect(centre.rows.size).toBe(2);
});

test("the page of a network after a lost request does not count as the answer of the centre", async () => {
  await site.push.cycle();
  const page = { status: 200, headers: { "Content-Type": "text/html" }, body: "<p>" };
  const answers = [json(503, {}), page, page];
  centre.instead = (request) => (isRead(request) ? DENIAL : answers.shift());
  const { id } = site.create({ priority: "high" });
  await site.push.cycle();
  await pass(60);
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
  expect(centre.rows.size).toBe(1);
});

test("a gateway that denies everything for some minutes costs no second record", async () => {
  await site.push.cycle();
  centre.afterwards = ({ method }) => (method === "POST" ? json(504, {}) : undefined);
  const { id } = site.create({ priority: "high" });
  await site.push.cycle();
  centre.afterwards = () => undefined;
  for (const minutes of [1, 2, 4, 8]) {
    centre.instead = () => json(403, {});
    await pass(minutes);
    centre.instead = () => undefined;
    await pass(2);
  }
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
  expect(centre.writes.filter(({ method }) => method === "POST")).toHaveLength(1);
  expect(centre.rows.size).toBe(1);
});

test("a gateway that denies everything for a quarter of an hour after a lost alarm leaves one record", async () => {
  await site.push.cycle();
  const applied = ({ method }: ReceivedRequest): ScriptedResponse | undefined =>
    method === "POST" ? json(504, {}) : undefined;
  centre.afterwards = applied;
  const { id } = site.create({ priority: "high" });
  await site.push.cycle();
  centre.instead = () => json(403, {});
  await pass(15);
  centre.instead = () => undefined;
  centre.afterwards = () => undefined;
  await pass(10);
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
  expect(centre.rows.size).toBe(1);
});
