import { describe, expect, test } from "vitest";
import { announced, door, opening, sent } from "../../support/home-assistant-messages.ts";
import {
  expectProposed,
  foundIn,
  type Message,
  type DeviceScenario,
} from "../../support/device-scenarios.ts";

/* Announcements for Home Assistant of several makers, and the messages that their sensors send. */

/** As rtl_433 announces a field of its messages. */
const radio = (field: string, fields: object, component = "binary_sensor"): Message => [
  `homeassistant/${component}/DSC-Security-1234567/DSC-Security-1234567-${field}/config`,
  {
    name: `DSC-Security-1234567-${field}`,
    state_topic: `rtl_433/pi/devices/DSC-Security/1234567/${field}`,
    force_update: "true",
    ...fields,
    device: { identifiers: ["DSC-Security-1234567"], name: "DSC-Security-1234567", manufacturer: "rtl_433" },
  },
];
const radioSent = (field: string, text: string): Message => [
  `rtl_433/pi/devices/DSC-Security/1234567/${field}`,
  text,
];
const UNSAFE = { device_class: "safety", payload_on: "1", payload_off: "0", entity_category: "diagnostic" };
const RADIO_BATTERY = {
  name: "Battery",
  device_class: "battery",
  unit_of_measurement: "%",
  value_template: "{{ float(value) * 99 + 1 }}",
};

const SENSORS: readonly (readonly [title: string, device: DeviceScenario])[] = [
  ["with the default values", door({}, opening("OFF", "ON"))],
  [
    "that expires, whose bridge and own state have to be online",
    door(
      {
        expire_after: 120,
        availability_mode: "all",
        availability: [
          { topic: "casa/bridge/state", value_template: "{{ value_json.state }}" },
          {
            topic: "casa/usa/availability",
            value_template: "{{ 'online' if value_json.ok == 1 else 'offline' }}",
          },
          { topic: "casa/usa/link", payload_available: "up", payload_not_available: "down" },
        ],
      },
      [...opening("OFF", "ON"), ["120 s", "supervision"]],
    ),
  ],
  [
    "that is available while any of its bridges is",
    door({ availability_mode: "any", availability: [{ topic: "a/status" }, { topic: "b/status" }] }, [
      ...opening("OFF", "ON"),
      [["a/status", "offline"], "nothing"],
    ]),
  ],
  [
    "with a last will of its own words",
    door({ avty_t: "~/lwt", "~": "casa", pl_avail: "Up", pl_not_avail: "Down", stat_t: "~/usa" }, [
      ...opening("OFF", "ON"),
      [["casa/lwt", "Down"], "supervision"],
    ]),
  ],
  [
    "that sends no release",
    {
      announced: [announced({ device_class: "motion", off_delay: 12.5, payload_on: "motion", exp_aft: 5 })],
      zone: "casa-usa",
      kind: "motion",
      steps: [
        [sent("motion"), "trip"],
        ["13 s", "restore"],
        [sent("motion"), "trip"],
        ["13 s", "restore"],
        ["60 s", "supervision"],
      ],
    },
  ],
  [
    "without a class, whose name says what it is",
    {
      announced: [announced({ name: "PIR hol" })],
      zone: "casa-pir-hol",
      kind: "motion",
      doubts: ["kind-guessed"],
      steps: opening("OFF", "ON"),
    },
  ],
  [
    "of mains power, which is on while there is power",
    {
      announced: [announced({ device_class: "power" })],
      zone: "casa-usa",
      kind: "power",
      steps: opening("ON", "OFF"),
    },
  ],
  [
    "of a cover alone",
    {
      announced: [announced({ device_class: "tamper" })],
      zone: "casa-usa",
      kind: "tamper",
      steps: opening("OFF", "ON"),
    },
  ],
  [
    "of a device that announces its parts, with what they share",
    {
      announced: [
        [
          "homeassistant/device/casa/config",
          {
            "~": "casa",
            avty: [{ t: "~/status" }],
            cmps: {
              a: { p: "binary_sensor", dev_cla: "smoke", name: "Fum", val_tpl: "{{ value_json.fum }}" },
              b: { p: "binary_sensor", dev_cla: "battery", val_tpl: "{{ value_json.slab }}", pl_on: 1 },
              c: { p: "binary_sensor", dev_cla: "tamper", stat_t: "~/capac", exp_aft: 60 },
              d: { p: "sensor", dev_cla: "temperature", val_tpl: "{{ value_json.t }}" },
              e: { p: "binary_sensor", ent_cat: "diagnostic", val_tpl: "{{ value_json.leg }}" },
              f: { p: "binary_sensor" },
            },
            dev: { ids: "casa", name: "Casa" },
            o: { name: "pod" },
            stat_t: "~/stare",
          },
        ],
      ],
      zone: "casa-fum",
      kind: "fire",
      steps: [
        [["casa/stare", { fum: "OFF", slab: 0 }], "nothing"],
        [["casa/stare", { fum: "ON", slab: 0 }], "trip"],
        [["casa/stare", { fum: "OFF", slab: 0 }], "restore"],
        [["casa/stare", { slab: 1 }], "battery"],
        [["casa/capac", "ON"], "tamper"],
        [["casa/status", "offline"], "supervision"],
      ],
    },
  ],
];

const BRIDGED: typeof SENSORS = [
  [
    "by rtl_433 as unsafe while it is closed, with its tamper, and a battery of 0 or 1",
    {
      announced: [
        radio("closed", UNSAFE),
        radio("tamper", UNSAFE),
        radio("battery_ok", RADIO_BATTERY, "sensor"),
      ],
      zone: "dsc-security-1234567-closed",
      kind: "intrusion",
      doubts: [],
      steps: [
        [radioSent("closed", "1"), "nothing"],
        [radioSent("battery_ok", "1"), "nothing"],
        [radioSent("closed", "0"), "trip"],
        [radioSent("closed", "1"), "restore"],
        [radioSent("tamper", "0"), "nothing"],
        [radioSent("tamper", "1"), "tamper"],
        [radioSent("battery_ok", "0"), "battery"],
      ],
    },
  ],
  [
    "by ring-mqtt, whose tamper is a problem that a template compares",
    {
      announced: [
        announced({ name: null, device_class: "smoke" }),
        [
          "homeassistant/binary_sensor/casa/usa_tamper/config",
          {
            name: "Tamper",
            device_class: "problem",
            state_topic: "casa/info",
            value_template:
              '{% if value_json["tamperStatus"] is equalto "tamper" %} ON {% else %} OFF {% endif %}',
            device: { ids: ["casa"], name: "Kitchen smoke" },
          },
        ],
      ],
      zone: "casa",
      kind: "fire",
      doubts: [],
      steps: [
        ...opening("OFF", "ON"),
        [["casa/info", { tamperStatus: "ok" }], "nothing"],
        [["casa/info", { tamperStatus: "tamper" }], "tamper"],
      ],
    },
  ],
  [
    "with a time to its end as a text",
    {
      announced: [announced({ device_class: "motion", off_delay: "30" })],
      zone: "casa-usa",
      kind: "motion",
      steps: [
        [sent("ON"), "trip"],
        ["30 s", "restore"],
      ],
    },
  ],
  [
    "in a device, by its class because its part has no name, beside a part that was removed",
    {
      announced: [
        [
          "homeassistant/device/casa/config",
          {
            cmps: {
              a: { p: "binary_sensor", dev_cla: "garage_door", val_tpl: "{{ value_json.usa }}" },
              b: { p: "binary_sensor", dev_cla: "smoke", val_tpl: "{{ value_json.fum }}" },
              c: { p: "binary_sensor" },
            },
            dev: { ids: "casa", name: "Casa" },
            stat_t: "casa/stare",
          },
        ],
      ],
      zone: "casa-garage-door",
      kind: "intrusion",
      doubts: [],
      steps: [
        [["casa/stare", { usa: "OFF", fum: "OFF" }], "nothing"],
        [["casa/stare", { usa: "ON", fum: "OFF" }], "trip"],
      ],
    },
  ],
];

describe("a sensor that is announced for Home Assistant", () => {
  test("is not proposed once its part was removed from the device", () => {
    const removed = {
      cmps: { a: { platform: "binary_sensor" } },
      dev: { ids: "casa" },
      stat_t: "casa/stare",
    };
    expect(foundIn({ announced: [["homeassistant/device/casa/config", removed]] }).zones).toEqual([]);
  });

  test.each([
    ["{{ value_json.nivel | float * 100 }}", { path: "/nivel", below: 0.15 }],
    ["{{ (value_json.nivel | float(0) * 100) | round(0) }}", { path: "/nivel", below: 0.15 }],
    ["{{ value_json.nivel }}", { path: "/nivel", below: 15 }],
    ["{{ ((value_json.mv - 2000) / 10) | round }}", undefined],
    ["{{ value_json.nivel * 5 + 20 }}", undefined],
  ])("has a battery as the template %s computes it, or none", (template, battery) => {
    const level = announced(
      { device_class: "battery", state_topic: "casa/baterie", value_template: template },
      "sensor",
    );
    const { zones } = foundIn({ announced: [announced({ device_class: "door" }), level] });
    expect(zones.map((zone) => zone.battery)).toEqual([battery && { mqtt: "casa/baterie", ...battery }]);
  });

  test.each([...SENSORS, ...BRIDGED])(
    "%s trips and restores the zone that is proposed for it",
    (_title, device) => expectProposed(device),
  );

  test.each([
    ["door", "intrusion"],
    ["window", "intrusion"],
    ["garage_door", "intrusion"],
    ["opening", "intrusion"],
    ["lock", "intrusion"],
    ["motion", "motion"],
    ["occupancy", "motion"],
    ["presence", "motion"],
    ["smoke", "fire"],
    ["gas", "gas"],
    ["carbon_monoxide", "gas"],
    ["moisture", "flood"],
    ["vibration", "glass"],
    ["sound", "glass"],
    // Its name says what is not safe.
    ["safety", "intrusion"],
    ["problem", "technical"],
    ["tamper", "tamper"],
    ["connectivity", undefined],
    ["update", undefined],
  ])("of the class %s becomes a zone of the kind %s", (device_class, kind) => {
    expect(foundIn({ announced: [announced({ device_class })] }).zones[0]?.kind).toBe(kind);
  });

  test("of the class presence, such as a phone, is to be checked unless its device detects movements too", () => {
    const doubtsOf = (...classes: readonly string[]) =>
      foundIn({
        announced: classes.map((device_class) => [
          `homeassistant/binary_sensor/${device_class}/config`,
          { device_class, state_topic: `casa/${device_class}`, device: { ids: ["a"], name: "Ana" } },
        ]),
      }).zones.map(({ doubts }) => doubts.map(({ code }) => code));
    expect(doubtsOf("presence")).toEqual([["kind-guessed"]]);
    expect(doubtsOf("presence", "occupancy")).toEqual([[], []]);
  });
});
