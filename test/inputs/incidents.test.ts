import { afterEach, beforeEach, describe, expect, test } from "vitest";
import schema from "../../schemas/configuration.json" with { type: "json" };
import { INCIDENT_WINDOW_MS_MAX } from "../../src/domain/incident.ts";
import { DispatchingSite } from "../support/dispatching-site.ts";
import { eventually } from "../support/eventually.ts";
import { zoneOf } from "../support/watched-zones.ts";
import { SOMEBODY } from "../support/app.ts";

const HALL = { type: "obiective/cladiri", id: 1 } as const;
const YARD = { type: "obiective/cladiri", id: 2 } as const;
const simulated = { simulated: true } as const;
const DOOR = zoneOf({ id: "door", name: "Front door", objective: HALL, input: simulated, swinger: false });
const MOTION = zoneOf({ id: "motion", name: "Hall", kind: "motion", objective: HALL, input: simulated });
const SMOKE = zoneOf({ id: "smoke", name: "Smoke", kind: "fire", objective: HALL, input: simulated });
const LEAK = zoneOf({ id: "leak", name: "Leak", kind: "flood", objective: HALL, input: simulated });
const FENCE = zoneOf({ id: "fence", name: "Fence", kind: "perimeter", objective: YARD, input: simulated });

let site: DispatchingSite;
beforeEach(async () => {
  site = await DispatchingSite.make([DOOR, MOTION, SMOKE, LEAK, FENCE]);
});
afterEach(() => site.close());

const NOT_CONFIRMED = { priority: "high", crews: 1, police: false };
const CONFIRMED = { priority: "high", crews: 2, police: true };

describe("trips at one objective", () => {
  test("within half an hour are one intervention, which tells of each of them", async () => {
    await site.trip("door", "leak", "door");
    expect(site.records).toHaveLength(1);
    expect(site.records[0]).toMatchObject({
      type: "other",
      description: "Zone Front door (door, intrusion) tripped at 2026-11-20 23:30:00.",
      notes:
        "Zone Leak (leak, flood) tripped at 2026-11-20 23:30:00.\nZone Front door (door, intrusion) tripped at 2026-11-20 23:30:00.",
    });
    expect(site.fates).toEqual(["posted", "merged", "merged"]);
    expect(site.zones.trips.map(({ interventionId }) => interventionId)).toEqual(
      site.zones.trips.map(() => site.records[0]?.id),
    );
  });

  test.each([
    [1799, "one confirmed incident", [CONFIRMED]],
    [1801, "two incidents", [NOT_CONFIRMED, NOT_CONFIRMED]],
  ])("of two zones %i s apart are %s", async (afterS, _what, expected) => {
    await site.trip("door");
    site.zones.clock.advance(afterS * 1000);
    await site.trip("motion");
    expect(site.records).toMatchObject(expected);
  });

  test("of one zone alone confirm nothing; nor does a zone of another trade", async () => {
    await site.trip("door", "door", "leak");
    expect(site.records).toMatchObject([NOT_CONFIRMED]);
  });

  test("keep the window open from the last one", async () => {
    for (let trip = 0; trip < 4; trip += 1) {
      await site.trip("door");
      site.zones.clock.advance(1_500_000);
    }
    expect(site.records).toHaveLength(1);
  });

  test("are decided with the trip itself only where there is nothing that it could join", async () => {
    const { monitor, journal, clock } = site.zones;
    const decided = (zoneId: string): string | null | undefined => {
      for (const contact of ["normal", "open"] as const) monitor.read(zoneId, contact, { live: true });
      return journal.trips.newest(1)[0]?.incident;
    };
    expect([decided("door"), decided("motion")]).toEqual(["trip-1", null]);
    await site.settled();
    clock.advance(INCIDENT_WINDOW_MS_MAX);
    expect(decided("door")).toBeNull();
    await site.settled();
    clock.advance(INCIDENT_WINDOW_MS_MAX + 1);
    expect(decided("door")).toBe("trip-4");
    await site.settled();
    expect(site.records).toHaveLength(3);
  });

  test("have a window that no configuration can make longer than what is decided by", () => {
    expect(INCIDENT_WINDOW_MS_MAX).toBe(schema.definitions.Site.properties.incidentWindowS.maximum * 1000);
  });

  test("are counted by the monotonic clock: a wall clock that is set changes nothing", async () => {
    await site.trip("door");
    site.zones.clock.stepWall(30 * 86_400_000);
    await site.trip("motion");
    site.zones.clock.stepWall(-31 * 86_400_000);
    await site.trip("door");
    expect(site.records).toMatchObject([CONFIRMED]);
  });

  test("open another intervention once the first is done, or deleted", async () => {
    await site.trip("door");
    site.change(1, { status: "done" });
    await site.trip("motion");
    site.app.interventions.delete(2, SOMEBODY);
    await site.trip("door");
    expect(site.records.map(({ id, status, police }) => [id, status, police])).toEqual([
      [1, "done", false],
      [3, "planned", false],
    ]);
  });

  test("of different objectives never meet", async () => {
    await site.trip("door", "fence", "motion", "fence");
    expect(site.records.map(({ objectiveId, police }) => [objectiveId, police])).toEqual([
      [1, true],
      [2, false],
    ]);
  });

  test("belong together over a restart of the daemon", async () => {
    await site.trip("door");
    await site.restart();
    await site.trip("motion");
    expect(site.records).toMatchObject([CONFIRMED]);
  });
});

describe("a fire in an incident that is open", () => {
  test("adds its flag at once and lowers nothing", async () => {
    await site.trip("door", "motion");
    await site.trip("smoke");
    expect(site.records).toMatchObject([{ ...CONFIRMED, firetruck: true }]);
  });
});

describe("what a person has written into an intervention", () => {
  test("stays: flags, crews and priority are only ever raised", async () => {
    await site.trip("leak");
    site.change(1, { crews: 5, ambulance: true });
    await site.trip("door", "motion");
    expect(site.records).toMatchObject([
      { priority: "high", crews: 5, police: true, ambulance: true, type: "repair" },
    ]);
  });

  test("is not written into: the notes are left alone, the flags still rise", async () => {
    await site.trip("door", "leak");
    site.change(1, { notes: "Crew on its way" });
    await site.trip("motion", "door");
    expect(site.records).toMatchObject([{ ...CONFIRMED, notes: "Crew on its way" }]);
    expect(site.fates).toEqual(["posted", "merged", "merged", "merged"]);
  });

  test("while a trip joins is seen, and the trip joins what is there then", async () => {
    await site.trip("leak");
    site.intercept = ({ method }) => {
      if (method !== "PUT") return;
      site.intercept = () => {};
      site.change(1, { crews: 3 });
    };
    await site.trip("door");
    expect(site.records).toMatchObject([{ crews: 3, priority: "high" }]);
    expect(site.records[0]?.notes).toMatch(/Front door/);
  });

  test("is what the next trip joins; one that nobody has touched is not even read again", async () => {
    const asked: string[] = [];
    site.intercept = ({ method = "" }) => void asked.push(method);
    await site.trip("leak", "door");
    expect(asked).toEqual(["POST", "PUT"]);
    site.change(1, { crews: 3 });
    await site.trip("motion");
    expect(asked).toEqual(["POST", "PUT", "PUT", "GET", "PUT"]);
    expect(site.records).toMatchObject([{ crews: 3 }]);
    expect(site.records[0]?.notes?.split("\n")).toHaveLength(2);
  });
});

test("notes that would grow too long lose their oldest lines", async () => {
  await site.trip("door");
  for (let trip = 0; trip < 80; trip += 1) {
    site.zones.clock.advance(60_000);
    await site.trip("door");
  }
  const [record] = site.records;
  expect(site.records).toHaveLength(1);
  expect([...(record?.notes ?? "")].length).toBeLessThanOrEqual(4000);
  expect(record?.notes?.split("\n").at(-1)).toMatch(/2026-11-21 00:50:00/);
});

describe("a crash of the daemon", () => {
  /** The second trip at the objective is in the record's notes, and the journal does not know it. */
  async function tripNotedAndNotMarked(): Promise<void> {
    await site.trip("door");
    site.failpoint = (name) => {
      if (name !== "trip-noted") return;
      site.failpoint = () => {};
      site.zones.breakJournal();
    };
    site.zones.monitor.read("motion", "normal", { live: true });
    site.zones.monitor.read("motion", "open", { live: true });
    site.kick();
    await eventually("the failure", () => site.zones.logged("trip-dispatch-failed").length === 1);
  }

  test("between the line in the notes and its mark leaves one line", async () => {
    await tripNotedAndNotMarked();
    site.zones.mendJournal();
    await site.restart();
    await site.settled();
    expect(site.records).toMatchObject([CONFIRMED]);
    expect(site.records[0]?.notes?.split("\n")).toHaveLength(1);
    await site.trip("leak");
    expect(site.records[0]?.notes?.split("\n")).toHaveLength(2);
  });

  test("after which the record was done all the same: the trip is not told twice", async () => {
    await tripNotedAndNotMarked();
    site.change(1, { status: "done" });
    site.zones.mendJournal();
    await site.restart();
    await site.settled();
    expect(site.records).toHaveLength(1);
    expect(site.fates).toEqual(["posted", "merged"]);
  });
});

test("a trip whose line was written although the answer said otherwise is told once, also when others came in between", async () => {
  await site.trip("door");
  site.intercept = ({ method }, response) => {
    if (method !== "PUT") return;
    site.intercept = () => {};
    const writeHead = response.writeHead.bind(response);
    response.writeHead = () => writeHead(500);
  };
  await site.trip("motion", "leak");
  expect(site.fates).toEqual(["posted", "merged", "merged"]);
  expect(site.records).toHaveLength(1);
  expect(site.records[0]?.notes?.match(/Hall/g)).toHaveLength(1);
  expect(site.records[0]?.notes?.match(/Leak/g)).toHaveLength(1);
});

test("a trip that the open intervention does not take gets one of its own", async () => {
  await site.trip("door");
  site.intercept = ({ method }, response) => {
    if (method !== "PUT") return false;
    response.writeHead(400).end('{"message":"on purpose"}');
    return true;
  };
  await site.trip("motion");
  expect(site.records).toHaveLength(2);
  expect(site.fates).toEqual(["posted", "posted"]);
});
