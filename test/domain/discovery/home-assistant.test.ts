import { describe, expect, test } from "vitest";
import { discoveredSensors } from "../../../src/domain/discovery/home-assistant-message.ts";
import { devicesOf } from "../../../src/domain/discovery/home-assistant.ts";
import { proposedZones } from "../../../src/domain/discovery/proposed-zone.ts";
import { zoneOf } from "../../support/monitored-zones.ts";

/* Discovery messages in the formats of zigbee2mqtt, ESPHome and Tasmota. */

const Z2M_AVAILABILITY = [
  { topic: "zigbee2mqtt/bridge/state", value_template: "{{ value_json.state }}" },
  { topic: "zigbee2mqtt/Back gate/availability", value_template: "{{ value_json.state }}" },
];
const GATE = { identifiers: ["zigbee2mqtt_0x00158d0001a2b3c4"], name: "Back gate" };
const Z2M = [
  [
    "binary_sensor/0x00158d0001a2b3c4/contact/config",
    {
      availability: Z2M_AVAILABILITY,
      availability_mode: "all",
      device: GATE,
      device_class: "door",
      name: null,
      payload_off: true,
      payload_on: false,
      state_topic: "zigbee2mqtt/Back gate",
      value_template: "{{ value_json.contact }}",
    },
  ],
  [
    "binary_sensor/0x00158d0001a2b3c4/tamper/config",
    {
      device: GATE,
      device_class: "tamper",
      name: "Tamper",
      payload_off: false,
      payload_on: true,
      state_topic: "zigbee2mqtt/Back gate",
      value_template: '{{ value_json["tamper"] }}',
    },
  ],
  [
    "sensor/0x00158d0001a2b3c4/battery/config",
    {
      device: GATE,
      device_class: "battery",
      name: "Battery",
      state_topic: "zigbee2mqtt/Back gate",
      unit_of_measurement: "%",
      value_template: "{{ value_json['battery'] }}",
    },
  ],
  [
    "binary_sensor/0x00158d000999/smoke/config",
    {
      availability: Z2M_AVAILABILITY.slice(0, 1),
      device: { identifiers: ["zigbee2mqtt_0x00158d000999"], name: "Bucătărie" },
      device_class: "smoke",
      name: "Smoke",
      payload_off: false,
      payload_on: true,
      state_topic: "zigbee2mqtt/Bucătărie",
      value_template: "{{ value_json.smoke }}",
    },
  ],
] as const;

function zonesOf(
  announcements: readonly (readonly [string, unknown])[],
  known: Parameters<typeof proposedZones>[1] = [],
) {
  return proposedZones(
    devicesOf(announcements.flatMap(([topic, announcement]) => discoveredSensors(topic, announcement))),
    known,
  );
}

describe("sensors that announce themselves", () => {
  test("of zigbee2mqtt become zones with tamper, battery and availability behind one bridge", () => {
    expect(zonesOf(Z2M)).toEqual([
      {
        id: "back-gate",
        name: "Back gate",
        kind: "intrusion",
        input: { mqtt: "zigbee2mqtt/Back gate", path: "/contact", open: [false], normal: [true] },
        tamper: { path: "/tamper", open: [true], normal: [false] },
        battery: { path: "/battery", below: 15 },
        availability: { mqtt: "zigbee2mqtt/Back gate/availability", path: "/state" },
        bridge: { mqtt: "zigbee2mqtt/bridge/state", path: "/state" },
        device: "Back gate",
        doubts: [],
      },
      {
        id: "bucatarie-smoke",
        name: "Bucătărie Smoke",
        kind: "fire",
        input: { mqtt: "zigbee2mqtt/Bucătărie", path: "/smoke", open: [true], normal: [false] },
        bridge: { mqtt: "zigbee2mqtt/bridge/state", path: "/state" },
        device: "Bucătărie",
        doubts: [],
      },
    ]);
  });

  test("of the first device of zigbee2mqtt have the bridge as a bridge, not as availability", () => {
    const [only, ...others] = zonesOf(Z2M.slice(0, 1));
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      availability: { mqtt: "zigbee2mqtt/Back gate/availability", path: "/state" },
      bridge: { mqtt: "zigbee2mqtt/bridge/state", path: "/state" },
    });
    const [smoke] = zonesOf(Z2M.slice(3));
    expect(smoke).toMatchObject({ bridge: { mqtt: "zigbee2mqtt/bridge/state" } });
    expect(smoke).not.toHaveProperty("availability");
  });

  test("are ignored where a zone reads them already", () => {
    const known = zoneOf({
      id: "bucatarie-smoke",
      input: { mqtt: "zigbee2mqtt/Back gate", path: "/contact", open: [false] },
    });
    expect(zonesOf(Z2M, [known]).map(({ id }) => id)).toEqual(["bucatarie-smoke-2"]);
  });

  test("of ESPHome are read with abbreviations and a base topic", () => {
    const announcement = {
      "~": "livingroom",
      dev_cla: "window",
      name: "Window",
      stat_t: "~/binary_sensor/window/state",
      avty_t: "~/status",
      dev: { ids: "5ccf7f", name: "livingroom", mf: "Espressif" },
    };
    expect(zonesOf([["binary_sensor/livingroom/window/config", announcement]])).toEqual([
      {
        id: "livingroom-window",
        name: "livingroom Window",
        kind: "intrusion",
        input: { mqtt: "livingroom/binary_sensor/window/state", open: ["ON"], normal: ["OFF"] },
        availability: { mqtt: "livingroom/status" },
        device: "livingroom",
        doubts: [],
      },
    ]);
  });

  test("of Tasmota have motion detectors that never report normal", () => {
    const announcement = {
      name: "PIR",
      stat_t: "tele/hall/SENSOR",
      val_tpl: "{{value_json.Switch1.Action}}",
      pl_on: "ON",
      off_dly: 30,
      dev_cla: "motion",
      avty_t: "tele/hall/LWT",
      pl_avail: "Online",
      pl_not_avail: "Offline",
      dev: { ids: ["A1"] },
    };
    expect(zonesOf([["binary_sensor/A1_SW_1/config", announcement]])).toMatchObject([
      {
        kind: "motion",
        input: { mqtt: "tele/hall/SENSOR", path: "/Switch1/Action", open: ["ON"] },
        autoRestoreS: 30,
        availability: { mqtt: "tele/hall/LWT", up: ["Online"], down: ["Offline"] },
      },
    ]);
  });

  test("of one device are read from one message", () => {
    const announcement = {
      "~": "alarm",
      dev: { ids: "alarm-1", name: "Alarm" },
      avty: [{ t: "~/status" }],
      cmps: {
        door: { p: "binary_sensor", dev_cla: "door", name: "Door", stat_t: "~/door" },
        lux: { p: "sensor", dev_cla: "illuminance", stat_t: "~/lux" },
      },
    };
    expect(zonesOf([["device/alarm-1/config", announcement]])).toMatchObject([
      { id: "alarm-door", input: { mqtt: "alarm/door" }, availability: { mqtt: "alarm/status" } },
    ]);
  });

  test("whose value is computed are shown as uncertain", () => {
    const announcement = {
      name: "Odd",
      state_topic: "odd",
      value_template: "{{ 'ON' if value_json.level > 3 else 'OFF' }}",
    };
    expect(zonesOf([["binary_sensor/odd/config", announcement]])[0]?.doubts).toEqual([
      { code: "computed-value", values: { template: announcement.value_template } },
      { code: "no-device-class" },
    ]);
  });

  test.each([
    ["not an announcement", "binary_sensor/a/state", {}],
    ["withdrawn", "binary_sensor/a/config", undefined],
    ["a list", "binary_sensor/a/config", []],
    ["a light", "light/a/config", { state_topic: "a" }],
    ["without a state", "binary_sensor/a/config", { device_class: "door" }],
    ["hostile", "device/a/config", { cmps: { x: null, __proto__: { p: "binary_sensor" } }, "~": 7 }],
    [
      "a property of a prototype",
      "binary_sensor/a/config",
      { state_topic: "a", device_class: "constructor" },
    ],
  ])("that are %s are ignored", (_what, topic, announcement) => {
    expect(zonesOf([[topic, announcement]])).toEqual([]);
  });
});
