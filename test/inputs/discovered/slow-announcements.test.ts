import { expect, test } from "vitest";
import { discoveredDevices } from "../../../src/domain/discovery/sources.ts";
import { ReceivedMessages } from "../../../src/inputs/received-messages.ts";

/* Announcements of one client with as much as the search for sensors keeps. It is read in the thread that watches all contacts. */

/** Comparing each part of a device with each of its contacts word by word takes 20 s, copying a list for each of its entries minutes. */
const CPU_MS_MAX = 4_000;
const OPTIONS = { replyTo: "santinela/reply", prefix: "homeassistant", own: "santinela" };
const NAMES = Array.from({ length: 1_000 }, (_, index) => `c${index}`);

function components(part: string, more: object) {
  return [0, 1, 2, 3].map((group) => {
    const topicOf = (name: string): string => `${"a/".repeat(60)}${group}/${name}`;
    const cmps = NAMES.map((name, index) => [
      name,
      {
        ...(index % 2 === 0 ? { p: "binary_sensor", dev_cla: "door" } : { p: part, ...more }),
        stat_t: topicOf(name),
        name: `${"b ".repeat(60)}${name}`,
      },
    ]);
    return [
      `homeassistant/device/d${group}/config`,
      { dev: { ids: ["one"] }, o: {}, cmps: Object.fromEntries(cmps) as object },
    ] as const;
  });
}

function zigbeeDevice(values: readonly string[]) {
  const definition = {
    vendor: "v",
    model: "m",
    exposes: [{ type: "enum", name: "action", property: "action", access: 1, values }],
  };
  const device = { ieee_address: "0x1", friendly_name: "button", type: "EndDevice", definition };
  return [["zigbee2mqtt/bridge/devices", [device]]] as const;
}

test.each([
  ["a device with thousands of tampers", components("binary_sensor", { dev_cla: "tamper" })],
  [
    "a device with thousands of computed batteries",
    components("sensor", { dev_cla: "battery", val_tpl: "{{ value_json.a * 99 + 1 | round(2) | int }}" }),
  ],
  [
    "a button with one action two hundred thousand times",
    zigbeeDevice(Array.from({ length: 200_000 }, () => "single")),
  ],
  [
    "a button with a hundred thousand kinds of events",
    [
      [
        "homeassistant/event/one/config",
        {
          dev: { ids: ["one"] },
          stat_t: "one/event",
          name: "one",
          evt_typ: ["press", ...Array.from({ length: 100_000 }, (_, index) => `release_${index}`)],
        },
      ],
    ] as const,
  ],
])("%s is read at once", (_what, messages) => {
  const kept = new ReceivedMessages(OPTIONS);
  for (const [topic, content] of messages) kept.take(topic, Buffer.from(JSON.stringify(content)), true, 0);
  const before = process.cpuUsage();
  expect(discoveredDevices(kept.all(), OPTIONS)).toHaveLength(1);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(CPU_MS_MAX);
});
