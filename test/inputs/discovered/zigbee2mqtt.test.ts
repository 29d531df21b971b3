import { describe, expect, test } from "vitest";
import {
  expectProposed,
  foundIn,
  type Message,
  type DeviceScenario,
} from "../../support/device-scenarios.ts";

/* Devices of zigbee2mqtt, with what its list says that they expose and the messages that it publishes for them. */

const binary = (name: string, on: unknown = true, off: unknown = false, more: object = {}) => ({
  access: 1,
  label: name,
  name,
  property: name,
  type: "binary",
  value_off: off,
  value_on: on,
  ...more,
});
const states = (name: string, values: readonly string[], more: object = {}) => ({
  access: 1,
  name,
  property: name,
  type: "enum",
  values,
  ...more,
});
const battery = { access: 1, name: "battery", property: "battery", type: "numeric", unit: "%" };

function announced(exposes: readonly unknown[], output?: string, more: object = {}): Message[] {
  return [
    [
      "zigbee2mqtt/bridge/devices",
      [
        { ieee_address: "0x00124b0000000001", type: "Coordinator", friendly_name: "Coordinator" },
        {
          definition: { description: "Sensor", exposes, model: "TS0203", options: [], vendor: "Tuya" },
          disabled: false,
          friendly_name: "hol/senzor",
          ieee_address: "0x00158d0001a2b3c4",
          interview_state: "SUCCESSFUL",
          model_id: "TS0203",
          type: "EndDevice",
          ...more,
        },
      ],
    ],
    ["zigbee2mqtt/bridge/state", { state: "online" }],
    ...(output === undefined
      ? []
      : [["zigbee2mqtt/bridge/info", { config: { advanced: { output } }, version: "2.1.3" }] as const]),
  ];
}

const sent = (fields: Record<string, unknown>): Message => ["zigbee2mqtt/hol/senzor", fields];
const value = (name: string, text: string): Message => [`zigbee2mqtt/hol/senzor/${name}`, text];
const REMOTE = [
  "single",
  "double",
  "hold",
  "release",
  "1_single",
  "hold_release",
  "brightness_step_up",
  "recall_1",
];

const DEVICES: readonly (readonly [title: string, device: DeviceScenario])[] = [
  [
    "contact, whose value is false while it is open",
    {
      announced: announced([binary("contact", false, true), binary("tamper"), battery]),
      zone: "hol-senzor",
      kind: "intrusion",
      doubts: [],
      steps: [
        [sent({ battery: 100, contact: true, linkquality: 90, tamper: false }), "nothing"],
        [sent({ tamper: false, linkquality: 90, contact: false, battery: 100 }), "trip"],
        [sent({ contact: null, battery: 100 }), "nothing"],
        [sent({ contact: true, battery: 100, tamper: false }), "restore"],
        [sent({ contact: true, battery: 100, tamper: true }), "tamper"],
        [sent({ contact: true, battery: 4, tamper: true }), "battery"],
        [["zigbee2mqtt/bridge/state", "offline"], "supervision"],
      ],
    },
  ],
  [
    "contact of a bridge with a topic for each value",
    {
      announced: announced(
        [binary("contact", false, true), binary("tamper"), binary("battery_low")],
        "attribute",
      ),
      zone: "hol-senzor",
      kind: "intrusion",
      doubts: [],
      steps: [
        [value("contact", "true"), "nothing"],
        [value("contact", "false"), "trip"],
        [value("contact", "true"), "restore"],
        [value("tamper", "true"), "tamper"],
        [value("battery_low", "true"), "battery"],
      ],
    },
  ],
  [
    "smoke detector of a bridge with both forms",
    {
      announced: announced([binary("smoke"), binary("battery_low"), binary("test")], "attribute_and_json"),
      zone: "hol-senzor",
      kind: "fire",
      doubts: [],
      steps: [
        [sent({ smoke: false, battery_low: false }), "nothing"],
        [sent({ smoke: true, battery_low: false }), "trip"],
        [sent({ smoke: false, battery_low: false }), "restore"],
        [sent({ smoke: false, battery_low: true }), "battery"],
      ],
    },
  ],
  [
    "radar with a value and a state",
    {
      announced: announced([
        binary("presence"),
        states("motion_state", ["none", "large", "small", "static"]),
        battery,
      ]),
      zone: "hol-senzor",
      kind: "motion",
      doubts: [],
      steps: [
        [sent({ presence: false, motion_state: "none" }), "nothing"],
        [sent({ presence: true, motion_state: "large" }), "trip"],
        [sent({ presence: false, motion_state: "none" }), "restore"],
      ],
    },
  ],
  [
    "radar with a state alone",
    {
      announced: announced([states("presence_state", ["none", "presence", "peaceful", "small_movement"])]),
      zone: "hol-senzor",
      kind: "motion",
      doubts: ["check-contact"],
      steps: [
        [sent({ presence_state: "none" }), "nothing"],
        [sent({ presence_state: "small_movement" }), "trip"],
        [sent({ presence_state: "none" }), "restore"],
      ],
    },
  ],
  [
    "smoke detector with a state alone",
    {
      announced: announced([states("smoke_state", ["alarm", "normal", "detecting", "unknown"])]),
      zone: "hol-senzor",
      kind: "fire",
      steps: [
        [sent({ smoke_state: "normal" }), "nothing"],
        [sent({ smoke_state: "unknown" }), "nothing"],
        [sent({ smoke_state: "alarm" }), "trip"],
        [sent({ smoke_state: "normal" }), "restore"],
      ],
    },
  ],
  [
    "button",
    {
      announced: announced([states("action", REMOTE), battery]),
      zone: "hol-senzor",
      kind: "panic",
      doubts: ["kind-guessed", "button-restores-itself", "supervised-weekly"],
      steps: [
        [sent({ action: "brightness_step_up" }), "nothing"],
        ["93600 s", "nothing"],
        [sent({ action: "single", battery: 100 }), "trip"],
        ["30 s", "restore"],
        [sent({ action: "1_single" }), "trip"],
        [sent({ action: "hold_release" }), "restore"],
        [sent({ action: "double", battery: 100 }), "trip"],
        [sent({ action: "", battery: 100 }), "restore"],
        ["604800 s", "supervision"],
      ],
    },
  ],
  [
    "panic button that sends no release",
    {
      announced: announced([binary("sos"), battery]),
      zone: "hol-senzor",
      kind: "panic",
      doubts: ["button-restores-itself", "press-repeated", "supervised-weekly"],
      steps: [
        [sent({ sos: false, battery: 100 }), "nothing"],
        [sent({ sos: true, battery: 100 }), "trip"],
        ["30 s", "restore"],
        [sent({ sos: true, battery: 100 }), "trip"],
        [sent({ sos: false, battery: 100 }), "restore"],
        ["604800 s", "supervision"],
      ],
    },
  ],
  [
    "keypad, of whose actions only the calls for help count",
    {
      announced: announced([states("action", ["disarm", "arm_all_zones", "emergency", "panic", "single"])]),
      zone: "hol-senzor",
      kind: "panic",
      doubts: ["button-restores-itself"],
      steps: [
        [sent({ action: "arm_all_zones" }), "nothing"],
        [sent({ action: "panic" }), "trip"],
        ["30 s", "restore"],
      ],
    },
  ],
  ...[
    [true, false],
    [false, true],
  ].map(([on, off]): (typeof DEVICES)[number] => [
    `garage door, whose value is true while it is closed, with ${on} called on`,
    {
      announced: announced([
        binary("trigger", true, false, { access: 3 }),
        binary("garage_door_contact", on, off),
      ]),
      zone: "hol-senzor",
      kind: "intrusion",
      doubts: [],
      steps: [
        [sent({ garage_door_contact: true }), "nothing"],
        [sent({ garage_door_contact: false }), "trip"],
        [sent({ garage_door_contact: true }), "restore"],
      ],
    },
  ]),
  [
    "sensor of which the bridge knows only that it alarms, with its tamper",
    {
      announced: announced([binary("alarm_1"), binary("alarm_2"), binary("tamper"), binary("battery_low")]),
      zone: "hol-senzor-alarm-1",
      kind: "intrusion",
      doubts: ["kind-guessed"],
      steps: [
        [sent({ alarm_1: false, alarm_2: false, tamper: false }), "nothing"],
        [sent({ alarm_1: true, alarm_2: false, tamper: false }), "trip"],
        [sent({ alarm_1: false, alarm_2: false, tamper: false }), "restore"],
        [sent({ alarm_1: false, alarm_2: false, tamper: true }), "tamper"],
      ],
    },
  ],
  [
    "sensor that reports shocks as actions only",
    {
      announced: announced([states("action", ["shake", "triple_strike"]), battery]),
      zone: "hol-senzor",
      kind: "glass",
      doubts: ["kind-guessed"],
      steps: [
        [sent({ action: "", battery: 90 }), "nothing"],
        [sent({ action: "shake", battery: 90 }), "trip"],
        ["30 s", "restore"],
        [sent({ action: "triple_strike" }), "trip"],
      ],
    },
  ],
  [
    "sensor that reports its vibration, and the shocks besides",
    {
      announced: announced([binary("vibration"), states("action", ["vibration", "tilt", "drop"])]),
      zone: "hol-senzor",
      kind: "glass",
      doubts: [],
      steps: [
        [sent({ vibration: false }), "nothing"],
        [sent({ vibration: true, action: "tilt" }), "trip"],
        [sent({ vibration: false, action: "" }), "restore"],
      ],
    },
  ],
  [
    "contact with two inputs",
    {
      announced: announced([
        binary("contact", false, true, { endpoint: "left", property: "contact_left" }),
        binary("contact", false, true, { endpoint: "right", property: "contact_right" }),
      ]),
      zone: "hol-senzor-contact-right",
      kind: "intrusion",
      steps: [
        [sent({ contact_left: true, contact_right: true }), "nothing"],
        [sent({ contact_left: false, contact_right: true }), "nothing"],
        [sent({ contact_left: false, contact_right: false }), "trip"],
        [sent({ contact_left: true, contact_right: true }), "restore"],
      ],
    },
  ],
];

describe("zigbee2mqtt's", () => {
  test.each(DEVICES)("%s trips and restores the zone that is proposed for it", (_title, device) =>
    expectProposed(device),
  );

  test.each([
    ["of a maker that it does not know", { definition: null }],
    ["that only has settings", { definition: { exposes: [{ ...binary("contact"), access: 2 }] } }],
    ["that is a siren", { definition: { exposes: [{ ...binary("alarm"), access: 3 }] } }],
    ["that has a cube's actions", { definition: { exposes: [states("action", ["shake", "rotate_left"])] } }],
  ])("device %s is listed without a zone", (_title, more) => {
    const { devices, zones } = foundIn({ announced: announced([], undefined, more) });
    expect([devices.map(({ name, model }) => [name, model]), zones]).toEqual([
      [["hol/senzor", "TS0203"]],
      [],
    ]);
  });

  test.each([
    ["is on", { availability: { enabled: true } }, true],
    ["is off", { availability: { enabled: false } }, false],
    ["is off, but on for the device", { availability: { enabled: false } }, true, { availability: true }],
    ["is on, but off for the device", { availability: { enabled: true } }, false, { availability: false }],
    ["is not told", {}, true],
  ])("old retained availability counts as it is set: %s", (_title, config, isUsed, own: object = {}) => {
    const { zones } = foundIn({
      announced: [
        ...announced([binary("contact", false, true)]),
        ["zigbee2mqtt/bridge/info", { config: { ...config, devices: { "0x00158d0001a2b3c4": own } } }],
        ["zigbee2mqtt/hol/senzor/availability", { state: "online" }],
      ],
    });
    expect(zones.map(({ availability }) => availability !== undefined)).toEqual([isUsed]);
  });

  test("announcements for Home Assistant add no self-test, no setting and no valve", () => {
    const ofHomeAssistant = (name: string, more: object = {}): Message => [
      `homeassistant/binary_sensor/0x00158d0001a2b3c4/${name}/config`,
      {
        device: { identifiers: ["zigbee2mqtt_0x00158d0001a2b3c4"], name: "hol/senzor fum" },
        name,
        payload_on: true,
        payload_off: false,
        state_topic: "zigbee2mqtt/hol/senzor",
        value_template: `{{ value_json.${name} }}`,
        ...more,
      },
    ];
    const { devices, zones } = foundIn({
      announced: [
        ...announced([binary("smoke"), binary("test"), binary("linkage_alarm_state")]),
        ofHomeAssistant("smoke", { device_class: "smoke" }),
        ofHomeAssistant("test"),
        ofHomeAssistant("linkage_alarm_state"),
        ofHomeAssistant("valve_state", { device_class: "opening" }),
        ofHomeAssistant("moving", { device_class: "moving", state_topic: "zigbee2mqtt/hol/senzor/moving" }),
      ],
    });
    expect(zones.map(({ input }) => input.path)).toEqual(["/smoke"]);
    expect(devices.map(({ source }) => source)).toEqual(["zigbee2mqtt"]);
  });
});
