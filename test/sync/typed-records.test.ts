import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Intervention, InterventionCreate } from "../../src/domain/intervention.ts";
import { OPERATOR_USER, PATROL, TestApp } from "../support/app.ts";
import { FaultProxy } from "../support/fault-proxy.ts";
import { LINE_FAULTS } from "../support/line-faults.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* The POST of an alarm is lost on its way, and a dispatcher types a record of the same event before the link is back. */

let centre: TestApp;
let line: FaultProxy;
let site: SyncingSite;

beforeEach(async () => {
  centre = await TestApp.forTest();
  line = new FaultProxy(await centre.listen());
  site = new SyncingSite(await TestApp.make(), `http://127.0.0.1:${await line.start()}`);
});
afterEach(async () => {
  await line.stop();
  await site.close();
});

const there = (): Intervention[] => centre.records();
const START = "2026-11-20T21:30:07";

/** An alarm whose POST meets this fault, after which the link is up. @returns its id */
async function alarm(fault: keyof typeof LINE_FAULTS, fields: Partial<InterventionCreate>): Promise<number> {
  line.faultFor = ({ method, path }) =>
    method === "POST" && path === "/interventii" ? LINE_FAULTS[fault] : undefined;
  const { id } = site.create({ priority: "high", crews: 2, dateStart: START, ...fields });
  await site.push.cycle();
  expect(site.entry(id).phase).toBe("unsure");
  line.faultFor = () => undefined;
  return id;
}

const lostAlarm = (fields: Partial<InterventionCreate> = {}): Promise<number> =>
  alarm("a gateway responds with 502 in HTML without forwarding the request", fields);

function typed(fields: Partial<InterventionCreate> = {}): number {
  const record = {
    ...PATROL,
    priority: "high",
    dateStart: START,
    notes: "the owner called",
    ...fields,
  } as const;
  return centre.interventions.create(record, OPERATOR_USER).record.id;
}

const conflicts = (): unknown[] =>
  site.app.events
    .newest(20)
    .filter(({ event }) => event === "sync-conflict")
    .map(({ detail }) => detail);

test("an alarm is one intervention with a record of its name and second, whose values and notes remain", async () => {
  const id = await lostAlarm();
  const typedId = typed({ crews: 3 });
  await site.cycleAfterWait();
  await site.push.cycleWithChecks();
  expect(there()).toMatchObject([
    { id: typedId, crews: 3, notes: expect.stringMatching(/^the owner called\n\[ref:test-/) },
  ]);
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: typedId });
  expect(site.app.interventions.get(id).record).toMatchObject({ crews: 3, notes: "the owner called" });
  expect(conflicts()).toContainEqual({
    conflict: "linked",
    phase: "linked",
    reason: expect.stringContaining(`record ${typedId} of the dispatch centre is linked`) as string,
  });
});

describe("an alarm is an intervention of its own beside a record", () => {
  test.each<[what: string, fields: Partial<InterventionCreate>, twin: Partial<InterventionCreate>]>([
    ["of the same minute", {}, { dateStart: "2026-11-20T21:30:00" }],
    ["without a start", {}, { dateStart: null }],
    ["without a start, if it has none itself", { dateStart: null }, { dateStart: null }],
    ["with another name", {}, { name: "Burglary" }],
    ["with the reference of another site", {}, { notes: "[ref:elsewhere-1]" }],
  ])("%s, which is not changed", async (_what, fields, twin) => {
    const id = await lostAlarm(fields);
    const typedId = typed(twin);
    const before = there()[0];
    await site.cycleAfterWait();
    await site.cycleAfterWait();
    expect(there()).toHaveLength(2);
    expect(there().find((record) => record.id === typedId)).toEqual(before);
    expect(site.entry(id).phase).toBe("linked");
    expect(site.entry(id).upstreamId).not.toBe(typedId);
    expect(conflicts()).toEqual([]);
  });
});

test("an alarm that arrived is not created again after a dispatcher has replaced its notes", async () => {
  const id = await alarm("the connection is reset after the request is applied, before the response", {});
  const upstreamId = there()[0]?.id ?? 0;
  centre.interventions.update(upstreamId, { notes: "crew on its way" }, OPERATOR_USER);
  await site.cycleAfterWait();
  await site.push.cycleWithChecks();
  expect(there()).toMatchObject([
    { id: upstreamId, notes: expect.stringMatching(/^crew on its way\n\[ref:/) },
  ]);
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId });
});
