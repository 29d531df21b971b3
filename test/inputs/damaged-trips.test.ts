import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { DispatchingSite } from "../support/dispatching-site.ts";
import { eventually } from "../support/eventually.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* A memory card flips one bit in a text of the journal, which is still JSON: another key, another value. */

const HALL = { type: "obiective/cladiri", id: 1 } as const;
const input = { simulated: true } as const;
const DOOR = zoneOf({ id: "door", name: "Front door", objective: HALL, input, swinger: false });
const CONFIRMED_BY_DOOR = { zones: ["door"], withinS: 60 };
const MOTION = zoneOf({
  id: "motion",
  name: "Hall",
  kind: "motion",
  objective: HALL,
  input,
  confirmWith: CONFIRMED_BY_DOOR,
});

let site: DispatchingSite;
beforeEach(async () => {
  site = await DispatchingSite.make([DOOR, MOTION]);
});

/** Replaces a part of a text in all rows. */
function replace(table: string, column: string, from: string, to: string): void {
  const { changes } = site.zones.database
    .prepare(`UPDATE ${table} SET ${column} = replace(${column}, ?, ?) WHERE instr(${column}, ?)`)
    .run(from, to, from);
  expect(changes, from).toBeGreaterThan(0);
}

describe("a waiting alarm is one intervention at its objective", () => {
  test.each([
    ["the type of its objective", "body", "obiective/cladiri", "obiective/claditi"],
    ["the name of that field", "body", '"objectiveType"', '"objectiveTxpe"'],
    ["its priority", "body", '"priority":"high"', '"priority":"hifh"'],
    ["its notes", "body", "Hall", "Ha\\u006c\\u0001"],
    ["the zones that confirm it", "signal", '"zones"', '"zonds"'],
  ])("with a flipped bit in %s", async (_what, column, from, to) => {
    site.intercept = ({ method }, response) => {
      if (method !== "POST") return false;
      response.writeHead(503).end();
      return true;
    };
    site.zones.monitor.read("motion", "normal", { live: true });
    site.zones.monitor.read("motion", "open", { live: true });
    const [waiting] = site.zones.trips;
    const notes = JSON.stringify({ ...waiting?.body, notes: "Hall" });
    site.zones.database.prepare("UPDATE trips SET body = ?").run(notes);
    replace("trips", column, from, to);
    site.intercept = () => false;
    await site.settled();
    expect(site.records).toMatchObject([
      { objectiveType: HALL.type, objectiveId: HALL.id, priority: "high" },
    ]);
    await site.trip("door");
    expect(site.records).toHaveLength(1);
    expect(site.dispositions).toEqual(["posted", "merged"]);
  });
});

describe("an alarm joins its incident", () => {
  test.each([
    ["the time of another zone", '"first"', '"girst"'],
    ["a part of that time", '"wallMs"', '"vallMs"'],
    ["the zones that confirm another one", '"confirmWith"', '"bonfirmWith"'],
    ["the list of those zones", '"zones"', '"zonds"'],
    ["the number of openings", '"openings":1', '"openingr":1'],
  ])("with a flipped bit in %s", async (_what, from, to) => {
    await site.trip("motion");
    replace("incident_zones", "zone", from, to);
    await site.trip("door", "motion");
    await eventually("all trips to be recorded", () => site.dispositions.every((one) => one !== "waiting"));
    expect(site.records).toHaveLength(1);
    expect(site.records[0]?.notes).toContain("Front door");
    expect(site.dispositions).toEqual(["posted", "merged", "merged"]);
  });
});

test("an alarm whose first response was lost and is damaged is one intervention", async () => {
  site.failpoint = () => {
    throw new Error("power cut");
  };
  site.zones.monitor.read("door", "normal", { live: true });
  site.zones.monitor.read("door", "open", { live: true });
  site.requestDispatch();
  await eventually("the lost response", () => site.zones.trips[0]?.attempts === 1);
  expect(site.records).toHaveLength(1);
  const { changes } = site.app.database
    .prepare(`UPDATE idempotency_keys SET body = replace(body, '"id"', '"ie"')`)
    .run();
  expect(changes).toBe(1);
  site.failpoint = () => {};
  await site.settled();
  expect(site.records).toHaveLength(1);
  expect(site.zones.trips).toMatchObject([{ state: "posted", interventionId: site.records[0]?.id }]);
});

test("an opening of a wired zone is kept off disk if the page of the incidents is damaged, and its timer does not fail", () => {
  const wired = zoneOf({ id: "door", input: { gpio: 17 }, debounceMs: 100 });
  const zones = MonitoredZones.forTest([wired], { offDiskFile: join(temporaryFolder(), "off-disk.jsonl") });
  zones.monitor.read("door", "normal", { live: true });
  zones.clock.advance(1_000);
  const last = { wallMs: zones.clock.wallMs(), bootId: "boot-1", monotonicMs: 0 };
  const subject = "burglary/obiective/cladiri/12";
  zones.journal.incidents.save({ key: "earlier", subject, interventionId: 1, last, zones: [] });
  zones.database.unsafeMode(true);
  zones.database.pragma("writable_schema = ON");
  // A page of another kind, that of an index.
  zones.database.exec(
    `UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'trips_waiting')
     WHERE name = 'incidents'`,
  );
  zones.database.pragma("writable_schema = RESET");
  zones.monitor.read("door", "open", { live: true });
  zones.clock.advance(1_000);
  expect(zones.journal.offDisk.list().map(({ trips }) => trips.map(({ zoneId }) => zoneId))).toEqual([
    ["door"],
  ]);
  expect(zones.conditions).toContain("trips-off-disk");
  expect(zones.logged("zone-timer-failed")).toEqual([]);
});
