import { beforeEach, describe, expect, test } from "vitest";
import type { Intervention, InterventionCreate } from "../../src/domain/intervention.ts";
import { TestApp, OPERATOR_USER } from "../support/app.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* Manual commands for single records; the application is the dispatch centre. */

let centre: TestApp;
let site: SyncingSite;

beforeEach(async () => {
  centre = await TestApp.make();
  site = await SyncingSite.at(centre);
});

const there = (): Intervention[] => centre.records();

async function linked(fields: Partial<InterventionCreate> = {}): Promise<{ id: number; upstreamId: number }> {
  const { id } = site.create({ description: "ours", ...fields });
  await site.push.cycle();
  return { id, upstreamId: site.entry(id).upstreamId ?? 0 };
}

describe("a record that the dispatch centre has deleted", () => {
  test("is created there again by each manual retry", async () => {
    const { id, upstreamId } = await linked();
    let deletedId = upstreamId;
    for (const crews of [2, 3]) {
      centre.interventions.delete(deletedId, OPERATOR_USER);
      site.app.interventions.update(id, { crews }, OPERATOR_USER);
      await site.cycleAfterWait();
      await site.cycleAfterWait();
      expect(site.entry(id).phase).toBe("gone");
      site.push.operator.retry(id);
      await site.push.cycle();
      expect(there()).toMatchObject([{ crews, description: "ours" }]);
      deletedId = there()[0]?.id ?? 0;
    }
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: deletedId });
  });

  test("can be dropped, and stays on site", async () => {
    const { id, upstreamId } = await linked();
    centre.interventions.delete(upstreamId, OPERATOR_USER);
    site.app.interventions.update(id, { crews: 2 }, OPERATOR_USER);
    await site.push.cycle();
    await site.cycleAfterWait();
    site.push.operator.drop(id);
    await site.cycleAfterWait();
    expect(there()).toEqual([]);
    expect(site.entry(id).phase).toBe("closed");
    expect(site.app.interventions.get(id).record.crews).toBe(2);
    expect(site.conditions()).toEqual([]);
  });
});

test("a record that the dispatch centre has or may have cannot be dropped, only deleted", async () => {
  const { id } = await linked();
  expect(() => site.push.operator.drop(id)).toThrow(/dispatch centre has it or may have it/);
});

test("a rejected record is sent again at once at each manual retry", async () => {
  const yard = { id: 44, name: "Yard", status: "active" };
  site.app.objectives.import({ "obiective/cladiri": [yard] }, "import");
  const { id } = site.create({ objectiveId: yard.id });
  await site.push.cycle();
  for (const _ of [1, 2, 3]) {
    expect(site.entry(id).phase).toBe("blocked");
    site.push.operator.retry(id);
    await site.push.cycle();
  }
  centre.objectives.import({ "obiective/cladiri": [yard] }, "import");
  site.push.operator.retry(id);
  await site.push.cycle();
  expect(site.entry(id).phase).toBe("linked");
  expect(there()).toMatchObject([{ objectiveId: yard.id }]);
});

test("an unknown record is reported", async () => {
  expect(() => site.push.operator.retry(99)).toThrow(/there is no intervention 99/);
  expect(() => site.push.operator.drop(99)).toThrow(/there is no intervention 99/);
  await expect(site.push.operator.reassert(99)).rejects.toThrow(/there is no intervention 99/);
});

describe("the local version can be enforced", () => {
  test("over older values of a dispatch centre restored from a backup", async () => {
    const { id, upstreamId } = await linked();
    centre.interventions.update(upstreamId, { description: "older", crews: 9 }, OPERATOR_USER);
    await site.push.operator.reassert(id);
    await site.push.cycle();
    expect(there()).toMatchObject([
      { description: "ours", crews: 1, notes: expect.stringMatching(/\[ref:/) },
    ]);
    expect(site.app.interventions.get(id).record).toMatchObject({ description: "ours", crews: 1 });
  });

  test("and a message reports when there is nothing to correct", async () => {
    const { id } = site.create();
    await expect(site.push.operator.reassert(id)).rejects.toThrow(/has no record at the dispatch centre/);
  });

  test("and a message reports when the dispatch centre does not show the record", async () => {
    const { id, upstreamId } = await linked();
    centre.interventions.delete(upstreamId, OPERATOR_USER);
    await expect(site.push.operator.reassert(id)).rejects.toThrow(/cannot be read now/);
  });
});

describe("a change by the dispatcher", () => {
  test("is pulled with the invoice, and changes of the site remain", async () => {
    const { id, upstreamId } = await linked();
    centre.interventions.update(upstreamId, { status: "in_progress", crews: 4 }, OPERATOR_USER);
    centre.database.exec("UPDATE interventions SET invoicePdf = 'https://centre.example/1.pdf'");
    site.app.clock.advance(301_000);
    await site.push.cycleWithChecks();
    expect(site.app.interventions.get(id).record).toMatchObject({
      status: "in_progress",
      crews: 4,
      invoicePdf: "https://centre.example/1.pdf",
      description: "ours",
      notes: null,
    });
    expect(there()[0]?.notes).toMatch(/\[ref:/);
  });

  test("of a field that was changed on both sides is merged by the rule of the field, and logged", async () => {
    const { id, upstreamId } = await linked();
    centre.interventions.update(
      upstreamId,
      { status: "done", crews: 4, description: "theirs" },
      OPERATOR_USER,
    );
    site.app.interventions.update(id, { status: "in_progress", crews: 2, description: "new" }, OPERATOR_USER);
    await site.push.cycle();
    const merged = { status: "done", crews: 4, description: "new" };
    expect(there()).toMatchObject([merged]);
    expect(site.app.interventions.get(id).record).toMatchObject(merged);
    const told = site.app.events.newest(10).find(({ event }) => event === "sync-conflict");
    expect(told?.detail).toMatchObject({
      fields: expect.arrayContaining([{ field: "crews", here: 2, there: 4, kept: "there" }]),
    });
  });
});

test("a reference removed by a dispatcher is restored when the start identifies the record", async () => {
  const { upstreamId } = await linked({ dateStart: "2026-11-20T21:30:00Z" });
  centre.interventions.update(upstreamId, { notes: "called the owner" }, OPERATOR_USER);
  site.app.clock.advance(301_000);
  await site.push.cycleWithChecks();
  expect(there()[0]?.notes).toMatch(/^called the owner\n\[ref:test-/);
});

describe("a record without a start and reference may be another call of the same name", () => {
  async function unclear(): Promise<{ id: number; upstreamId: number }> {
    const record = await linked();
    centre.interventions.update(record.upstreamId, { notes: "called the owner" }, OPERATOR_USER);
    site.app.interventions.update(record.id, { crews: 2 }, OPERATOR_USER);
    await site.push.cycle();
    return record;
  }

  test("and is neither changed nor created again until a user decides", async () => {
    const { id } = await unclear();
    await site.cycleAfterWait();
    expect(there()).toMatchObject([{ crews: 1, notes: "called the owner" }]);
    expect(site.outbox.summary()).toMatchObject({ doubtful: 1 });
    expect(site.entry(id).lastError).toMatch(/sync reassert/);
  });

  test("and is ours after a manual confirmation: it gets its reference and our changes", async () => {
    const { id } = await unclear();
    await site.push.operator.reassert(id);
    await site.push.cycle();
    expect(there()).toMatchObject([{ crews: 2, notes: expect.stringMatching(/\[ref:test-/) }]);
    expect(site.outbox.summary()).toMatchObject({ doubtful: 0, waiting: 0 });
  });

  test("and is not changed after a manual rejection: ours is created again", async () => {
    const { id, upstreamId } = await unclear();
    site.push.operator.retry(id);
    await site.cycleAfterWait();
    expect(there()).toMatchObject([{ id: upstreamId, crews: 1, notes: "called the owner" }, { crews: 2 }]);
    expect(site.outbox.summary()).toMatchObject({ doubtful: 0, waiting: 0 });
  });
});
