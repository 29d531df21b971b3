import { beforeEach, describe, expect, test } from "vitest";
import schema from "../../schemas/configuration.json" with { type: "json" };
import { INCIDENT_WINDOW_MS_MAX } from "../../src/domain/incident-window.ts";
import { redeliverLostTrips } from "../../src/store/pending-searches.ts";
import { DispatchingSite } from "../support/dispatching-site.ts";
import { eventually } from "../support/eventually.ts";
import { zoneOf } from "../support/monitored-zones.ts";
import { OPERATOR_USER } from "../support/app.ts";

const HALL = { type: "obiective/cladiri", id: 1 } as const;
const YARD = { type: "obiective/cladiri", id: 2 } as const;
const simulated = { simulated: true } as const;
const DOOR = zoneOf({ id: "door", name: "Front door", objective: HALL, input: simulated, swinger: false });
const MOTION = zoneOf({ id: "motion", name: "Hall", kind: "motion", objective: HALL, input: simulated });
const SMOKE = zoneOf({ id: "smoke", name: "Smoke", kind: "fire", objective: HALL, input: simulated });
const GLASS = zoneOf({ id: "glass", name: "Window", kind: "glass", objective: HALL, input: simulated });
const LEAK = zoneOf({ id: "leak", name: "Leak", kind: "flood", objective: HALL, input: simulated });
const FENCE = zoneOf({ id: "fence", name: "Fence", kind: "perimeter", objective: YARD, input: simulated });

let site: DispatchingSite;
beforeEach(async () => (site = await DispatchingSite.make([DOOR, MOTION, GLASS, SMOKE, LEAK, FENCE])));

const NOT_CONFIRMED = { priority: "high", crews: 1, police: false };
const CONFIRMED = { priority: "high", crews: 2, police: true };

describe("trips at one objective", () => {
  test("within half an hour are one intervention with a line for each zone", async () => {
    await site.trip("door", "motion");
    site.zones.clock.advance(840_000);
    await site.trip("door");
    expect(site.records).toHaveLength(1);
    expect(site.records[0]).toMatchObject({
      type: "other",
      description: "Zone Front door (door, intrusion) tripped at 2026-11-20 23:30:00.",
      notes: "23:30 Hall\n23:30 Front door ×2 → 23:44",
    });
    expect(site.dispositions).toEqual(["posted", "merged", "merged"]);
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

  test("of a single zone do not confirm", async () => {
    await site.trip("door", "door");
    expect(site.records).toMatchObject([NOT_CONFIRMED]);
  });

  test("without their sensors do not confirm, until the sensors themselves have tripped", async () => {
    const testTrip = (zoneId: string): Promise<void> => {
      site.zones.monitor.simulateTrip(zoneId);
      return site.settled();
    };
    await testTrip("door");
    await testTrip("motion");
    await site.trip("door");
    await testTrip("glass");
    expect(site.records).toMatchObject([NOT_CONFIRMED]);
    await site.trip("motion");
    expect(site.records).toMatchObject([CONFIRMED]);
  });

  test("extend the window from the last one", async () => {
    for (let trip = 0; trip < 4; trip += 1) {
      await site.trip("door");
      site.zones.clock.advance(1_500_000);
    }
    expect(site.records).toHaveLength(1);
  });

  test("are correlated in the transaction of the trip only when they cannot join an incident", async () => {
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
    expect(decided("door")).toBe(site.zones.trips.at(-1)?.key);
    await site.settled();
    expect(site.records).toHaveLength(3);
  });

  test("have a window that no configuration can extend beyond the correlation data", () => {
    expect(INCIDENT_WINDOW_MS_MAX).toBe(schema.definitions.Site.properties.incidentWindowS.maximum * 1000);
  });

  test("are timed by the monotonic clock: a clock step changes nothing", async () => {
    await site.trip("door");
    site.zones.clock.stepWall(30 * 86_400_000);
    await site.trip("motion");
    site.zones.clock.stepWall(-31 * 86_400_000);
    await site.trip("door");
    expect(site.records).toMatchObject([CONFIRMED]);
  });

  test("open another intervention once the first is done or deleted", async () => {
    await site.trip("door");
    site.change(1, { status: "done" });
    await site.trip("motion");
    site.app.interventions.delete(2, OPERATOR_USER);
    await site.trip("door");
    expect(site.records.map(({ id, status, police }) => [id, status, police])).toEqual([
      [1, "done", false],
      [3, "planned", false],
    ]);
  });

  test("that are done are not queued again by a restore, whatever the clock said at their trips", async () => {
    await site.trip("door", "motion");
    const { database } = site.zones;
    const queued = (): number => redeliverLostTrips(database, site.app.database, 0);
    // The clock was set back after the trip, so that the last change of its record seems to be earlier.
    database.exec("UPDATE trips SET at_wall = 4102444800000");
    site.change(1, { status: "done" });
    expect(queued()).toBe(0);
    database.exec("UPDATE trips SET dated = 0");
    expect(queued()).toBe(0);
    site.change(1, { status: "planned" });
    database.exec("UPDATE trips SET dated = 1");
    expect(queued()).toBe(1);
  });

  test("at different objectives are separate", async () => {
    await site.trip("door", "fence", "motion", "fence");
    expect(site.records.map(({ objectiveId, police }) => [objectiveId, police])).toEqual([
      [1, true],
      [2, false],
    ]);
  });

  test("are one incident across a restart of the daemon", async () => {
    await site.trip("door");
    await site.restart();
    await site.trip("motion");
    expect(site.records).toMatchObject([CONFIRMED]);
  });
});

describe("trips that are dispatched out of order", () => {
  const ENTRY = zoneOf({ id: "entry", name: "Entry", objective: HALL, input: simulated, entryDelayS: 45 });
  const opens = (zone: string): void => {
    for (const contact of ["normal", "open"] as const) site.zones.monitor.read(zone, contact, { live: true });
  };
  const rejectAll = (): void => {
    site.intercept = ({ method }, response) => {
      if (method !== "POST") return;
      response.writeHead(404, { "Content-Type": "application/json" });
      response.end('{"message":"unknown objective"}');
      return true;
    };
  };

  test("do not shorten the window: a door after its entry delay is earlier than what it joins", async () => {
    site = await DispatchingSite.make([ENTRY, MOTION, GLASS]);
    opens("entry");
    site.zones.clock.advance(40_000);
    await site.trip("motion");
    await site.pass(10_000);
    expect(site.records).toMatchObject([CONFIRMED]);
    site.zones.clock.advance(1_789_000);
    await site.trip("glass");
    expect(site.records).toHaveLength(1);
  });

  test("and rejected at first are one intervention once they are accepted", async () => {
    rejectAll();
    await site.trip("door", "motion", "glass");
    expect(site.dispositions).toEqual(["refused", "refused", "refused"]);
    site.intercept = () => {};
    await site.restart();
    await site.settled();
    expect(site.records).toMatchObject([CONFIRMED]);
    expect(site.dispositions).toEqual(["posted", "merged", "merged"]);
  });

  test("and rejected hours ago take no trip of a running burglary to their record", async () => {
    rejectAll();
    await site.trip("door");
    site.zones.clock.advance(5 * 3_600_000);
    site.intercept = () => {};
    await site.trip("motion");
    await site.restart();
    await site.settled();
    expect(site.records).toHaveLength(2);
    await site.trip("glass");
    expect(site.records).toMatchObject([CONFIRMED, NOT_CONFIRMED]);
  });

  test("are one incident with a door that was opened before a reboot", async () => {
    site = await DispatchingSite.make([ENTRY, MOTION]);
    site.zones.monitor.read("motion", "normal", { live: true });
    opens("entry");
    await site.powerCut(20_000);
    await site.trip("motion");
    await site.pass(30_000);
    expect(site.records).toMatchObject([CONFIRMED]);
  });
});

describe("a trip after a reboot with a clock that is not set", () => {
  /** The clock continues from the time of the power cut, so that this seems to be short. */
  async function reboot(forMs: number): Promise<void> {
    await site.powerCut(forMs);
    site.zones.clock.stepWall(-forMs);
    site.zones.isClockTrusted = false;
  }

  test.each([
    ["a minute", 60_000],
    ["three days", 3 * 86_400_000],
  ])("of %s opens its own intervention, and confirms the other zone there", async (_time, forMs) => {
    await site.trip("door");
    await reboot(forMs);
    await site.trip("motion");
    expect(site.records).toMatchObject([NOT_CONFIRMED, CONFIRMED]);
    await site.trip("glass");
    expect(site.records).toHaveLength(2);
  });
});

test("trips after a reboot with a clock that is not set join one another, not the incident before it", async () => {
  await site.trip("glass");
  await site.powerCut(86_400_000);
  // 40 s before the first trip, so that the second one after the reboot seems to be nearer to that than to the other.
  site.zones.clock.stepWall(-86_440_000);
  site.zones.isClockTrusted = false;
  site.zones.clock.advance(5_000);
  await site.trip("door");
  site.zones.clock.advance(30_000);
  await site.trip("motion");
  expect(site.dispositions).toEqual(["posted", "posted", "merged"]);
  expect(site.records).toMatchObject([NOT_CONFIRMED, CONFIRMED]);
});

describe("trips of two classes", () => {
  test("are two interventions, each with its own type, priority and services", async () => {
    await site.trip("door", "motion", "smoke", "leak");
    expect(site.records).toMatchObject([
      { ...CONFIRMED, type: "other", firetruck: false },
      { name: "Alarm, fire: Smoke", priority: "high", firetruck: true, police: false },
      { name: "Alarm, flood: Leak", priority: "medium", type: "repair", firetruck: false },
    ]);
  });

  test("stay two after a user has edited the first one", async () => {
    await site.trip("door");
    site.change(1, { notes: "Crew on its way" });
    await site.trip("leak", "smoke");
    expect(site.records.map(({ name }) => name)).toEqual([
      "Alarm, intrusion: Front door",
      "Alarm, flood: Leak",
      "Alarm, fire: Smoke",
    ]);
    expect(site.dispositions).toEqual(["posted", "posted", "posted"]);
  });
});

describe("the edits of a user in an intervention", () => {
  test("remain: services, crews and priority are only escalated", async () => {
    await site.trip("door");
    site.change(1, { crews: 5, ambulance: true });
    await site.trip("motion");
    expect(site.records).toMatchObject([{ priority: "high", crews: 5, police: true, ambulance: true }]);
  });

  test("remain byte for byte, and new lines are added after them", async () => {
    const text = "  Crew on its way\r\n\r\nkey at the gate ";
    await site.trip("door");
    site.change(1, { notes: text });
    await site.trip("motion", "door");
    expect(site.records).toMatchObject([{ ...CONFIRMED, notes: `${text}\n23:30 Hall\n23:30 Front door ×2` }]);
    expect(site.dispositions).toEqual(["posted", "merged", "merged"]);
  });

  test.each([
    ["before our lines", (ours: string) => `Crew 4\n${ours}`, "Crew 4\n23:30 Hall ×2"],
    ["after our lines", (ours: string) => `${ours}\nCrew 4`, "23:30 Hall ×2\nCrew 4"],
    ["into our line", (ours: string) => `${ours} (cat?)`, "23:30 Hall (cat?)\n23:30 Hall ×2"],
    ["over our lines", () => "Crew 4", "Crew 4\n23:30 Hall ×2"],
    ["instead of our lines", () => null, "23:30 Hall ×2"],
  ])("%s do not prevent new lines", async (_where, edit, notes) => {
    await site.trip("door", "motion");
    site.change(1, { notes: edit(site.records[0]?.notes ?? "") });
    await site.trip("motion");
    expect(site.records).toMatchObject([{ notes }]);
  });

  test("up to the limit of the notes open a record that continues the first", async () => {
    await site.trip("door");
    site.change(1, { notes: "x".repeat(4000) });
    await site.trip("motion");
    await site.trip("glass");
    expect(site.records).toMatchObject([
      { notes: "x".repeat(4000) },
      {
        name: "Alarm, motion: Hall",
        description:
          'Continues intervention 1 "Alarm, intrusion: Front door" of 2026-11-20 23:30.\nZone Hall (motion, motion) tripped at 2026-11-20 23:30:00.',
        notes: "23:30 Window",
        ...CONFIRMED,
      },
    ]);
    expect(site.dispositions).toEqual(["posted", "posted", "merged"]);
  });

  test("up to the limit of the notes do not keep a second zone from confirming the incident", async () => {
    await site.trip("door");
    site.change(1, { notes: "x".repeat(3990) });
    await site.trip("door");
    expect(site.records.at(-1)).toMatchObject(NOT_CONFIRMED);
    site.change(2, { notes: "x".repeat(3990) });
    await site.trip("motion");
    expect(site.records).toMatchObject([NOT_CONFIRMED, NOT_CONFIRMED, CONFIRMED]);
  });

  test("that move it to another objective leave the next trip to a record of its own place", async () => {
    await site.trip("door");
    site.change(1, { objectiveId: 2 });
    await site.trip("motion", "door");
    expect(site.records).toMatchObject([
      { objectiveId: 2, notes: null },
      { objectiveId: 1, name: "Alarm, motion: Hall", notes: "23:30 Front door", ...CONFIRMED },
    ]);
    expect(site.records[1]?.description).toMatch(/^Continues intervention 1 /);
    expect(site.dispositions).toEqual(["posted", "posted", "merged"]);
  });

  test("at each of three joining trips open a record that continues the first", async () => {
    await site.trip("door");
    let edits = 0;
    site.intercept = ({ method }) => {
      if (method === "PUT") site.change(1, { notes: `edit ${(edits += 1)}` });
    };
    await site.trip("motion");
    expect(edits).toBe(3);
    expect(site.records).toMatchObject([{ notes: "edit 3" }, { name: "Alarm, motion: Hall", ...CONFIRMED }]);
    expect(site.records[1]?.description).toMatch(/^Continues intervention 1 /);
  });

  test("during a join are detected, and the trip joins the current record", async () => {
    await site.trip("door");
    site.intercept = ({ method }) => {
      if (method !== "PUT") return;
      site.intercept = () => {};
      site.change(1, { crews: 3 });
    };
    await site.trip("motion");
    expect(site.records).toMatchObject([{ crews: 3, police: true, notes: "23:30 Hall" }]);
  });

  test("are read before the next trip joins; an unchanged record is not read again", async () => {
    const requests: string[] = [];
    site.intercept = ({ method = "" }) => void requests.push(method);
    await site.trip("door", "motion");
    expect(requests).toEqual(["POST", "PUT"]);
    site.change(1, { crews: 3 });
    await site.trip("glass");
    expect(requests).toEqual(["POST", "PUT", "PUT", "GET", "PUT"]);
    expect(site.records).toMatchObject([{ crews: 3 }]);
    expect(site.records[0]?.notes?.split("\n")).toHaveLength(2);
  });
});

test("a zone that opens eighty times has one line in the notes, with the first and last time", async () => {
  await site.trip("door");
  for (let trip = 0; trip < 80; trip += 1) {
    site.zones.clock.advance(60_000);
    await site.trip("door");
  }
  expect(site.records).toMatchObject([{ notes: "23:30 Front door ×81 → 2026-11-21 00:50" }]);
});

test("two hundred zones of one incident are all listed, in one record and its continuations", async () => {
  const zones = Array.from({ length: 200 }, (_, index) =>
    zoneOf({
      id: `zone-${index}`,
      name: `Contact at window ${index}, north wing`,
      objective: HALL,
      input: simulated,
    }),
  );
  site = await DispatchingSite.make(zones);
  await site.trip(...zones.map(({ id }) => id));
  const texts = site.records
    .map(({ name, description, notes }) => [name, description, notes].join("\n"))
    .join("\n");
  for (const { name } of zones) expect(texts).toContain(name);
  for (const { notes } of site.records) expect([...(notes ?? "")].length).toBeLessThanOrEqual(3900);
  expect(site.records[1]?.description).toMatch(/^Continues intervention 1 /);
  expect(site.records.length).toBeLessThan(4);
});

describe("a crash of the daemon", () => {
  /** The second trip at the objective is in the notes of the record, and not acknowledged in the journal. */
  async function tripNotedAndNotMarked(): Promise<void> {
    await site.trip("door");
    site.failpoint = (name) => {
      if (name !== "trip-noted") return;
      site.failpoint = () => {};
      site.zones.breakJournal();
    };
    site.zones.monitor.read("motion", "normal", { live: true });
    site.zones.monitor.read("motion", "open", { live: true });
    site.requestDispatch();
    await eventually("the failure", () => site.zones.logged("trip-dispatch-failed").length === 1);
  }

  test("between the line in the notes and its acknowledgement leaves one line", async () => {
    await tripNotedAndNotMarked();
    site.zones.repairJournal();
    await site.restart();
    await site.settled();
    expect(site.records).toMatchObject([CONFIRMED]);
    expect(site.records[0]?.notes?.split("\n")).toHaveLength(1);
    await site.trip("glass");
    expect(site.records[0]?.notes?.split("\n")).toEqual(["23:30 Hall", "23:30 Window"]);
  });

  test("before the record is done does not put the trip into a second record", async () => {
    await tripNotedAndNotMarked();
    site.change(1, { status: "done" });
    site.zones.repairJournal();
    await site.restart();
    await site.settled();
    expect(site.records).toHaveLength(1);
    expect(site.dispositions).toEqual(["posted", "merged"]);
  });
});

test("a trip whose line was written despite an error response has one line, also after others in between", async () => {
  await site.trip("door");
  site.intercept = ({ method }, response) => {
    if (method !== "PUT") return;
    site.intercept = () => {};
    const writeHead = response.writeHead.bind(response);
    response.writeHead = () => writeHead(500);
  };
  await site.trip("motion", "glass");
  expect(site.dispositions).toEqual(["posted", "merged", "merged"]);
  expect(site.records).toHaveLength(1);
  expect(site.records[0]?.notes?.match(/Hall/g)).toHaveLength(1);
  expect(site.records[0]?.notes?.match(/Window/g)).toHaveLength(1);
});

test("a trip that the open intervention rejects gets its own intervention", async () => {
  await site.trip("door");
  site.intercept = ({ method }, response) => {
    if (method !== "PUT") return false;
    response.writeHead(400).end('{"message":"on purpose"}');
    return true;
  };
  await site.trip("motion");
  expect(site.records[1]?.description).toMatch(/^Continues intervention 1 /);
  expect(site.dispositions).toEqual(["posted", "posted"]);
});
