import { describe, expect, test } from "vitest";
import { announced, door, opening, sent } from "../../support/home-assistant-messages.ts";
import { foundIn, played, proposedFor, type PlayedDevice } from "../../support/played-devices.ts";

/* Announcements for Home Assistant of several makers, and the messages that their sensors send. */

const SENSORS: readonly (readonly [title: string, device: PlayedDevice])[] = [
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

describe("a sensor that is announced for Home Assistant", () => {
  test.each(SENSORS)("%s trips and restores the zone that is proposed for it", async (_title, device) => {
    const zone = proposedFor(device);
    expect(zone.kind).toBe(device.kind);
    if (device.doubts) expect(zone.doubts.map(({ code }) => code)).toEqual(device.doubts);
    expect(await played(zone, device.steps)).toEqual(device.steps);
  });

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
    ["safety", "panic"],
    ["problem", "technical"],
    ["tamper", "tamper"],
    ["connectivity", undefined],
    ["update", undefined],
  ])("of the class %s becomes a zone of the kind %s", (device_class, kind) => {
    expect(foundIn({ announced: [announced({ device_class })] }).zones[0]?.kind).toBe(kind);
  });
});
