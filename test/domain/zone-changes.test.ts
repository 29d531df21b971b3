import { describe, expect, test } from "vitest";
import type { Gate as GateOptions, MqttInput } from "../../src/generated/types.ts";
import { resolveGate } from "../../src/domain/gate.ts";
import {
  canonical,
  gateIdsOf,
  gateReadingOf,
  isFaultKept,
  sensorOf,
  zoneChanges,
} from "../../src/domain/zone-changes.ts";
import { zoneOf } from "../support/monitored-zones.ts";

/* What a changed configuration keeps of a zone: docs/operating.md. */

const MQTT: { readonly input: MqttInput } = { input: { mqtt: "door", open: ["ON"] } };
const EOL = { normal: "2k2", alarm: "4k7", pullUp: "2k2", supplyV: 3.3 };

test("the zones that were added, removed and changed are named, and no others", () => {
  const [a, b, c, d] = ["a", "b", "c", "d"].map((id) => zoneOf({ ...MQTT, id }));
  if (!a || !b || !c || !d) throw new Error("four zones");
  const renamed = { ...b, name: "renamed" };
  expect(zoneChanges([a, b, c], [d, renamed, zoneOf({ ...MQTT, id: "a" })])).toEqual({
    added: ["d"],
    removed: ["c"],
    changed: ["b"],
  });
});

describe("a zone keeps its sensor", () => {
  test("with the same line, whatever its pull resistor, and not with another line, chip or contact", () => {
    const sensor = sensorOf(zoneOf({ input: { gpio: 17 } }));
    expect(sensorOf(zoneOf({ id: "other", input: { gpio: 17, bias: "pull-up" } }))).toBe(sensor);
    for (const input of [{ gpio: 18 }, { gpio: 17, chip: "expander" }, { gpio: 17, contact: "no" as const }])
      expect(sensorOf(zoneOf({ input }))).not.toBe(sensor);
  });

  test("with the same input of a converter, whatever its resistors", () => {
    const of = (adc: string, channel: number, eol = EOL): string =>
      sensorOf(zoneOf({ input: { adc, channel, eol } }));
    expect(of("mcp3208", 0, { ...EOL, alarm: "5k6" })).toBe(of("mcp3208", 0));
    expect(of("mcp3208", 1)).not.toBe(of("mcp3208", 0));
    expect(of("ads1015", 0)).not.toBe(of("mcp3208", 0));
  });

  test("with the same message, however it is written, and not with another", () => {
    const sensor = sensorOf(zoneOf(MQTT));
    expect(sensorOf(zoneOf({ id: "other", input: { open: ["ON"], mqtt: "door" } }))).toBe(sensor);
    expect(sensorOf(zoneOf({ input: { ...MQTT.input, path: "/contact" } }))).not.toBe(sensor);
  });

  test("that is simulated only as the same zone", () => {
    const input = { simulated: true } as const;
    expect(sensorOf(zoneOf({ id: "a", input }))).toBe(sensorOf(zoneOf({ id: "a", input, name: "renamed" })));
    expect(sensorOf(zoneOf({ id: "a", input }))).not.toBe(sensorOf(zoneOf({ id: "b", input })));
  });
});

describe("a gate", () => {
  const reading = (options: GateOptions): string | undefined => {
    const gate = resolveGate(options);
    if (!gate) throw new Error("an invalid schedule");
    return gateReadingOf(gate);
  };

  test("reads the same with another exit delay or pull resistor, and not with another source", () => {
    expect(reading({ gpio: 22, exitDelayS: 30, bias: "pull-up" })).toBe(reading({ gpio: 22 }));
    for (const other of [{ gpio: 23 }, { gpio: 22, chip: "expander" }, { gpio: 22, contact: "no" as const }])
      expect(reading(other)).not.toBe(reading({ gpio: 22 }));
    const armed = { mqtt: "alarm", open: ["armed"] };
    expect(reading({ ...armed, exitDelayS: 30 })).toBe(reading(armed));
    expect(reading({ ...armed, open: ["home"] })).not.toBe(reading(armed));
    expect(reading({ dc09: "12ab", exitDelayS: 30 })).toBe(reading({ dc09: "12AB" }));
    expect(reading({ dc09: "12ab", partition: 1 })).not.toBe(reading({ dc09: "12AB" }));
  });

  test("by a schedule, or always, has no reading and no id", () => {
    expect([reading("always"), reading({ schedule: "mon" })]).toEqual([undefined, undefined]);
    const zones = (["always", { schedule: "mon" }, { gpio: 22 }, { gpio: 22 }] as const).map((gate) =>
      zoneOf({ ...MQTT, gate }),
    );
    expect([...gateIdsOf(zones)]).toEqual(["gpio 22"]);
  });
});

describe("a fault stays when its source does", () => {
  const before = {
    ...MQTT,
    tamper: { path: "/tamper", open: [true] },
    battery: { path: "/battery", below: 10 },
    availability: { mqtt: "door/state" },
    bridge: { mqtt: "bridge/state" },
    supervisionTimeoutS: 900,
  } satisfies Parameters<typeof zoneOf>[0];
  const keeps = (change: object): string[] =>
    (["tamper", "battery", "supervision", "faulty"] as const).filter((fault) =>
      isFaultKept(fault, zoneOf(before), zoneOf({ ...before, ...change })),
    );

  test.each<[what: string, change: object, kept: string[]]>([
    ["with another name", { name: "renamed" }, ["tamper", "battery", "supervision", "faulty"]],
    ["with another place of the tamper", { tamper: { open: [true] } }, ["battery", "supervision", "faulty"]],
    ["with another limit of the battery", { battery: { below: 20 } }, ["tamper", "supervision", "faulty"]],
    [
      "with another time of supervision",
      { supervisionTimeoutS: 60 },
      ["tamper", "battery", "supervision", "faulty"],
    ],
    ["with another availability", { availability: { mqtt: "x" } }, ["tamper", "battery", "faulty"]],
    ["with another bridge", { bridge: { mqtt: "x" } }, ["tamper", "battery", "faulty"]],
    ["with another sensor", { input: { mqtt: "window", open: ["ON"] } }, []],
  ])("%s", (_what, change, kept) => {
    expect(keeps(change)).toEqual(kept);
  });

  test("not when the supervision ends", () => {
    const { supervisionTimeoutS: _timeout, battery: _battery, ...unlimited } = before;
    const { battery: _none, ...limited } = before;
    expect(isFaultKept("supervision", zoneOf(limited), zoneOf(unlimited))).toBe(false);
  });

  test("the tamper of a loop with its input", () => {
    const loop = (channel: number) => zoneOf({ input: { adc: "mcp3208", channel, eol: EOL } });
    expect(isFaultKept("tamper", loop(0), loop(0))).toBe(true);
    expect(isFaultKept("tamper", loop(0), loop(1))).toBe(false);
  });
});

test("a text of a value depends neither on the order of its keys nor on missing ones", () => {
  expect(canonical({ b: [1, { d: null, c: "x" }], a: undefined })).toBe('{"b":[1,{"c":"x","d":null}]}');
  expect(canonical({ a: 1, b: 2 })).toBe(canonical({ b: 2, a: 1 }));
  expect(canonical([1, 2])).not.toBe(canonical([2, 1]));
  expect([canonical(undefined), canonical(null), canonical("a"), canonical(true)]).toEqual([
    "undefined",
    "null",
    '"a"',
    "true",
  ]);
});
