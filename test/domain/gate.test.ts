import { describe, expect, test } from "vitest";
import {
  gapAfterWholeDay,
  gateStateOf,
  gateText,
  isGateOpen,
  parseSchedule,
  resolveGate,
} from "../../src/domain/gate.ts";

const ZONE = "Europe/Bucharest";

function isOpen(schedule: string, utc: string | null): boolean {
  const gate = resolveGate({ schedule });
  if (!gate) throw new Error(`cannot read ${schedule}`);
  return isGateOpen(gate, utc === null ? null : Date.parse(utc), ZONE, () => "unknown");
}

describe("a schedule", () => {
  const NIGHTS = "sun-fri 18:00-07:00, sat-sun";

  // 20 November 2026 is a Friday; Bucharest is two hours ahead of UTC then.
  test.each([
    ["2026-11-20T15:59:59Z", false],
    ["2026-11-20T16:00:00Z", true],
    ["2026-11-21T04:59:59Z", true],
    ["2026-11-21T12:00:00Z", true],
    ["2026-11-22T21:59:59Z", true],
    // Midnight: the night of Sunday goes on until Monday at seven.
    ["2026-11-22T22:00:00Z", true],
    ["2026-11-23T04:59:59Z", true],
    ["2026-11-23T05:00:00Z", false],
    ["2026-11-23T15:59:59Z", false],
    ["2026-11-23T16:00:00Z", true],
    ["2026-11-24T04:59:59Z", true],
    ["2026-11-24T05:00:00Z", false],
  ])("of nights and weekends is armed at %s: %s", (utc, wanted) => {
    expect(isOpen(NIGHTS, utc)).toBe(wanted);
  });

  test("of nights and weekends is armed without a gap from Friday evening to Monday morning", () => {
    const friday = Date.parse("2026-11-20T16:00:00Z");
    const times = Array.from({ length: (2 * 24 + 13) * 6 }, (_, index) => friday + index * 600_000);
    expect(times.filter((wallMs) => !isOpen(NIGHTS, new Date(wallMs).toISOString()))).toEqual([]);
  });

  test.each([
    ["mon-fri 18:00-07:00, sat-sun", { day: "mon", until: "18:00" }],
    ["sat-sun, mon-thu 20:30-06:00, fri 18:00-06:00", { day: "mon", until: "20:30" }],
    ["wed, thu 06:00-07:05", { day: "thu", until: "06:00" }],
    ["sun-fri 18:00-07:00, sat-sun", undefined],
    ["mon-sun 18:00-07:00", undefined],
    ["mon-fri 18:00-24:00", undefined],
    ["sat-sun", undefined],
    ["mon-sun", undefined],
    ["nonsense", undefined],
  ])("%s leaves out this night after a whole day: %j", (schedule, gap) => {
    expect(gapAfterWholeDay(schedule)).toEqual(gap);
  });

  // Clocks go from 04:00 back to 03:00 on 25 October 2026, and from 03:00 to 04:00 on 29 March 2026.
  test.each([
    ["2026-10-25T00:29:59Z", false],
    ["2026-10-25T00:30:00Z", true],
    ["2026-10-25T00:59:59Z", true],
    // The hour is repeated: what has started in it stays armed.
    ["2026-10-25T01:00:00Z", true],
    ["2026-10-25T01:30:00Z", true],
    ["2026-10-25T02:00:00Z", false],
    ["2026-03-29T00:59:59Z", false],
    ["2026-03-29T01:00:00Z", false],
  ])("follows local time when the clocks change: 03:30-04:00 at %s: %s", (utc, wanted) => {
    expect(isOpen("sun 03:30-04:00", utc)).toBe(wanted);
  });

  test("that ends in the repeated hour ends twice", () => {
    const armed = ["00:29", "00:30", "00:59", "01:00", "01:29", "01:30"].filter((time) =>
      isOpen("sat 22:00-03:30", `2026-10-25T${time}:00Z`),
    );
    expect(armed).toEqual(["00:29", "01:00", "01:29"]);
  });

  test("that crosses midnight into another day ends at its time", () => {
    expect(isOpen("sun 22:00-02:00", "2026-11-22T23:59:00Z")).toBe(true);
    expect(isOpen("sun 22:00-02:00", "2026-11-23T00:00:00Z")).toBe(false);
  });

  test("is armed while the clock is not trusted", () => {
    expect(isOpen("mon 01:00-02:00", null)).toBe(true);
  });

  test.each([
    ["mon", [0], 0, 1440],
    ["SAT-Mon", [5, 6, 0], 0, 1440],
    ["tue 08:00-24:00", [1], 480, 1440],
    ["tue  08:59-09:00", [1], 539, 540],
    ["mon 22:00-00:00", [0], 1320, 0],
  ])("%s is valid", (text, days, fromMin, toMin) => {
    expect(parseSchedule(text)).toEqual([{ days, fromMin, toMin }]);
  });

  test.each([
    "",
    "xyz",
    "mon-",
    "mon-xyz",
    "xyz-mon",
    "xmon",
    "mondays",
    "mon 08:00-09:00 sharp",
    "mon 8:00-9:00",
    "mon 24:00-01:00",
    "mon 08:60-10:00",
    "mon 08:00-09:60",
    "mon 08:00-24:01",
    "mon 08:00-25:00",
    "mon 08:00-08:00",
    "mon,,tue",
  ])("%j is invalid", (text) => {
    expect(parseSchedule(text)).toBeUndefined();
  });
});

test.each([
  ["open", true],
  ["unknown", true],
  ["closed", false],
] as const)("a gate whose message or key switch was last %s is armed: %s", (state, wanted) => {
  for (const options of [{ mqtt: "alarm/armed", open: ["armed"] }, { gpio: 22 }]) {
    const gate = resolveGate(options);
    expect(gate && isGateOpen(gate, 0, ZONE, () => state)).toBe(wanted);
  }
});

test("zones that follow the same message or key share its state", () => {
  const armed = { mqtt: "a", open: ["armed"] };
  const gates = [
    { gpio: 22 },
    { gpio: 22, contact: "no" as const },
    armed,
    { ...armed },
    { ...armed, open: ["home"] },
    { ...armed, where: [{ path: "/area", in: [1] }] },
    { ...armed, open: [1], bits: 1 },
    { ...armed, open: [1], bits: 3 },
  ];
  const [gpio, sameGpio, mqtt, sameMqtt, otherValue, otherPlace, oneBit, twoBits] = gates.map((options) => {
    const gate = resolveGate(options);
    return gate?.by === "gpio" || gate?.by === "mqtt" ? gate.id : undefined;
  });
  expect([gpio, mqtt]).toEqual([sameGpio, sameMqtt]);
  expect(new Set([gpio, mqtt, otherValue, otherPlace, oneBit, twoBits]).size).toBe(6);
  // Its stored state is found under the id of earlier releases.
  expect(mqtt).toBe('mqtt a  {"open":["armed"]}');
});

test("a gate is armed always if nothing else is configured, whatever the clock and the states say", () => {
  for (const options of [undefined, "always"] as const) {
    const gate = resolveGate(options);
    expect(gate).toEqual({ by: "always" });
    expect(gate && isGateOpen(gate, 0, ZONE, () => "closed")).toBe(true);
  }
});

test("a gate of an alarm panel is one for each partition, whatever the capitals of its account", () => {
  const [all, first, other, same] = [
    { dc09: "12ab" },
    { dc09: "12ab", partition: 1 },
    { dc09: "12ab", partition: 2 },
    { dc09: "12AB", partition: 1 },
  ].map((options) => resolveGate(options));
  expect(first).toEqual({ by: "dc09", id: "dc09 12AB 1", dc09: "12AB", partition: 1, exitDelayMs: 0 });
  expect(all).toMatchObject({ id: "dc09 12AB " });
  expect(same).toEqual(first);
  expect(other).not.toEqual(first);
  for (const [state, wanted] of [
    ["closed", false],
    ["open", true],
    ["unknown", true],
  ] as const)
    expect(first && isGateOpen(first, 0, ZONE, (id) => (id === "dc09 12AB 1" ? state : "closed"))).toBe(
      wanted,
    );
});

test("a key switch is a line with the defaults of a line", () => {
  expect(resolveGate({ gpio: 22 })).toMatchObject({ by: "gpio", id: "gpio 22", gpio: 22, contact: "nc" });
  expect(resolveGate({ gpio: 3, chip: "expander" })).toMatchObject({ id: "gpio expander/3" });
});

test("the exit delay of each kind of gate is in seconds, none by default", () => {
  const mqtt = { mqtt: "a", open: ["armed"] };
  const kinds = [{ schedule: "mon" }, { gpio: 22 }, { dc09: "12AB" }, mqtt];
  for (const options of kinds) {
    expect(resolveGate(options)).toMatchObject({ exitDelayMs: 0 });
    expect(resolveGate({ ...options, exitDelayS: 30 })).toMatchObject({ exitDelayMs: 30_000 });
  }
});

test("an open contact of a key switch, or the value of a message that means open, arms", () => {
  expect((["open", "normal", "unknown"] as const).map(gateStateOf)).toEqual(["open", "closed", "unknown"]);
});

test("a gate was replaced when any of its options has changed", () => {
  const text = (options: Parameters<typeof resolveGate>[0]): string | undefined => {
    const gate = resolveGate(options);
    return gate && gateText(gate);
  };
  expect(text({ gpio: 22 })).toBe(text({ gpio: 22 }));
  expect(text({ gpio: 22 })).not.toBe(text({ gpio: 22, exitDelayS: 30 }));
});
