import { beforeEach, describe, expect, test } from "vitest";
import { DEVICE_USER, OPERATOR_USER, TestApp } from "../support/app.ts";
import { json, type ReceivedRequest } from "../support/nonconforming-centre.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A trip has joined a record that was done at the dispatch centre or on site. */

const FIRST = { priority: "high", notes: "03:27 Door", dateStart: "2026-11-20T23:30:00" } as const;
const BOTH = "03:27 Door\n03:41 Window";
let site: SyncingSite;

function join(id: number): void {
  site.app.interventions.change(id, { body: { notes: BOTH }, hasTripJoined: true }, DEVICE_USER);
}

/** The site detects the missing record, and accepts it after a second read. */
async function notice(id: number): Promise<void> {
  site.app.interventions.update(id, { crews: 2 }, OPERATOR_USER);
  for (let look = 0; look < 3; look += 1) {
    site.app.clock.advance(125_000);
    await site.push.cycle();
  }
  expect(site.entry(id)?.phase).toBe("gone");
}

describe("at a dispatch centre with idempotency keys", () => {
  let centre: TestApp;
  beforeEach(async () => {
    centre = await TestApp.make();
    site = await SyncingSite.at(centre);
  });

  test("a record dropped after its deletion is created under another key", async () => {
    const { id } = site.create(FIRST, "key-1");
    await site.push.cycle();
    for (const record of centre.records()) centre.interventions.delete(record.id, OPERATOR_USER);
    await notice(id);
    site.push.operator.drop(id);
    join(id);
    for (let look = 0; look < 4; look += 1) await site.cycleAfterWait();
    expect(centre.records().map(({ notes }) => notes)).toEqual([expect.stringContaining(BOTH)]);
    expect(site.entry(id)).toMatchObject({ phase: "linked", joinedRev: 0 });
  });
});

describe("at a dispatch centre without idempotency keys", () => {
  let centre: InMemoryCentre;
  beforeEach(async () => {
    centre = new InMemoryCentre();
    site = await SyncingSite.at(centre);
  });

  describe("a dispatcher who closes the record between its read and the update with a trip", () => {
    async function closedMeanwhile(): Promise<number> {
      const { id } = site.create(FIRST);
      await site.push.cycle();
      join(id);
      let isClosed = false;
      centre.instead = ({ method }) => {
        if (method === "PUT" && !isClosed) {
          isClosed = true;
          centre.edit(1, { status: "done" });
        }
        return undefined;
      };
      await site.push.cycle();
      return id;
    }

    test("does not know the trip: the record is open again", async () => {
      const id = await closedMeanwhile();
      const { status } = site.app.interventions.get(id).record;
      expect(status).not.toBe("done");
      expect(centre.rows.get(1)).toMatchObject({ status, notes: expect.stringContaining(BOTH) });
      expect(site.entry(id)).toMatchObject({ phase: "linked", wantRev: 2, syncedRev: 2 });
      expect(site.app.events.newest(5)).toContainEqual(
        expect.objectContaining({
          event: "sync-conflict",
          detail: expect.objectContaining({ conflict: "reopened" }),
        }),
      );
    });

    test("and then again means it", async () => {
      const id = await closedMeanwhile();
      centre.edit(1, { status: "done" });
      for (let look = 0; look < 3; look += 1) {
        site.app.clock.advance(300_000);
        await site.push.cycleWithChecks();
      }
      expect(site.app.interventions.get(id).record.status).toBe("done");
      expect(centre.rows.get(1)).toMatchObject({ status: "done" });
    });
  });

  test("an earlier attempt that arrives late does not remove the trip from the record", async () => {
    let held: ReceivedRequest | undefined;
    centre.instead = (request) => {
      if (request.method !== "POST" || held) return undefined;
      held = request;
      return json(504, {});
    };
    const { id } = site.create(FIRST, "key-1");
    await site.push.cycle();
    for (let look = 0; look < 4; look += 1) {
      site.app.clock.advance(20_000);
      await site.push.cycle();
    }
    centre.rows.delete(1);
    await notice(id);
    join(id);
    for (let look = 0; look < 4; look += 1) {
      site.app.clock.advance(20_000);
      await site.push.cycle();
    }
    if (held) centre.arrive(held);
    for (let look = 0; look < 4; look += 1) {
      site.app.clock.advance(1_000_000);
      await site.push.cycleWithChecks();
    }
    expect([...centre.rows.values()].map(({ notes }) => notes)).toEqual([expect.stringContaining(BOTH)]);
    expect(site.app.interventions.get(id).record.notes).toBe(BOTH);
  });

  test("a done record that the dispatch centre does not reopen stays done, and the next trip has its own record", async () => {
    const { id } = site.create(FIRST, "key-1");
    await site.push.cycle();
    const row = centre.rows.get(1);
    if (row) centre.rows.set(1, { ...row, status: "done" });
    centre.instead = ({ method, body }) => {
      const kept = centre.rows.get(1);
      if (method !== "PUT" || !kept) return undefined;
      const changed = { ...kept, ...(JSON.parse(body) as object), status: "done" };
      centre.rows.set(1, changed);
      return json(200, changed);
    };
    join(id);
    for (let look = 0; look < 3; look += 1) {
      site.app.clock.advance(1_000_000);
      await site.push.cycleWithChecks();
    }
    expect(site.app.interventions.get(id).record).toMatchObject({ status: "done", notes: BOTH });
  });

  test("a trip that was synchronised does not recreate the record", async () => {
    const { id } = site.create(FIRST, "key-1");
    await site.push.cycle();
    join(id);
    await site.push.cycle();
    await site.push.operator.reassert(id);
    centre.rows.clear();
    await notice(id);
    await site.cycleAfterWait();
    expect([...centre.rows]).toEqual([]);
  });
});
