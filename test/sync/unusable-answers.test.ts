import { beforeEach, describe, expect, test } from "vitest";
import { OPERATOR_USER } from "../support/app.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { json, type ReceivedRequest, type ScriptedResponse } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* Centres that create a record and answer without it, as with a queue of requests. */

const SUCCESSES: readonly [what: string, answer: ScriptedResponse][] = [
  ["202", { status: 202 }],
  ["200 with something else", json(200, { ok: true })],
  ["201 without a body", { status: 201 }],
  ["201 without the record", json(201, { created: true })],
];

let centre: InMemoryCentre;
let site: SyncingSite;
let answer: ScriptedResponse;
/** Milliseconds until the list shows a record. */
let lagMs: number;
let shownFromMs: Map<number, number>;

beforeEach(async () => {
  [answer, lagMs, shownFromMs] = [{ status: 202 }, 0, new Map()];
  centre = new InMemoryCentre();
  centre.instead = list;
  centre.afterwards = ({ method }) => {
    if (method !== "POST") return undefined;
    shownFromMs.set(centre.rows.size, site.app.clock.monotonicMs() + lagMs);
    return answer;
  };
  site = await SyncingSite.at(centre);
});

function list({ method, path }: ReceivedRequest): ScriptedResponse | undefined {
  if (method !== "GET" || !path.startsWith("/interventii?")) return undefined;
  const query = new URL(path, "http://centre").searchParams;
  const nowMs = site.app.clock.monotonicMs();
  const rows = [...centre.rows.values()]
    .filter(({ id }) => (shownFromMs.get(id) ?? 0) <= nowMs)
    .sort((a, b) => b.id - a.id);
  return json(200, rows.slice(Number(query.get("_start")), Number(query.get("_end"))));
}

/** Lets this time pass, five seconds at a time. */
async function pass(minutes: number): Promise<void> {
  for (let step = 0; step < 12 * minutes; step += 1) {
    site.app.clock.advance(5_000);
    await site.push.cycle();
  }
}

describe.each(SUCCESSES)("at a centre that answers a created record with %s", (_what, success) => {
  beforeEach(() => {
    answer = success;
  });

  test("many alarms and records are found, and the link stays up", async () => {
    for (let count = 0; count < 12; count += 1) {
      site.create({ name: `Alarm ${count}`, priority: "high" });
      site.create({ name: `Patrol ${count}` });
    }
    await site.push.cycle();
    expect(site.link.state.state).toBe("up");
    expect(centre.rows.size).toBe(24);
    await pass(1);
    expect(site.outbox.summary().waiting).toBe(0);
    expect(centre.rows.size).toBe(24);
    expect(site.conditions()).toEqual([]);
  });

  test("an alarm that its list shows after 45 s is one", async () => {
    lagMs = 45_000;
    const { id } = site.create({ priority: "high" });
    await site.push.cycle();
    await pass(5);
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
    expect(centre.rows.size).toBe(1);
  });

  test("an alarm that its list never shows is sent four times, then reported and sent every half hour, or by a retry", async () => {
    lagMs = Number.POSITIVE_INFINITY;
    const { id } = site.create({ priority: "high" });
    await site.push.cycle();
    await pass(25);
    expect(centre.writes.length).toBe(4);
    expect(site.entry(id).phase).toBe("unsure");
    expect(site.conditions()).toEqual(["upstream-alarm-unproved"]);
    await pass(30);
    expect(centre.writes.length).toBe(5);
    site.push.operator.retry(id);
    await pass(5);
    expect(centre.writes.length).toBe(6);
    expect(site.conditions()).toEqual(["upstream-alarm-unproved"]);
  });
});

test.each(SUCCESSES)(
  "updates that are answered with %s are applied, and the link stays up",
  async (_what, success) => {
    answer = json(201, { id: 1 });
    centre.afterwards = () => undefined;
    const ids = Array.from({ length: 6 }, (_, index) => site.create({ name: `Patrol ${index}` }).id);
    await site.push.cycle();
    centre.afterwards = ({ method }) => (method === "PUT" ? success : undefined);
    for (const id of ids) site.app.interventions.update(id, { crews: 3 }, OPERATOR_USER);
    await site.push.cycle();
    expect(site.link.state.state).toBe("up");
    await pass(1);
    expect(site.outbox.summary().waiting).toBe(0);
    expect([...centre.rows.values()].map(({ crews }) => crews)).toEqual(ids.map(() => 3));
    expect(site.conditions()).toEqual([]);
  },
);

test("an alarm that was lost often is sent again within minutes of one success without the record", async () => {
  const scripted = [504, 504, 504, 504, 504, 202];
  centre.afterwards = () => undefined;
  centre.instead = (request) => {
    const status = request.method === "POST" ? scripted.shift() : undefined;
    return status === undefined ? list(request) : { status };
  };
  const { id } = site.create({ priority: "high" });
  await site.push.cycle();
  for (let minutes = 0; scripted.length > 0 && minutes < 120; minutes += 1) await pass(1);
  expect(scripted).toEqual([]);
  expect(centre.rows.size).toBe(0);
  await pass(10);
  expect(centre.rows.size).toBe(1);
  expect(site.entry(id)).toMatchObject({ phase: "linked" });
});

test("an alarm is sent once to a centre of which some ids are texts", async () => {
  centre.add({ name: "Old" });
  centre.keeps = (record) => ({ ...record, id: `n-${centre.rows.size}` as unknown as number });
  centre.afterwards = () => undefined;
  site.create({ priority: "high" });
  await site.push.cycle();
  await pass(60);
  expect(centre.writes.length).toBe(1);
  expect(site.conditions()).toEqual(["upstream-alarm-unproved"]);
});
