import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A memory card flips a bit in a text of an outbox entry, which is not JSON then. */

let centre: InMemoryCentre;
let site: SyncingSite;

beforeEach(async () => {
  centre = new InMemoryCentre();
  site = await SyncingSite.at(centre);
});

function damage(...columns: readonly string[]): void {
  for (const column of columns)
    site.app.database.prepare(`UPDATE outbox SET ${column} = 'z' || substr(${column}, 2)`).run();
  site.restart();
}

/** Advances a quarter of an hour and runs every due check, and the comparison. */
async function look(): Promise<void> {
  site.app.clock.advance(1_000_000);
  await site.push.cycleWithChecks();
  site.push.audit.makeDue();
  await site.push.audit.runIfDue();
}

test("a linked record goes on, with the changes of both sides", async () => {
  const { id } = site.create({ notes: "by the gate" }, randomUUID());
  await site.push.cycle();
  damage("base", "agreed");
  centre.edit(1, { crews: 3 });
  await look();
  expect(site.app.interventions.get(id).record.crews).toBe(3);
  centre.edit(1, { status: "done" });
  await look();
  expect(site.app.interventions.get(id).record).toMatchObject({ status: "done", notes: "by the gate" });
  expect(centre.rows.size).toBe(1);
});

describe.each([
  ["has arrived", true],
  ["has not arrived", false],
])("an unconfirmed record whose request %s", (_what, hasArrived) => {
  test("is at the centre once, with its content", async () => {
    const fault = { status: 504, body: "<html>" };
    centre.instead = ({ method }) => (method === "POST" && !hasArrived ? fault : undefined);
    centre.afterwards = ({ method }) => (method === "POST" ? fault : undefined);
    const { id } = site.create({ notes: "by the gate" }, randomUUID());
    await site.push.cycle();
    expect(site.entry(id).phase).toBe("unsure");
    damage("attempt_body");
    centre.instead = () => undefined;
    centre.afterwards = () => undefined;
    for (let hour = 0; hour < 4; hour += 1) await site.cycleAfterWait();
    await look();
    expect(site.entry(id).phase).toBe("linked");
    expect([...centre.rows.values()].map(({ name, notes }) => [name, String(notes).split("\n")[0]])).toEqual([
      [site.app.interventions.get(id).record.name, "by the gate"],
    ]);
  });
});

describe.each([
  ["the name of a field", '"objectiveType"', '"objectiveTxpe"'],
  ["a value", '"priority":"high"', '"priority":"hifh"'],
  ["the name of a text", '"notes"', '"notds"'],
])("a waiting alarm whose content has a flipped bit in %s", (_what, from, to) => {
  test.each([
    ["unconfirmed", { status: 504, body: "<html>" }],
    ["not accepted", { status: 503, body: "{}" }],
  ])("arrives as it is here, although it was %s", async (_state, answer) => {
    centre.instead = ({ method }) => (method === "POST" ? answer : undefined);
    const { id } = site.create({ priority: "high", notes: "by the gate" }, randomUUID());
    await site.push.cycle();
    const { changes } = site.app.database
      .prepare("UPDATE outbox SET attempt_body = replace(attempt_body, ?, ?) WHERE instr(attempt_body, ?)")
      .run(from, to, from);
    expect(changes).toBe(1);
    const key = site.entry(id).attempt?.key;
    site.restart();
    expect(site.entry(id).attempt?.key).toBe(key);
    centre.instead = ({ method, body }) =>
      method === "POST" && body.includes(to)
        ? { status: 400, body: '{"error":"Bad Request","message":"invalid","statusCode":400}' }
        : undefined;
    for (let hour = 0; hour < 4; hour += 1) await site.cycleAfterWait();
    expect(site.entry(id).phase).toBe("linked");
    expect([...centre.rows.values()]).toMatchObject([
      { priority: "high", objectiveType: "obiective/cladiri" },
    ]);
    expect(site.app.interventions.get(id).record.notes).toBe("by the gate");
  });
});

test("an undamaged attempt is repeated with its key after a restart", async () => {
  centre.instead = ({ method }) => (method === "POST" ? { status: 504, body: "<html>" } : undefined);
  const { id } = site.create(
    { notes: "by the gate", police: true, dateStart: "2026-11-20T23:30:00" },
    "key-1",
  );
  await site.push.cycle();
  const before = site.entry(id).attempt;
  site.restart();
  expect(site.entry(id).attempt).toEqual(before);
});

test("a damaged comparison with the dispatch centre is none until the next", async () => {
  site.create({}, randomUUID());
  await site.push.cycle();
  await look();
  expect(site.outbox.comparison()).toMatchObject({ here: 1, there: 1 });
  for (const [from, to] of [
    ["differences", "differencer"],
    ["atMs", "auMs"],
  ]) {
    const { changes } = site.app.database
      .prepare("UPDATE centre_facts SET value = replace(value, ?, ?) WHERE instr(value, ?)")
      .run(from, to, from);
    expect(changes).toBe(1);
    expect(site.outbox.comparison()).toBeNull();
    await look();
    expect(site.outbox.comparison()).toMatchObject({ here: 1, there: 1 });
  }
});
