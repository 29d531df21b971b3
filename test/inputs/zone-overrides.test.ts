import { describe, expect, test } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import { resolveGate } from "../../src/domain/gate.ts";
import type { Zone as ZoneOptions } from "../../src/generated/types.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

const DOOR_OPTIONS = { input: { simulated: true }, swinger: false } as const;
const DOOR = zoneOf({ id: "door", ...DOOR_OPTIONS });
const GATE = zoneOf({ id: "gate", input: { simulated: true }, swinger: false });
const ANA = { who: "ana@example.ro", from: "192.0.2.7" };
const MINUTE_MS = 60_000;

let site: MonitoredZones;

function trip(...zoneIds: string[]): void {
  for (const zoneId of zoneIds)
    for (const contact of ["normal", "open"] as const) site.monitor.read(zoneId, contact, { live: true });
}

/** Dispositions of the trips; contacts that are open at the end of an override are tested elsewhere. */
function dispositions(): unknown[] {
  return site.trips
    .filter(({ type }) => type === "trip")
    .map(({ zoneId, state, reason }) => [zoneId, state, reason]);
}

function states(): unknown[] {
  return dispositions().map((disposition) => (disposition as unknown[])[1]);
}

describe("a bypass", () => {
  test("suppresses the trips of its zone alone, with its reason, until it expires", () => {
    site = MonitoredZones.forTest([DOOR, GATE]);
    site.zoneService.zoneOverrides.bypass("door", { reason: " painter ", minutes: 10 }, ANA);
    trip("door", "gate");
    site.clock.advance(10 * MINUTE_MS);
    trip("door");
    expect(dispositions()).toEqual([
      ["door", "bypassed", "painter (ana@example.ro)"],
      ["gate", "waiting", null],
      ["door", "waiting", null],
    ]);
    expect(site.events).toEqual([
      { ...ANA, event: "zone-bypassed", subject: "zone door", detail: { reason: "painter", minutes: 10 } },
      { who: "santinela", from: "itself", event: "zone-restored", subject: "zone door", detail: {} },
    ]);
  });

  test("until an hour ends when the clock of the site shows it", () => {
    site = MonitoredZones.forTest([DOOR]);
    // 23:30:20 in Bucharest.
    site.clock.advance(20_000);
    const order = { reason: "painter", untilHour: 6 };
    const { sinceWallMs, untilWallMs } = site.zoneService.zoneOverrides.bypass("door", order, ANA);
    expect(new Date(untilWallMs).toISOString()).toBe("2026-11-21T04:00:00.000Z");
    expect(site.events).toMatchObject([{ detail: { reason: "painter", minutes: 390 } }]);
    site.clock.advance(untilWallMs - sinceWallMs - 1);
    trip("door");
    site.clock.advance(1);
    trip("door");
    expect(states()).toEqual(["bypassed", "waiting"]);
  });

  test("expires also across a restart, and is not extended by a backward clock step", () => {
    site = MonitoredZones.forTest([DOOR]);
    site.zoneService.zoneOverrides.bypass("door", { reason: "painter", minutes: 10 }, ANA);
    site.clock.advance(4 * MINUTE_MS);
    site.restart();
    trip("door");
    site.clock.advance(6 * MINUTE_MS);
    trip("door");
    site.zoneService.zoneOverrides.bypass("door", { reason: "again", minutes: 10 }, ANA);
    site.clock.stepWall(-86_400_000);
    site.restart();
    site.clock.advance(10 * MINUTE_MS);
    trip("door");
    expect(states()).toEqual(["bypassed", "waiting", "waiting"]);
  });

  test("lasts eight hours by default, and can be ended", () => {
    site = MonitoredZones.forTest([DOOR, GATE]);
    for (const zone of ["door", "gate"])
      site.zoneService.zoneOverrides.bypass(zone, { reason: "painter" }, ANA);
    site.zoneService.zoneOverrides.restore("gate", ANA);
    site.clock.advance(480 * MINUTE_MS - 1);
    trip("door", "gate");
    site.clock.advance(1);
    trip("door");
    expect(states()).toEqual(["bypassed", "waiting", "waiting"]);
  });

  test("that a user ends keeps back no alarm while the disk does not take its end", () => {
    site = MonitoredZones.forTest([DOOR]);
    const { zoneOverrides } = site.zoneService;
    zoneOverrides.bypass("door", { reason: "painter" }, ANA);
    trip("door");
    site.breakJournal();
    expect(() => zoneOverrides.restore("door", ANA)).toThrow(/readonly/);
    site.repairJournal();
    trip("door");
    expect(states()).toEqual(["bypassed", "waiting"]);
    site.clock.advance(MINUTE_MS);
    expect(site.events.at(-1)).toMatchObject({ ...ANA, event: "zone-restored", subject: "zone door" });
    site.restart();
    trip("door");
    expect(states()).toEqual(["bypassed", "waiting", "waiting"]);
  });

  test.each([
    ["nowhere", { reason: "painter" }, /unknown zone "nowhere"/],
    ["door", {}, /reason must have/],
    ["door", { reason: "  " }, /reason must have/],
    ["door", { reason: "painter", minutes: 0 }, /from 1 to 10080/],
    ["door", { reason: "painter", minutes: 10_081 }, /from 1 to 10080/],
    ["door", { reason: "painter", minutes: 1.5 }, /whole number/],
  ])("of %s with %j is rejected", (zone, order, message) => {
    site = MonitoredZones.forTest([DOOR]);
    expect(() => site.zoneService.zoneOverrides.bypass(zone, order, ANA)).toThrow(message);
    expect(() => site.zoneService.zoneOverrides.bypass(zone, order, ANA)).toThrow(AppError);
    trip("door");
    expect(states()).toEqual(["waiting"]);
  });
});

describe("a walk test", () => {
  test("dispatches nothing, and leaves a report of the zones that have not tripped", () => {
    site = MonitoredZones.forTest([DOOR, GATE]);
    site.zoneService.zoneOverrides.walkTests.begin(undefined, ANA);
    trip("door", "door");
    const last = new Date(site.clock.wallMs()).toISOString();
    site.clock.advance(30 * MINUTE_MS);
    trip("gate");
    expect(dispositions()).toEqual([
      ["door", "test", "walk test by ana@example.ro"],
      ["door", "test", "walk test by ana@example.ro"],
      ["gate", "waiting", null],
    ]);
    expect(site.zoneService.zoneOverrides.walkTests.report()).toMatchObject({
      isRunning: false,
      who: "ana@example.ro",
      zones: [
        { id: "door", trips: 2, last, passed: true },
        { id: "gate", trips: 0, last: null, passed: false },
      ],
    });
    expect(site.events.at(-1)).toMatchObject({
      event: "walk-test-ended",
      detail: { tripped: 1, missing: ["gate"] },
    });
  });

  test("continues after a restart, and ends on time", () => {
    site = MonitoredZones.forTest([DOOR]);
    site.zoneService.zoneOverrides.walkTests.begin(20, ANA);
    site.clock.advance(15 * MINUTE_MS);
    site.restart();
    trip("door");
    site.clock.advance(5 * MINUTE_MS);
    trip("door");
    expect(states()).toEqual(["test", "waiting"]);
  });

  test("does not affect the first real trip after it", () => {
    site = MonitoredZones.forTest([DOOR]);
    site.zoneService.zoneOverrides.walkTests.begin(20, ANA);
    for (let step = 0; step < 40; step += 1) {
      trip("door");
      site.clock.advance(500);
    }
    site.zoneService.zoneOverrides.walkTests.end(ANA);
    trip("door");
    expect(site.trips.at(-1)?.state).toBe("waiting");
    expect(site.trips).toHaveLength(21);
  });

  test("cannot be started twice, nor for more than four hours", () => {
    site = MonitoredZones.forTest([DOOR]);
    expect(() => site.zoneService.zoneOverrides.walkTests.begin(241, ANA)).toThrow(/from 1 to 240/);
    site.zoneService.zoneOverrides.walkTests.begin(240, ANA);
    expect(() => site.zoneService.zoneOverrides.walkTests.begin(1, ANA)).toThrow(/running already/);
    site.zoneService.zoneOverrides.walkTests.end(ANA);
    expect(site.zoneService.zoneOverrides.walkTests.begin(1, ANA)).toMatchObject({ isRunning: true });
  });

  test("treats a tamper as a part of it", () => {
    site = MonitoredZones.forTest([DOOR]);
    site.zoneService.zoneOverrides.walkTests.begin(20, ANA);
    site.monitor.take("door", { kind: "tamper", open: true }, { live: true });
    site.monitor.take("door", { kind: "tamper", open: false }, { live: true });
    expect(site.trips.map(({ type, state }) => [type, state])).toEqual([["fault", "test"]]);
  });
});

describe("an override begun before the clock is set", () => {
  const YEAR_MS = 31_536_000_000;

  /** A site whose clock is a year behind; it is set after four minutes, in which both overrides began. */
  function begin(): void {
    site = MonitoredZones.forTest([DOOR, GATE]);
    site.isClockTrusted = false;
    site.restart();
    site.clock.stepWall(-YEAR_MS);
  }

  function setClock(): void {
    site.clock.advance(4 * MINUTE_MS);
    site.clock.stepWall(YEAR_MS);
    site.isClockTrusted = true;
  }

  test("ends when it was to end, also after a restart", () => {
    begin();
    site.zoneService.zoneOverrides.bypass("door", { reason: "painter", minutes: 10 }, ANA);
    setClock();
    site.clock.advance(MINUTE_MS);
    trip("door");
    site.restart();
    site.clock.advance(4 * MINUTE_MS);
    trip("door");
    site.clock.advance(MINUTE_MS);
    trip("door");
    expect(states()).toEqual(["bypassed", "bypassed", "waiting"]);
  });

  test("dispatches nothing of the rest of a walk test, also after a restart", () => {
    begin();
    site.zoneService.zoneOverrides.walkTests.begin(10, ANA);
    setClock();
    site.clock.advance(MINUTE_MS);
    trip("door");
    const since = new Date(site.clock.wallMs() - 5 * MINUTE_MS).toISOString();
    expect(site.zoneService.zoneOverrides.walkTests.report()).toMatchObject({ isRunning: true, since });
    site.restart();
    site.clock.advance(4 * MINUTE_MS);
    trip("door");
    site.clock.advance(MINUTE_MS);
    trip("door");
    expect(states()).toEqual(["test", "test", "waiting"]);
  });

  test("is read from the journal: it ends earlier if its time is over by the clock that is set", () => {
    site = MonitoredZones.forTest([DOOR]);
    site.zoneService.zoneOverrides.bypass("door", { reason: "painter", minutes: 10 }, ANA);
    site.zoneService.zoneOverrides.walkTests.begin(10, ANA);
    site.clock.stepWall(-YEAR_MS);
    site.isClockTrusted = false;
    site.reboot();
    site.clock.stepWall(YEAR_MS + 10 * MINUTE_MS);
    site.isClockTrusted = true;
    site.clock.advance(20_000);
    trip("door");
    expect(states()).toEqual(["waiting"]);
  });
});

describe("an override that begins while the trusted clock is years ahead", () => {
  const AHEAD_MS = 10 * 365 * 86_400_000;

  /** The clock is ahead only while the override begins; the restart follows with ten of its sixty minutes left. */
  function beginAhead(begin: () => void): void {
    site = MonitoredZones.forTest([DOOR]);
    site.clock.stepWall(AHEAD_MS);
    site.clock.advance(MINUTE_MS);
    begin();
    site.clock.advance(MINUTE_MS);
    site.clock.stepWall(-AHEAD_MS);
    site.clock.advance(49 * MINUTE_MS);
    site.restart();
    trip("door");
    site.clock.advance(10 * MINUTE_MS);
    trip("door");
  }

  test("is a bypass: it ends on time, also after a restart", () => {
    beginAhead(() => site.zoneService.zoneOverrides.bypass("door", { reason: "painter", minutes: 60 }, ANA));
    expect(states()).toEqual(["bypassed", "waiting"]);
  });

  test("is a walk test: it ends on time, also after a restart", () => {
    beginAhead(() => site.zoneService.zoneOverrides.walkTests.begin(60, ANA));
    expect(states()).toEqual(["test", "waiting"]);
  });

  test("is continued by a restart meanwhile: it ends on time, also after a second one", () => {
    beginAhead(() => {
      site.zoneService.zoneOverrides.bypass("door", { reason: "painter", minutes: 60 }, ANA);
      site.restart();
    });
    expect(states()).toEqual(["bypassed", "waiting"]);
  });
});

test.each<[what: string, begin: () => void, state: string]>([
  [
    "a bypass",
    () => site.zoneService.zoneOverrides.bypass("door", { reason: "painter", minutes: 60 }, ANA),
    "bypassed",
  ],
  ["a walk test", () => site.zoneService.zoneOverrides.walkTests.begin(60, ANA), "test"],
])(
  "%s begun while the clock was ahead begins again once at most, if the clock is set while the daemon is stopped",
  (_what, begin, state) => {
    site = MonitoredZones.forTest([DOOR]);
    site.clock.stepWall(365 * 86_400_000);
    begin();
    site.clock.stepWall(-365 * 86_400_000);
    site.restart();
    site.clock.advance(40 * MINUTE_MS);
    site.restart();
    site.clock.advance(19 * MINUTE_MS);
    trip("door");
    site.clock.advance(MINUTE_MS);
    trip("door");
    expect(states()).toEqual([state, "waiting"]);
  },
);

test.each<[what: string, begin: () => void, state: string]>([
  [
    "a bypass",
    () => site.zoneService.zoneOverrides.bypass("door", { reason: "painter", minutes: 360 }, ANA),
    "bypassed",
  ],
  ["a walk test", () => site.zoneService.zoneOverrides.walkTests.begin(240, ANA), "test"],
])(
  "%s that is resumed by a trusted clock which is behind ends at its time once the clock is set",
  (what, begin, state) => {
    const [lengthMin, offMin] = what === "a bypass" ? [360, 300] : [240, 180];
    site = MonitoredZones.forTest([DOOR]);
    begin();
    // The machine is off, and its clock stands still.
    site.restart();
    site.clock.advance(5 * MINUTE_MS);
    site.clock.stepWall(offMin * MINUTE_MS);
    site.clock.advance(MINUTE_MS);
    trip("door");
    site.clock.advance((lengthMin - offMin - 6) * MINUTE_MS);
    trip("door");
    expect(states()).toEqual([state, "waiting"]);
  },
);

describe("an arming condition", () => {
  const AT_NIGHT = zoneOf({
    id: "door",
    input: { simulated: true },
    gate: { schedule: "mon-sun 22:00-06:00" },
    swinger: false,
  });
  const ARMED = zoneOf({ id: "gate", input: { simulated: true }, gate: { gpio: 22 }, swinger: false });

  test("by schedule suppresses trips outside of it", () => {
    // The clock of these tests shows 23:30 in Bucharest.
    site = MonitoredZones.forTest([AT_NIGHT]);
    trip("door");
    site.clock.advance(7 * 60 * MINUTE_MS);
    trip("door");
    expect(dispositions()).toEqual([
      ["door", "waiting", null],
      ["door", "gated", "disarmed (schedule)"],
    ]);
  });

  test("keeps its state when the configuration changes its exit delay", () => {
    const gates = [
      { mqtt: "alarm", open: ["armed"] },
      { gpio: 22 },
      { dc09: "12AB", partition: 1 },
    ] satisfies ZoneOptions["gate"][];
    const behind = (exitDelayS: number) =>
      gates.map((gate, index) =>
        zoneOf({ ...DOOR_OPTIONS, id: `door-${index}`, gate: { ...gate, exitDelayS } }),
      );
    const zones = behind(0);
    site = MonitoredZones.forTest(zones);
    for (const { gate } of zones) if ("id" in gate) site.monitor.setGate(gate.id, "closed");
    site.zoneService.exchange(behind(30), ANA);
    trip(...zones.map(({ id }) => id));
    expect(states()).toEqual(["gated", "gated", "gated"]);
  });

  test("by an alarm panel applies at the start, before any contact is read", () => {
    const panel = resolveGate({ dc09: "12AB" });
    if (panel?.by !== "dc09") throw new Error("the gate follows no alarm panel");
    site = MonitoredZones.forTest([zoneOf({ id: "door", ...DOOR_OPTIONS, gate: { dc09: "12AB" } })]);
    site.monitor.setGate(panel.id, "closed");
    trip("door");
    site.restart();
    trip("door");
    site.reboot();
    trip("door");
    expect(new Set(states())).toEqual(new Set(["gated"]));
  });

  test("by a key switch is armed until the first reading, and follows it then", () => {
    site = MonitoredZones.forTest([ARMED]);
    trip("gate");
    site.monitor.setGate("gpio 22", "closed");
    trip("gate");
    site.monitor.setGate("gpio 22", "open");
    trip("gate");
    expect(states()).toEqual(["waiting", "gated", "waiting"]);
  });
});
