import { beforeEach, describe, expect, test } from "vitest";
import type { Intervention, InterventionUpdate } from "../../src/domain/intervention.ts";
import { DEVICE_USER, OPERATOR_USER, TestApp } from "../support/app.ts";
import { json } from "../support/nonconforming-centre.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A dispatcher saves a record in the moment between the site's read of it and the site's update. */

const FIRST = { notes: "03:27 Door", status: "planned", dateStart: "2026-11-20T23:30:00" } as const;
const BOTH = "03:27 Door\n03:41 Window";
let site: SyncingSite;

/** A record with one trip, which another one joins. */
async function joined(): Promise<Intervention> {
  const record = site.create(FIRST);
  await site.push.cycle();
  site.app.interventions.change(record.id, { body: { notes: BOTH }, hasTripJoined: true }, DEVICE_USER);
  return record;
}

describe("at a Santinela centre", () => {
  let centre: TestApp;
  /** What dispatchers save before each update of the site, first one first. */
  let saved: InterventionUpdate[];
  let updates: number;

  beforeEach(async () => {
    [centre, saved, updates] = [await TestApp.make(), [], 0];
    site = await SyncingSite.through(centre, (request, response) => {
      if (request.method === "PUT") {
        updates += 1;
        const change = saved.shift();
        if (change) centre.interventions.update(1, change, OPERATOR_USER);
      }
      centre.app(request, response);
    });
  });

  const there = (): Intervention | undefined => centre.records()[0];

  test("the line of a dispatcher and the line of a trip are both in the notes, on both sides", async () => {
    const { id } = await joined();
    saved = [{ notes: `${there()?.notes}\nowner called` }];
    await site.push.cycle();
    expect(there()?.notes).toContain("owner called");
    expect(there()?.notes).toContain("03:41 Window");
    expect(site.app.interventions.get(id).record.notes).toContain("owner called");
    expect(site.entry(id)).toMatchObject({
      phase: "linked",
      attempts: 0,
      inFlightValues: {},
      lastError: null,
    });
    expect(site.outbox.summary().waiting).toBe(0);
    expect(site.conditions()).toEqual([]);
  });

  test("a record that a dispatcher finishes is open again with the line of the trip", async () => {
    const { id } = await joined();
    saved = [{ status: "done" }];
    await site.push.cycle();
    expect(there()).toMatchObject({ status: "planned", notes: expect.stringContaining("03:41 Window") });
    expect(site.app.interventions.get(id).record.status).toBe("planned");
  });

  test("a record that a dispatcher finishes stays done if a user has only corrected its text", async () => {
    const { id } = site.create(FIRST);
    await site.push.cycle();
    site.app.interventions.update(id, { description: "two dogs" }, OPERATOR_USER);
    saved = [{ status: "done", description: "three dogs" }];
    await site.push.cycle();
    expect(there()).toMatchObject({ status: "done", description: "two dogs" });
    expect(site.app.interventions.get(id).record).toMatchObject({ status: "done", description: "two dogs" });
    expect(site.app.events.newest(50).map(({ event }) => event)).toContain("sync-conflict");
  });

  test("a dispatcher who saves before each update delays it by three reads at most", async () => {
    const { id } = await joined();
    saved = [2, 3, 4, 5, 6].map((crews) => ({ crews }));
    await site.push.cycle();
    expect(updates).toBe(4);
    expect(site.outbox.summary().waiting).toBe(0);
    site.app.clock.advance(1_000_000);
    await site.push.cycleWithChecks();
    expect(there()).toMatchObject({ crews: 5, notes: expect.stringContaining("03:41 Window") });
    expect(site.app.interventions.get(id).record).toMatchObject({ crews: 5, notes: BOTH });
  });
});

describe("at the centre of another vendor", () => {
  let centre: InMemoryCentre;
  let isKeyed: boolean;
  /** The entity tag of the next read. */
  let tag: () => string;

  beforeEach(async () => {
    [centre, isKeyed, tag] = [new InMemoryCentre(), true, () => '"1"'];
    centre.instead = ({ method, version }) =>
      method === "PUT" && version !== undefined ? json(412, { message: "no such version" }) : undefined;
    centre.afterwards = ({ method, path, key }) => {
      const row = centre.rows.get(1);
      if (method === "POST" && isKeyed) return json(201, row, { "Idempotency-Key": key ?? "" });
      const shown = method === "GET" && path.endsWith("/1") ? tag() : undefined;
      return shown === undefined ? undefined : json(200, row, { ETag: shown });
    };
    site = await SyncingSite.at(centre);
  });

  const versions = (): (string | undefined)[] =>
    centre.writes.filter(({ method }) => method === "PUT").map(({ version }) => version);

  test("that refuses the version that it shows, the update is sent once more without", async () => {
    await joined();
    await site.push.cycle();
    expect(centre.rows.get(1)).toMatchObject({ notes: expect.stringContaining("03:41 Window") });
    expect(versions()).toEqual(['"1"', undefined]);
    expect(site.conditions()).toEqual([]);
  });

  test("that shows another version at each read and refuses them all, the fourth update is sent without", async () => {
    let count = 0;
    tag = () => `"${(count += 1)}"`;
    await joined();
    await site.push.cycle();
    expect(centre.rows.get(1)).toMatchObject({ notes: expect.stringContaining("03:41 Window") });
    expect(versions()).toEqual(['"1"', '"2"', '"3"', undefined]);
  });

  test.each([
    ["without idempotency keys", false, '"1"'],
    ["whose proxy compresses and weakens its versions", true, 'W/"1"'],
  ])("%s, no version is named", async (_what, keyed, shown) => {
    [isKeyed, tag] = [keyed, () => shown];
    await joined();
    await site.push.cycle();
    expect(centre.rows.get(1)).toMatchObject({ notes: expect.stringContaining("03:41 Window") });
    expect(versions()).toEqual([undefined]);
  });
});
