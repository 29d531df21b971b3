import { describe, expect, test } from "vitest";
import {
  bridgeNameOf,
  bridgeOf,
  resolveProfiles,
  resolveZone,
  statusSourcePlace,
} from "../../src/domain/zone-rules.ts";
import type { ZoneKind } from "../../src/domain/zone.ts";
import type { MqttInput } from "../../src/generated/types.ts";
import { zoneOf } from "../support/monitored-zones.ts";

/* What a zone does without options, as docs/configuration.md and docs/sensors.md describe it. */

const MQTT: { readonly input: MqttInput } = { input: { mqtt: "door", open: ["ON"] } };
const WIRE = { input: { gpio: 17 } } as const;
const LIFE_SAFETY = ["fire", "gas", "medical", "holdup", "panic"] as const satisfies readonly ZoneKind[];

describe("the times of a zone without options", () => {
  test.each<[ZoneKind, minOpenMs: number]>([
    ["intrusion", 250],
    ["fire", 250],
    ["panic", 20],
  ])("on a wire: %s counts after %d ms", (kind, minOpenMs) => {
    expect(zoneOf({ ...WIRE, kind }).rules).toMatchObject({ debounceMs: 50, minOpenMs, confirmMs: 0 });
  });

  test("on a loop of a converter are those of a wire", () => {
    const eol = { normal: "2k2", alarm: "4k7", pullUp: "2k2", supplyV: 3.3 };
    const { rules } = zoneOf({ input: { adc: "mcp3208", channel: 0, eol } });
    expect(rules).toMatchObject({ debounceMs: 50, minOpenMs: 250 });
  });

  test("of a message are none: a panic button counts at once, like any other", () => {
    for (const kind of ["intrusion", "panic"] as const)
      expect(zoneOf({ ...MQTT, kind }).rules).toMatchObject({ debounceMs: 0, minOpenMs: 0, confirmMs: 0 });
  });

  test("of an alarm panel filter nothing: it reports each alarm once, often without a restoral", () => {
    const filters = { debounceMs: 50, minOpenMs: 300, confirmMs: 1_000 };
    const { rules } = zoneOf({ input: { dc09: "1234", zone: 4 }, ...filters });
    expect(rules).toMatchObject({ debounceMs: 0, minOpenMs: 0, confirmMs: 0 });
  });

  test("are replaced by the options, in milliseconds", () => {
    const options = { debounceMs: 20, minOpenMs: 300, confirmMs: 1_000, autoRestoreS: 30 };
    expect(zoneOf({ ...WIRE, ...options }).rules).toMatchObject({
      debounceMs: 20,
      minOpenMs: 300,
      confirmMs: 1_000,
      autoRestoreMs: 30_000,
    });
    expect(zoneOf(WIRE).rules).not.toHaveProperty("autoRestoreMs");
  });

  test.each<[ZoneKind, seconds: number]>([
    ["intrusion", 60],
    ["gas", 60],
    ["fire", 5],
    ["panic", 5],
    ["holdup", 5],
    ["medical", 5],
  ])("after a power-up: an opening of %s counts after %d s", (kind, seconds) => {
    expect(zoneOf({ ...WIRE, kind }).powerUpDelayMs).toBe(seconds * 1_000);
    expect(zoneOf({ ...WIRE, kind, powerUpDelayS: 7 }).powerUpDelayMs).toBe(7_000);
  });

  test("until an unavailable sensor is a fault are a minute, and none for a zone of an alarm panel", () => {
    expect(zoneOf(MQTT).unavailableGraceMs).toBe(60_000);
    expect(zoneOf({ ...MQTT, unavailableGraceS: 9 }).unavailableGraceMs).toBe(9_000);
    expect(zoneOf({ input: { dc09: "12ab", zone: 3 } }).unavailableGraceMs).toBe(0);
  });

  test("until a silent sensor is a fault are 26 hours with a battery, and unlimited without one", () => {
    expect(zoneOf(MQTT).supervisionTimeoutMs).toBeNull();
    expect(zoneOf({ ...MQTT, battery: { path: "/battery", below: 10 } }).supervisionTimeoutMs).toBe(
      26 * 3_600_000,
    );
    expect(zoneOf({ ...MQTT, supervisionTimeoutS: 900 }).supervisionTimeoutMs).toBe(900_000);
  });
});

describe("life safety", () => {
  const options = { ...MQTT, entryDelayS: 30, whenArmedOpen: "condition", swinger: { maxTrips: 3 } } as const;

  test.each(LIFE_SAFETY)("%s has no entry delay, no shutdown, and trips when it is found open", (kind) => {
    expect(zoneOf({ ...options, kind })).toMatchObject({
      entryDelayMs: 0,
      whenArmedOpen: "trip",
      swinger: null,
      rules: { tripsAtFirstSight: true },
    });
  });

  test("is no other zone type: its options apply", () => {
    for (const kind of ["intrusion", "tamper", "flood", "technical", "power"] as const)
      expect(zoneOf({ ...options, kind })).toMatchObject({
        entryDelayMs: 30_000,
        whenArmedOpen: "condition",
        swinger: { maxTrips: 3, resetAfterQuietMs: 8 * 3_600_000 },
        rules: { tripsAtFirstSight: false },
      });
  });
});

test("a zone without options is dispatched at once, listed when it is armed open, and shut down after two incidents", () => {
  expect(zoneOf(MQTT)).toMatchObject({
    gate: { by: "always" },
    entryDelayMs: 0,
    whenArmedOpen: "record",
    swinger: { maxTrips: 2, resetAfterQuietMs: 8 * 3_600_000 },
    confirmWith: null,
  });
  expect(zoneOf({ ...MQTT, swinger: false }).swinger).toBeNull();
});

test.each([
  [{ gpio: 17 }, "gpio"],
  [{ mqtt: "door", open: ["ON"] }, "mqtt"],
  [{ dc09: "12ab", zone: 3 }, "dc09"],
  [{ supply: "raspberry-pi" as const }, "supply"],
  [{ simulated: true as const }, "simulated"],
])("the source of %j is %s", (input, source) => {
  expect(zoneOf({ input }).input).toMatchObject({ source });
});

test("zones on one topic are one device unless they name theirs; every other zone is its own", () => {
  expect(zoneOf({ ...MQTT, id: "a" }).device).toBe(zoneOf({ ...MQTT, id: "b" }).device);
  expect(zoneOf({ input: { mqtt: "window", open: ["ON"] } }).device).not.toBe(zoneOf(MQTT).device);
  expect(zoneOf({ ...MQTT, device: "left" }).device).toBe("left");
  expect(zoneOf({ ...WIRE, id: "a" }).device).not.toBe(zoneOf({ ...WIRE, id: "b" }).device);
});

test("a zone that only certain zones confirm waits ten minutes for them", () => {
  expect(zoneOf({ ...MQTT, confirmWith: { zones: ["hall"] } }).confirmWith).toEqual({
    zones: ["hall"],
    withinMs: 600_000,
  });
  expect(zoneOf({ ...MQTT, confirmWith: { zones: ["hall"], withinS: 60 } }).confirmWith).toMatchObject({
    withinMs: 60_000,
  });
});

test("a zone with an unknown profile or an invalid schedule is none", () => {
  const options = {
    id: "door",
    name: "Door",
    kind: "intrusion",
    objective: { type: "obiective/cladiri", id: 1 },
    ...MQTT,
  } as const;
  expect(resolveZone(options, resolveProfiles({}), "Hall")).toMatchObject({ objectiveName: "Hall" });
  expect(resolveZone(options, resolveProfiles({}))).not.toHaveProperty("objectiveName");
  expect(resolveZone({ ...options, profile: "night" }, resolveProfiles({}))).toBeUndefined();
  expect(resolveZone({ ...options, gate: { schedule: "later" } }, resolveProfiles({}))).toBeUndefined();
});

describe("the profile of a zone type", () => {
  const police = { police: true };
  test.each<[ZoneKind, expected: object]>([
    ["intrusion", { priority: "high", type: "other", crews: 1, confirmed: { police: true, crews: 2 } }],
    ["perimeter", { priority: "high", type: "other", crews: 1, confirmed: { police: true, crews: 2 } }],
    ["motion", { priority: "high", type: "other", crews: 1, confirmed: { police: true, crews: 2 } }],
    ["glass", { priority: "high", type: "other", crews: 1, confirmed: { police: true, crews: 2 } }],
    ["fire", { priority: "high", type: "other", crews: 1, firetruck: true }],
    ["panic", { priority: "high", type: "other", crews: 2, ...police }],
    ["holdup", { priority: "high", type: "other", crews: 2, ...police }],
    ["medical", { priority: "high", type: "other", crews: 1, ambulance: true }],
    ["flood", { priority: "medium", type: "repair", crews: 1 }],
    ["gas", { priority: "high", type: "other", crews: 1, firetruck: true }],
    ["tamper", { priority: "high", type: "inspection", crews: 1 }],
    ["technical", { priority: "medium", type: "repair", crews: 1 }],
    ["power", { priority: "medium", type: "repair", crews: 1 }],
  ])("%s requests what the manual says and no other service", (kind, expected) => {
    const none = { police: false, ambulance: false, firetruck: false };
    expect(zoneOf({ ...MQTT, kind }).profile).toEqual({ ...none, ...expected });
  });

  test("is changed field by field by the configuration, which can add others", () => {
    const profiles = resolveProfiles({ fire: { crews: 3 }, guard: { police: true } });
    expect(profiles.get("fire")).toMatchObject({ crews: 3, firetruck: true, priority: "high" });
    expect(profiles.get("guard")).toEqual({
      priority: "medium",
      type: "other",
      crews: 1,
      police: true,
      ambulance: false,
      firetruck: false,
    });
  });
});

describe("tamper and battery", () => {
  const where = [{ path: "/id", in: [4] }];

  test("are on the topic of the contact and under its conditions, unless they name a topic", () => {
    const input = { mqtt: "door", open: ["ON"], where };
    const own = [{ path: "/type", in: ["tamper"] }];
    expect(statusSourcePlace(input, {})).toEqual({ mqtt: "door", where });
    expect(statusSourcePlace(input, { where: own })).toEqual({ mqtt: "door", where: [...where, ...own] });
    expect(statusSourcePlace(MQTT.input, {})).toEqual({ mqtt: "door" });
    expect(statusSourcePlace(input, { mqtt: "door/tamper" })).toEqual({ mqtt: "door/tamper" });
    expect(statusSourcePlace(WIRE.input, {})).toEqual({ mqtt: "" });
  });

  test("belong to the zone only if it has them", () => {
    expect(zoneOf(MQTT).statusSources).toEqual({});
    const { statusSources } = zoneOf({
      ...MQTT,
      tamper: { path: "/tamper", open: [true] },
      battery: { mqtt: "door/battery", below: 10 },
      availability: { mqtt: "door/state" },
      bridge: { mqtt: "bridge/state", down: [] },
    });
    expect(statusSources).toEqual({
      tamper: { path: "/tamper", open: [true], mqtt: "door" },
      battery: { mqtt: "door/battery", below: 10 },
      availability: { mqtt: "door/state", up: ["online"], down: ["offline"] },
      bridge: { mqtt: "bridge/state", up: ["online"], down: [] },
    });
  });
});

describe("the name of a bridge", () => {
  const source = { up: ["online"], down: ["offline"] };

  test.each([
    [{}, "bridge/state"],
    [{ path: "/state" }, "bridge/state"],
    [{ path: "/online" }, "bridge/state /online"],
    [{ where: [{ path: "/id", in: [1, 2] }] }, "bridge/state (/id = 1 | 2)"],
    [{ where: [{ path: "/id", not: [1, 2] }] }, "bridge/state (/id ≠ 1 | 2)"],
    [{ where: [{ path: "/id", in: [1], not: [2] }] }, "bridge/state (/id = 1 ≠ 2)"],
    [
      {
        where: [
          { path: "/a", exists: true },
          { path: "/b", exists: false },
        ],
      },
      "bridge/state (/a +, /b -)",
    ],
  ])("with %j is %s", (options, name) => {
    expect(bridgeNameOf({ mqtt: "bridge/state", ...source, ...options })).toBe(name);
  });

  test("is that of the alarm panel for its zones, whatever the capitals of its account", () => {
    expect(bridgeOf(zoneOf({ input: { dc09: "12ab", zone: 3 } }))).toBe("DC-09 12AB");
    expect(bridgeOf(zoneOf({ ...MQTT, bridge: { mqtt: "bridge/state" } }))).toBe("bridge/state");
    expect(bridgeOf(zoneOf(MQTT))).toBeUndefined();
  });
});
