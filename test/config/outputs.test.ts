import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfiguration } from "../../src/config/load.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

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

const TOPIC_ZONE =
  "zones: [{ id: gate, name: Gate, kind: perimeter, objective: { type: obiective/cladiri, id: 1 }, input: { mqtt: house/bells/+, open: [ON] }, availability: { mqtt: house/lwt, up: [on], down: [off] } }]\n";

test.each([
  ["{ name: a, on: alarm, mqtt: house/bells/1 }", /topic house\/bells\/1 is read by zone gate/],
  ["{ name: a, on: alarm, mqtt: house/lwt }", /topic house\/lwt is read by zone gate: the output would trip/],
  [
    "{ name: a, on: alarm, mqtt: x/y }, { name: b, on: not-ready, mqtt: x/y }",
    /outputs\[1\]\.mqtt: topic x\/y is also used by output a\. Use another topic/,
  ],
  ["{ name: a, on: alarm, mqtt: santinela/x/outputs/availability }", /topics below santinela belong/],
  ["{ name: a, on: alarm, mqtt: $SYS/x }", /topics below \$SYS belong/],
])(
  "an output cannot drive a zone, another output or the broker through its topic: %s",
  (outputs, problem) => {
    expect(() => read(`  [${outputs}]\n`, TOPIC_ZONE)).toThrow(problem);
  },
);

test.each([
  [
    "{ name: a, on: alarm }",
    /outputs\[0\]: an output needs exactly one of gpio: <BCM number> or mqtt: <topic>/,
  ],
  ["{ name: a, on: alarm, gpio: 22, mqtt: x }", /exactly one of/],
  ["{ name: a, on: alarm, gpio: 17 }", /line 17 is used by output a and by zone door/],
  [
    "{ name: a, on: alarm, gpio: 5 }, { name: b, on: alarm, gpio: 5 }",
    /outputs\[1\]\.gpio: line 5 is also used by output a/,
  ],
  ["{ name: a, on: alarm, gpio: 5 }, { name: a, on: alarm, gpio: 6 }", /duplicate output a/],
  [
    "{ name: a, on: alarm, gpio: 5, chip: exp }",
    /outputs\[0\]\.chip: unknown chip "exp"\. Known in gpio\.chips: none\. Without chip, the output uses the chip/,
  ],
  ["{ name: a, on: link-lost, gpio: 5 }", /link-lost needs a dispatch centre/],
  ["{ name: a, on: alarm, gpio: 5, afterS: 5 }", /an alarm has no delay/],
  [
    "{ name: a, on: not-ready, gpio: 5, kinds: [fire] }",
    /outputs\[0\]\.kinds: kinds needs on: alarm, because not-ready concerns the whole site\. Remove kinds/,
  ],
  ["{ name: a, on: alarm, gpio: 5, payloads: { on: x, off: y } }", /payloads belong to mqtt/],
  ["{ name: a, on: alarm, mqtt: x, active: low }", /active belongs to gpio/],
  ["{ name: a, on: alarm, mqtt: x/# }", /outputs\[0\]\.mqtt/],
  ["{ name: a, on: fire, gpio: 5 }", /outputs\[0\]\.on/],
])("%s is refused with its place and remedy", (outputs, message) => {
  expect(() => read(`  [${outputs}]\n`)).toThrow(message);
  expect(() => read(`  [${outputs}]\n`)).toThrow(/s\.yaml:\d+:\d+: /);
});

/* The same line by another name: the header of a Raspberry Pi has three labels, and a device file has links. */
const CHIPS =
  "gpio: { chips: { header: {}, label: { label: pinctrl-bcm2711 }, node: { path: /dev/null }, link: { path: LINK }, dots: { path: /dev/../dev/null }, a: { label: mcp23017 }, b: { label: mcp23017 } } }\n";

test.each([
  ["the header of a zone without chip", 17, "header", ["{ name: a, on: alarm, gpio: 17, chip: header }"]],
  ["its label", 17, "label", ["{ name: a, on: alarm, gpio: 17, chip: label }"]],
  [
    "two outputs, with and without a name of the chip",
    5,
    "header",
    ["{ name: z, on: alarm, gpio: 5 }", "{ name: a, on: alarm, gpio: 5, chip: header }"],
  ],
  [
    "a device file and a link to it",
    5,
    "link",
    ["{ name: z, on: alarm, gpio: 5, chip: node }", "{ name: a, on: alarm, gpio: 5, chip: link }"],
  ],
  [
    "a device file in two ways",
    5,
    "dots",
    ["{ name: z, on: alarm, gpio: 5, chip: node }", "{ name: a, on: alarm, gpio: 5, chip: dots }"],
  ],
  [
    "one label under two names",
    5,
    "b",
    ["{ name: z, on: alarm, gpio: 5, chip: a }", "{ name: a, on: alarm, gpio: 5, chip: b }"],
  ],
])("a line with two uses is refused under another name of its chip: %s", (_case, gpio, chip, outputs) => {
  const folder = temporaryFolder();
  const link = join(folder, "expander");
  symlinkSync("/dev/null", link);
  const last = outputs.length - 1;
  const use = last === 0 ? "used by output a and by zone door" : "also used by output z";
  expect(() =>
    read(outputs.map((output) => `  - ${output}\n`).join(""), `${CHIPS.replace("LINK", link)}${ZONES}`),
  ).toThrow(
    new RegExp(
      `^/x/s\\.yaml:${4 + last}:\\d+: outputs\\[${last}\\]\\.gpio: line ${chip}/${gpio} is ${use}\\. Use another line$`,
      "m",
    ),
  );
});

test("the same line of another chip is another line, and each use of an output's line is named", () => {
  const outputs = "  - { name: a, on: alarm, gpio: 17, chip: a }\n  - { name: b, on: alarm, gpio: 18 }\n";
  expect(read(outputs, CHIPS.replace("LINK", "/dev/zero") + ZONES).outputs).toHaveLength(2);
  const key = ZONES.replace(" }]", ", gate: { gpio: 18, chip: header } }]");
  expect(() => read(outputs, CHIPS.replace("LINK", "/dev/zero") + key)).toThrow(
    /outputs\[1\]\.gpio: line 18 is used by output b and by the gate of zone door\. Use another line$/m,
  );
});

test("a topic needs a broker", () => {
  expect(() => read("  [{ name: a, on: alarm, mqtt: x }]\n", `mqtt: off\n${ZONES}`)).toThrow(
    /mqtt is off\. Configure a broker, or use a GPIO line/,
  );
});
