import { expect, test } from "vitest";
import { readConfiguration } from "../../src/config/load.ts";

/* What an installer may write in `outputs`, and the remedies for what cannot work. */

const ZONES =
  "zones: [{ id: door, name: Door, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { gpio: 17 } }]\n";

function read(outputs: string, more = ZONES) {
  const text = `${more}outputs:\n${outputs}`;
  return readConfiguration({ file: "/x/s.yaml", text }, { env: {}, cwd: "/x" });
}

test("an output has defaults: a line is on when it is high, a topic says ON and OFF, and a minute passes first", () => {
  expect(
    read(
      "  - { name: siren, on: alarm, gpio: 22, pulseS: 180 }\n  - { name: lamp, on: not-ready, mqtt: out/lamp }\n",
    ).outputs,
  ).toEqual([
    {
      name: "siren",
      reason: "alarm",
      kinds: null,
      target: { by: "gpio", gpio: 22, chip: undefined, active: 1 },
      pulseMs: 180_000,
      delayMs: 0,
      isInverted: false,
    },
    {
      name: "lamp",
      reason: "not-ready",
      kinds: null,
      target: { by: "mqtt", topic: "out/lamp", on: "ON", off: "OFF" },
      pulseMs: null,
      delayMs: 60_000,
      isInverted: false,
    },
  ]);
});

test.each([
  [
    "{ name: a, on: alarm }",
    /outputs\[0\]: an output needs exactly one of gpio: <BCM number> or mqtt: <topic>/,
  ],
  ["{ name: a, on: alarm, gpio: 22, mqtt: x }", /exactly one of/],
  ["{ name: a, on: alarm, gpio: 17 }", /line 17 is also used by zone door/],
  [
    "{ name: a, on: alarm, gpio: 5 }, { name: b, on: alarm, gpio: 5 }",
    /outputs\[1\]\.gpio: line 5 is also used by output a/,
  ],
  ["{ name: a, on: alarm, gpio: 5 }, { name: a, on: alarm, gpio: 6 }", /duplicate output a/],
  ["{ name: a, on: alarm, gpio: 5, chip: exp }", /unknown chip "exp"/],
  ["{ name: a, on: link-lost, gpio: 5 }", /link-lost needs a dispatch centre/],
  ["{ name: a, on: alarm, gpio: 5, afterS: 5 }", /an alarm has no delay/],
  ["{ name: a, on: alarm, gpio: 5, kinds: [fire] }", /kinds needs on: alarm and pulseS/],
  ["{ name: a, on: alarm, gpio: 5, payloads: { on: x, off: y } }", /payloads belong to mqtt/],
  ["{ name: a, on: alarm, mqtt: x, active: low }", /active belongs to gpio/],
  ["{ name: a, on: alarm, mqtt: x/# }", /outputs\[0\]\.mqtt/],
  ["{ name: a, on: fire, gpio: 5 }", /outputs\[0\]\.on/],
])("%s is refused with its place and remedy", (outputs, message) => {
  expect(() => read(`  [${outputs}]\n`)).toThrow(message);
  expect(() => read(`  [${outputs}]\n`)).toThrow(/s\.yaml:\d+:\d+: /);
});

test("a topic needs a broker", () => {
  expect(() => read("  [{ name: a, on: alarm, mqtt: x }]\n", `mqtt: off\n${ZONES}`)).toThrow(
    /mqtt is off\. Configure a broker, or use a GPIO line/,
  );
});
