import { describe, expect, test } from "vitest";
import {
  changedZones,
  confirms,
  escalation,
  isLifeSafety,
  isLifeSafetySubject,
  isUnfinished,
  redated,
  subjectOfTrip,
  withOpening,
  withZone,
  type Incident,
  type IncidentZone,
} from "../../src/domain/incident.ts";
import {
  INCIDENT_WINDOW_MS_MAX,
  isWithinWindow,
  requiresNewIncident,
} from "../../src/domain/incident-window.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import { newTrip } from "../../src/domain/trip-rows.ts";
import type { Timestamp, Trip } from "../../src/domain/trip.ts";
import { ZONE_KINDS, type ZoneKind } from "../../src/domain/zone.ts";
import { zoneOf } from "../support/monitored-zones.ts";

/* Which trips share an intervention, and what they add to it: docs/sensors.md and decision 0008. */

const SITE = { locale: "en", timezone: "Europe/Bucharest" } as const;
const WALL_MS = Date.UTC(2026, 10, 20, 21, 30);
const WINDOW_MS = 1_800_000;

function at(ms: number, bootId = "boot-1"): Timestamp {
  return { wallMs: WALL_MS + ms, bootId, monotonicMs: ms };
}

function trip(zone: Parameters<typeof zoneOf>[0], moment = at(0), changes: Partial<Trip> = {}): Trip {
  const disposition = { state: "waiting", reason: null } as const;
  const detected = {
    key: "k",
    cause: "edge",
    moment,
    isDated: true,
    earliestWallMs: null,
    disposition,
  } as const;
  return {
    ...newTrip(zoneOf(zone), detected, SITE),
    seq: 1,
    incident: null,
    attempts: 0,
    lastError: null,
    isRedelivered: false,
    interventionId: null,
    ...changes,
  };
}

function incident(...trips: readonly Trip[]): Incident {
  const last = trips.at(-1);
  if (!last) throw new Error("an incident has a trip");
  return {
    key: "k",
    subject: last.subject,
    interventionId: 1,
    last: last.moment,
    zones: trips.map((each) => withOpening(undefined, each)),
  };
}

const DOOR = { id: "door", name: "Door", input: { simulated: true } } as const;
const HALL = { id: "hall", name: "Hall", kind: "motion", input: { simulated: true } } as const;

describe("a trip joins an incident", () => {
  test.each([
    ["at the end of the window", WINDOW_MS, true],
    ["not a millisecond later", WINDOW_MS + 1, false],
  ])("%s", (_what, afterMs, isSo) => {
    expect(isWithinWindow({ last: at(0) }, trip(DOOR, at(afterMs)), WINDOW_MS)).toBe(isSo);
  });

  test.each([
    [
      "by the monotonic clock within one boot, whatever the wall clock says",
      9 * WINDOW_MS,
      0,
      "boot-1",
      true,
    ],
    ["not by the wall clock within one boot", 0, WINDOW_MS + 1, "boot-1", false],
    ["by the wall clock across a reboot", WINDOW_MS, -5_000, "boot-2", true],
    ["not after the window across a reboot", WINDOW_MS + 1, -5_000, "boot-2", false],
    ["at the same time by the wall clock across a reboot", 0, -5_000, "boot-2", true],
    [
      "with the trip of an entry door that others have overtaken over a reboot",
      -45_000,
      5_000,
      "boot-2",
      true,
    ],
    ["not with a clock that was set back over a reboot", -45_001, 5_000, "boot-2", false],
    ["not long before it within one boot", 0, -WINDOW_MS - 1, "boot-1", false],
    ["with an earlier time within one boot: a reading was delivered late", 0, -1, "boot-1", true],
  ])("%s", (_what, wallMs, monotonicMs, bootId, isSo) => {
    const last = at(86_400_000);
    const later = { wallMs: last.wallMs + wallMs, monotonicMs: last.monotonicMs + monotonicMs, bootId };
    expect(isWithinWindow({ last }, trip(DOOR, later), WINDOW_MS)).toBe(isSo);
  });

  test("without a window if it is a fault: that is one record until a person closes it", () => {
    const fault = trip(DOOR, at(30 * 86_400_000), { type: "fault" });
    expect(isWithinWindow({ last: at(0) }, fault, WINDOW_MS)).toBe(true);
    expect(requiresNewIncident(fault, [{ last: at(0) }])).toBe(false);
    expect(requiresNewIncident(fault, [])).toBe(false);
  });

  test("unless none can be joined with any window that a configuration allows", () => {
    expect(requiresNewIncident(trip(DOOR), [])).toBe(true);
    expect(requiresNewIncident(trip(DOOR, at(INCIDENT_WINDOW_MS_MAX)), [{ last: at(0) }])).toBe(false);
    expect(requiresNewIncident(trip(DOOR, at(INCIDENT_WINDOW_MS_MAX + 1)), [{ last: at(0) }])).toBe(true);
  });

  test("whose record is there and not done", () => {
    const record = { status: "planned" } as Intervention;
    expect([record, { ...record, status: "in_progress" as const }].map(isUnfinished)).toEqual([true, true]);
    expect([undefined, { ...record, status: "done" as const }].map(isUnfinished)).toEqual([false, false]);
  });
});

describe("a second signal confirms", () => {
  const CONFIRMING = { ...HALL, confirmWith: { zones: ["door"], withinS: 60 } };

  test("from another zone and device only", () => {
    expect(confirms(incident(trip(DOOR)), trip(HALL))).toBe(true);
    expect(confirms(incident(trip(DOOR)), trip(DOOR))).toBe(false);
    const device = "camera";
    expect(confirms(incident(trip({ ...DOOR, device })), trip({ ...HALL, device }))).toBe(false);
    expect(confirms(incident(trip({ ...DOOR, device: "left" })), trip({ ...DOOR, device: "right" }))).toBe(
      false,
    );
    expect(confirms(incident(trip(DOOR), trip(HALL)), trip(HALL))).toBe(true);
  });

  test("only where a profile asks for it", () => {
    const fire = { kind: "fire", input: { simulated: true } } as const;
    expect(confirms(incident(trip({ ...fire, id: "a" })), trip({ ...fire, id: "b" }))).toBe(false);
    expect(confirms(incident(trip(DOOR, at(0), { confirmed: null })), trip(HALL))).toBe(false);
    expect(confirms(incident(trip(DOOR)), trip(HALL, at(0), { confirmed: null }))).toBe(false);
    const unnamed = trip(HALL);
    expect(confirms(incident(trip(DOOR)), { ...unnamed, signal: { ...unnamed.signal, device: null } })).toBe(
      false,
    );
  });

  test.each([
    ["within its time", 60_000, true],
    ["not a millisecond later", 60_001, false],
  ])("a zone that only certain zones confirm: %s", (_what, ms, isSo) => {
    expect(confirms(incident(trip(DOOR)), trip(CONFIRMING, at(ms)))).toBe(isSo);
    expect(confirms(incident(trip(CONFIRMING)), trip(DOOR, at(ms)))).toBe(isSo);
    // A trip of a lower time was delivered later.
    expect(confirms(incident(trip(DOOR, at(ms))), trip(CONFIRMING))).toBe(isSo);
  });

  test("a zone that only certain zones confirm: by no other", () => {
    const window = { ...DOOR, id: "window" };
    expect(confirms(incident(trip(window)), trip(CONFIRMING))).toBe(false);
    expect(confirms(incident(trip(CONFIRMING)), trip(window))).toBe(false);
  });
});

describe("an open record", () => {
  const RECORD = {
    priority: "low",
    crews: 1,
    police: false,
    ambulance: false,
    firetruck: false,
  } as Intervention;
  const asks = (body: Partial<Trip["body"]>, confirmed: Trip["confirmed"] = null): Trip => {
    const row = trip(DOOR);
    const { priority: _priority, crews: _crews, police: _police, ...plain } = row.body;
    return { ...row, body: { ...plain, ...body }, confirmed };
  };

  test("gets what a trip asks for beyond it, and nothing else", () => {
    expect(escalation(RECORD, asks({ priority: "medium", crews: 2, firetruck: true }), false)).toEqual({
      priority: "medium",
      crews: 2,
      firetruck: true,
    });
    expect(escalation(RECORD, asks({ priority: "high", police: true, ambulance: true }), false)).toEqual({
      priority: "high",
      police: true,
      ambulance: true,
    });
    expect(escalation(RECORD, asks({}), false)).toEqual({});
    expect(escalation({ ...RECORD, crews: 0 }, asks({}), false)).toEqual({ crews: 1 });
  });

  test("keeps what a person has requested: nothing is lowered", () => {
    const record = { ...RECORD, priority: "high", crews: 4, police: true, firetruck: true } as const;
    const body = { priority: "low", crews: 2, police: false, firetruck: true } as const;
    expect(escalation(record, asks(body), false)).toEqual({});
    expect(escalation({ ...record, priority: "medium" }, asks({ priority: "medium" }), false)).toEqual({});
  });

  test("gets what the profile adds once it is confirmed, with high priority", () => {
    const added = asks({ priority: "medium" }, { police: true, crews: 2 });
    expect(escalation(RECORD, added, false)).toEqual({ priority: "medium" });
    expect(escalation(RECORD, added, true)).toEqual({ priority: "high", police: true, crews: 2 });
    expect(escalation(RECORD, asks({ crews: 3 }, { crews: 2 }), true)).toEqual({
      priority: "high",
      crews: 3,
    });
    expect(escalation(RECORD, asks({}, { priority: "medium" }), true)).toEqual({ priority: "medium" });
  });
});

describe("the zone of an incident", () => {
  const opened = withOpening(undefined, trip(DOOR));

  test("counts its openings, and is open after each", () => {
    const stamp = { ...at(0), isDated: true };
    expect(opened).toMatchObject({ zoneId: "door", name: "Door", openings: 1, first: stamp, last: stamp });
    expect([opened.closed, opened.line]).toEqual([null, null]);
    const again = withOpening({ ...opened, closed: stamp }, trip(DOOR, at(60_000)));
    expect(again).toEqual({ ...opened, openings: 2, last: { ...at(60_000), isDated: true }, closed: null });
  });

  test("has a line from the start if the texts of the profile do not name it", () => {
    const unnamed = trip(DOOR);
    const body = { ...unnamed.body, notes: "23:30 Door" };
    expect(withOpening(undefined, { ...unnamed, body }).line).toBe("23:30 Door");
  });

  test("takes the time of the clock once that is trusted, and keeps it against drift", () => {
    const undated: IncidentZone = {
      ...opened,
      first: { ...at(0), isDated: false },
      last: { ...at(60_000, "boot-0"), isDated: false },
      closed: { ...at(90_000), isDated: false },
    };
    const dated = redated(undated, "boot-1", WALL_MS + 500.4);
    expect(dated.first).toEqual({ ...at(0), wallMs: WALL_MS + 500, isDated: true });
    expect(dated.last).toBe(undated.last);
    expect(dated.closed).toEqual({ ...at(90_000), wallMs: WALL_MS + 90_500, isDated: true });
    expect(redated(dated, "boot-1", WALL_MS + 30_499)).toBe(dated);
    expect(redated(dated, "boot-1", WALL_MS - 29_499)).toBe(dated);
    expect(redated(dated, "boot-1", WALL_MS + 30_500).first.wallMs).toBe(WALL_MS + 30_500);
    expect(redated(opened, "boot-0", 0)).toBe(opened);
  });

  test("takes it for each of its times alone", () => {
    const closed = { ...opened, closed: { ...at(90_000), isDated: false } };
    expect(redated(closed, "boot-1", WALL_MS)).toEqual({
      ...closed,
      closed: { ...at(90_000), isDated: true },
    });
    const first = { ...opened, first: { ...at(0), isDated: false } };
    expect(redated(first, "boot-1", WALL_MS)).toEqual(opened);
    const last = { ...opened, last: { ...at(90_000), isDated: false } };
    expect(redated(last, "boot-1", WALL_MS)).toEqual({ ...last, last: { ...at(90_000), isDated: true } });
  });

  test("replaces its former state, or is the last one", () => {
    const hall = withOpening(undefined, trip(HALL));
    const again = { ...opened, openings: 2 };
    expect(withZone([opened, hall], again)).toEqual([again, hall]);
    expect(withZone([opened], hall)).toEqual([opened, hall]);
    expect(changedZones([opened, hall], [again, hall])).toEqual([again]);
  });
});

describe("classes", () => {
  const classes: Readonly<Record<ZoneKind, string>> = {
    intrusion: "burglary",
    perimeter: "burglary",
    motion: "burglary",
    glass: "burglary",
    tamper: "burglary",
    panic: "hold-up",
    holdup: "hold-up",
    fire: "fire",
    gas: "gas",
    medical: "medical",
    flood: "flood",
    technical: "technical",
    power: "power",
  };

  test.each(ZONE_KINDS)("of %s: only trips of one class at one objective share a record", (kind) => {
    const objective = { type: "obiective/bunuri", id: 7 } as const;
    expect(subjectOfTrip({ kind, objective })).toBe(`${classes[kind]}/obiective/bunuri/7`);
  });

  test("of life safety are fire, gas, medical and hold-up", () => {
    const kinds = ZONE_KINDS.filter(isLifeSafety);
    expect(kinds.toSorted()).toEqual(["fire", "gas", "holdup", "medical", "panic"]);
    const subjects = ZONE_KINDS.map((kind) =>
      subjectOfTrip({ kind, objective: { type: "obiective/cladiri", id: 1 } }),
    );
    expect(new Set(subjects.filter(isLifeSafetySubject))).toEqual(
      new Set(["fire", "gas", "medical", "hold-up"].map((name) => `${name}/obiective/cladiri/1`)),
    );
    expect(isLifeSafetySubject("standing/fire/1")).toBe(false);
    expect(isLifeSafetySubject("firewall/obiective/cladiri/1")).toBe(false);
  });
});
