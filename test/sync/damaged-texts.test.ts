import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { OPERATOR_USER } from "../support/app.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A memory card flips a bit in a text of a record or of its outbox entry, which is no date or JSON then. */

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

describe("a record with a damaged date", () => {
  const DATED = { dateStart: "2026-11-20T23:30:00", dateEnd: "2026-11-21T01:00:00" };
  let id: number;
  beforeEach(async () => {
    ({ id } = site.create(DATED, randomUUID()));
    await site.push.cycle();
    site.app.database.exec("UPDATE interventions SET dateStart = '~026-11-20T23:30:00', dateEnd = 'x'");
    site.restart();
  });

  test("takes the changes of both sides and holds up no other", async () => {
    centre.edit(1, { crews: 3 });
    await look();
    expect(site.app.interventions.get(id).record.crews).toBe(3);
    expect(site.app.interventions.update(id, { notes: "by the gate" }, OPERATOR_USER).record.notes).toBe(
      "by the gate",
    );
    site.create({ priority: "high" }, randomUUID());
    await site.push.cycle();
    expect(centre.rows.size).toBe(2);
  });

  test("has a date again once a dispatcher or a user gives one", async () => {
    centre.edit(1, { dateStart: "2026-11-20T23:45:00" });
    await look();
    const { dateEnd, ...fields } = DATED;
    expect(() => site.app.interventions.update(id, { dateEnd: "x" }, OPERATOR_USER)).toThrow(
      "dateEnd must be",
    );
    site.app.interventions.update(id, { dateEnd }, OPERATOR_USER);
    expect(site.app.interventions.get(id).record).toMatchObject({
      ...fields,
      dateStart: "2026-11-20T23:45:00",
      dateEnd,
    });
  });
});

test("a text that is damaged while the daemon runs holds up no other record, is a condition, and is corrected", async () => {
  const { id } = site.create({ priority: "high", notes: "by the gate" }, randomUUID());
  await site.push.cycle();
  site.app.database.exec("UPDATE outbox SET base = 'z' || substr(base, 2)");
  site.app.interventions.update(id, { crews: 2 }, OPERATOR_USER);
  site.create({ priority: "high" }, randomUUID());
  await site.push.cycle();
  expect(centre.rows.size).toBe(2);
  expect(site.health.list()).toMatchObject([
    { code: "outbox-write-failed", subject: `intervention ${id}`, text: expect.stringContaining("JSON") },
  ]);
  expect(site.entry(id)).toMatchObject({ phase: "linked", lastError: expect.stringContaining("JSON") });
  await site.cycleAfterWait();
  expect(centre.rows.get(1)).toMatchObject({ crews: 2 });
  expect(site.conditions()).toEqual([]);
});

test("a record that cannot be sent is no longer reported once a user drops it", async () => {
  const { id } = site.create({}, randomUUID());
  const attempt = { key: "earlier", body: "z", rev: 9, atMs: 0 };
  site.outbox.save({ ...site.entry(id), possiblyDuplicated: true, attempt });
  await site.push.cycle();
  expect(site.health.list()).toMatchObject([{ code: "outbox-write-failed", subject: `intervention ${id}` }]);
  site.push.operator.drop(id);
  await site.push.cycle();
  expect(site.conditions()).toEqual([]);
});
