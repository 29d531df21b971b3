import { describe, expect, test } from "vitest";
import { proposedZones } from "../../../src/domain/discovery/proposed-zone.ts";
import {
  expectProposed,
  foundIn,
  playSteps,
  type DeviceScenario,
  type Message,
} from "../../support/device-scenarios.ts";
import { CONFIRMED, NOT_CONFIRMED, recordAfter } from "../../support/dispatched-proposals.ts";
import { zoneOf } from "../../support/monitored-zones.ts";

/* Devices with several sensors that are announced for Home Assistant, in the form of the program that announces them. */

/** A radar on a board with ESPHome: three sensors of one movement, each with a topic of its own. */
const radar = (name: string, board = "radar-hol"): Message[] =>
  ["Presence", "Moving Target", "Still Target"].map((sensor) => {
    const id = sensor.toLowerCase().replace(" ", "_");
    return [
      `homeassistant/binary_sensor/${board}/${id}/config`,
      {
        dev_cla: sensor === "Presence" ? "presence" : sensor === "Moving Target" ? "motion" : "occupancy",
        name: sensor,
        stat_t: `${board}/binary_sensor/${id}/state`,
        avty_t: `${board}/status`,
        uniq_id: `${board}-${id}`,
        dev: { ids: `mac-${board}`, name, sw: "2026.7.0", mdl: "esp32dev", mf: "Espressif" },
      },
    ];
  });

const seen = (board: string, ...sensors: readonly string[]): Message[] =>
  ["OFF", "ON"].flatMap((state) =>
    sensors.map((sensor): Message => [`${board}/binary_sensor/${sensor}/state`, state]),
  );

describe("sensors announced for Home Assistant", () => {
  test("of one device do not confirm each other: a movement calls one crew", async () => {
    const { zones } = foundIn({ announced: radar("Radar hol") });
    const messages = seen("radar-hol", "presence", "moving_target", "still_target");
    expect(await recordAfter(zones, messages)).toMatchObject([NOT_CONFIRMED]);
  });

  test("of two devices with one name confirm each other", async () => {
    const { zones } = foundIn({ announced: [...radar("Radar"), ...radar("Radar", "radar-curte")] });
    const messages = [...seen("radar-hol", "presence"), ...seen("radar-curte", "presence")];
    expect(await recordAfter(zones, messages)).toMatchObject([CONFIRMED]);
  });

  test("of an alarm panel are detectors of their own, which is to be checked", async () => {
    const device = { identifiers: ["p1"], name: "Centrala" };
    const zone = (name: string): Message => [
      `homeassistant/binary_sensor/p1/${name}/config`,
      { name, device_class: "motion", state_topic: `p1/${name}`, device },
    ];
    const { zones } = foundIn({
      announced: [
        zone("hol"),
        zone("birou"),
        ["homeassistant/alarm_control_panel/p1/config", { name: null, state_topic: "p1/state", device }],
      ],
    });
    expect(zones.map(({ doubts }) => doubts.map(({ code }) => code))).toEqual([
      ["gate-of-panel", "zones-confirm"],
      ["gate-of-panel", "zones-confirm"],
      ["gate-for-others", "zones-confirm"],
    ]);
    const messages: Message[] = ["OFF", "ON"].flatMap((state) => [
      ["p1/state", "armed_away"],
      ["p1/hol", state],
      ["p1/birou", state],
    ]);
    expect(await recordAfter(zones, messages)).toMatchObject([CONFIRMED]);
  });

  test("of an alarm panel with one topic are one device", async () => {
    const device = { identifiers: ["p2"], name: "Centrala" };
    const part = (name: string, device_class: string): Message => [
      `homeassistant/binary_sensor/p2/${name}/config`,
      { name, device_class, state_topic: "p2", value_template: `{{ value_json.${name} }}`, device },
    ];
    const { zones } = foundIn({
      announced: [
        part("hol", "motion"),
        part("birou", "motion"),
        part("hol_capac", "tamper"),
        part("birou_capac", "tamper"),
      ],
    });
    expect(zones.map(({ doubts }) => doubts)).toEqual([[], []]);
    const messages: Message[] = ["OFF", "ON"].map((state) => ["p2", { hol: state, birou: state }]);
    expect(await recordAfter(zones, messages)).toMatchObject([NOT_CONFIRMED]);
  });
});

/** A sensor with one text for its contact, its cover and its battery, whose announcements arrive in the order of their topics. */
const STATES: Message[] = [
  ["battery", "battery", "low"],
  ["contact", "window", "open"],
  ["tamper", "tamper", "tamper"],
].map(([name, device_class, payload_on]) => [
  `homeassistant/binary_sensor/geam_${name}/config`,
  {
    name,
    device_class,
    payload_on,
    payload_off: "closed",
    state_topic: "radio/geam",
    value_template: "{{ value_json.state }}",
    device: { identifiers: ["geam"], name: "Geam" },
  },
]);
const geam = (state: string): Message => ["radio/geam", { state }];

/** As a gateway announces the codes that it has received from wireless sensors: each as a sensor, all on its topic. */
const code = (name: string, payload_on: string, more: object = {}): Message => [
  `homeassistant/binary_sensor/omg-${name}/config`,
  {
    name,
    device_class: "motion",
    payload_on,
    off_delay: 30,
    state_topic: "home/OMG/RFtoMQTT",
    value_template: "{{ value_json.value }}",
    device: { identifiers: ["omg"], name: "OMG" },
    ...more,
  },
];
const received = (value: number): Message => [
  "home/OMG/RFtoMQTT",
  { value, protocol: 1, length: 24, delay: 350 },
];

const press = (event: string, more: object = {}): Message => [
  `homeassistant/binary_sensor/buton-${event}/config`,
  {
    name: `Buton ${event}`,
    "~": "buton/",
    stat_t: "~input_event/0",
    val_tpl: `{%if value_json.event=='${event}'%}ON{%else%}OFF{%endif%}`,
    off_dly: 1,
    dev: { ids: ["buton"], name: "Buton" },
    ...more,
  },
];
const pressed = (event: string): Message => ["buton/input_event/0", { event, event_cnt: 4 }];

const SHARED: readonly (readonly [title: string, device: DeviceScenario])[] = [
  [
    "a text with the contact, the tamper and the battery",
    {
      announced: STATES,
      zone: "geam-contact",
      kind: "intrusion",
      doubts: [],
      steps: [
        [geam("closed"), "nothing"],
        [geam("open"), "trip"],
        [geam("closed"), "restore"],
        [geam("tamper"), "tamper"],
        [geam("low"), "battery"],
      ],
    },
  ],
  [
    "a value with the codes of several transmitters",
    {
      announced: [code("hol", "999999"), code("garaj", "888888")],
      zone: "omg-garaj",
      kind: "motion",
      doubts: ["codes-one-device"],
      steps: [
        [received(999_999), "nothing"],
        [received(888_888), "trip"],
        ["30 s", "restore"],
        [received(888_888), "trip"],
      ],
    },
  ],
  [
    "a value with a code that nothing ends",
    {
      announced: [code("garaj", "888888", { off_delay: undefined })],
      zone: "omg-garaj",
      kind: "motion",
      doubts: ["radio-code"],
      steps: [
        [received(888_888), "trip"],
        ["30 s", "restore"],
        [received(888_888), "trip"],
      ],
    },
  ],
  [
    "an event of a button, of which each press is a sensor",
    {
      announced: [press("L"), press("S"), press("SS")],
      zone: "buton-ss",
      kind: "intrusion",
      steps: [
        [pressed("S"), "nothing"],
        [pressed("SS"), "trip"],
        ["1 s", "restore"],
      ],
    },
  ],
];

describe("sensors announced for Home Assistant that share a topic and a path,", () => {
  test.each(SHARED)("%s, are zones of their own", (_title, device) => expectProposed(device));

  test("are proposed until a zone has their value", () => {
    const { devices, zones } = foundIn({ announced: [code("hol", "999999"), code("garaj", "888888")] });
    expect(zones.map(({ input }) => input.open)).toEqual([["999999"], ["888888"]]);
    const known = zones.slice(0, 1).map(({ input }) => zoneOf({ input }));
    expect(proposedZones(devices, known).map(({ input }) => input.open)).toEqual([["888888"]]);
  });

  test("and end with the same value are each proposed", () => {
    const { zones } = foundIn({
      announced: [
        code("usa", "open", { off_delay: undefined, payload_off: "idle" }),
        code("hol", "motion", { off_delay: undefined, payload_off: "idle" }),
      ],
    });
    expect(zones.map(({ input }) => [input.open, input.normal])).toEqual([
      [["open"], ["idle"]],
      [["motion"], ["idle"]],
    ]);
  });

  test("and open with the same value are one", () => {
    const { zones } = foundIn({ announced: [code("hol", "999999"), code("hol-vechi", "999999")] });
    expect(zones.map(({ id }) => id)).toEqual(["omg-hol"]);
  });
});

/** A sensor of a Zigbee bridge that passes the status of the alarm zone on as a number. */
const status = (name: string, device_class: string, value_template: string): Message => [
  `homeassistant/binary_sensor/usa_${name}/config`,
  {
    name,
    device_class,
    value_template,
    state_topic: "zigbee/usa",
    device: { identifiers: ["usa"], name: "Usa" },
  },
];
const bit = (mask: number) => `{{ 'ON' if value_json.zone_status | bitwise_and(${mask}) else 'OFF' }}`;
const zoneStatus = (zone_status: number): Message => ["zigbee/usa", { zone_status }];

describe("a tamper announced for Home Assistant", () => {
  test.each([
    [bit(4)],
    ["{{ 'ON' if (value_json.zone_status | int | bitwise_and(4)) > 0 else 'OFF' }}"],
    ["{{ 'ON' if bitwise_and(value_json.zone_status, 4) != 0 else 'OFF' }}"],
    ["{{ iif(value_json.zone_status|bitwise_and(4) == 4, 'ON', 'OFF') }}"],
    ["{% if value_json.zone_status | bitwise_and(4) %}ON{% else %}OFF{% endif %}"],
  ])("as a bit of a number, %s, is that bit", async (template) => {
    const { zones } = foundIn({
      announced: [
        status("contact", "door", bit(1)),
        status("tamper", "tamper", template),
        status("battery", "battery", bit(8)),
      ],
    });
    const [zone] = zones;
    expect(zone?.doubts).toEqual([]);
    const steps = [
      [zoneStatus(0), "nothing"],
      [zoneStatus(1), "trip"],
      [zoneStatus(0), "restore"],
      [zoneStatus(4), "tamper"],
      [zoneStatus(12), "battery"],
    ] as const;
    if (zone) expect(await playSteps(zone, steps)).toEqual(steps);
  });

  test("with a value that no zone can read is left out, which is to be checked", () => {
    const template = "{{ 'ON' if value_json.zone_status > 3 else 'OFF' }}";
    const { zones } = foundIn({
      announced: [status("contact", "door", bit(1)), status("tamper", "tamper", template)],
    });
    expect(zones).toMatchObject([{ doubts: [{ code: "tamper-computed", values: { template } }] }]);
    expect(zones[0]).not.toHaveProperty("tamper");
  });

  test.each([
    ["a code that nothing ends", { off_delay: undefined }, ["radio-code"]],
    ["a value that ends after a time", { off_delay: 30 }, []],
  ])("as %s is a zone of its own, and such a low battery is left out", async (_title, more, doubts) => {
    const announced = [
      code("usa", "111111", { ...more, device_class: "door" }),
      code("capac", "222222", { ...more, device_class: "tamper" }),
      code("baterie", "333333", { ...more, device_class: "battery" }),
    ];
    const { zones } = foundIn({ announced });
    expect(zones.map(({ id }) => id)).toEqual(["omg-usa", "omg-capac"]);
    for (const zone of zones) {
      expect(zone.tamper ?? zone.battery).toBeUndefined();
      expect(zone.doubts.map((doubt) => doubt.code)).toContain("battery-left-out");
    }
    await expectProposed({
      announced,
      zone: "omg-capac",
      kind: "tamper",
      doubts: [...doubts, "battery-left-out"],
      steps: [
        [received(111_111), "nothing"],
        [received(222_222), "trip"],
        ["30 s", "restore"],
        [received(333_333), "nothing"],
        [received(222_222), "trip"],
      ],
    });
  });

  test("names the zone that has it as its tamper already", () => {
    const more = { off_delay: 30 };
    const { devices } = foundIn({
      announced: [
        code("usa", "111111", { ...more, device_class: "door" }),
        code("capac", "222222", { ...more, device_class: "tamper" }),
      ],
    });
    const [door, cover] = proposedZones(devices, []);
    if (!door || !cover) throw new Error("two zones are proposed");
    const { path, where, open } = cover.input;
    const tamper = { open, ...(path && { path }), ...(where && { where }) };
    const known = zoneOf({ id: "usa", input: door.input, tamper });
    expect(proposedZones(devices, [known])).toMatchObject([
      { doubts: expect.arrayContaining([{ code: "tamper-of-zone", values: { zone: "usa" } }]) },
    ]);
  });

  test("lasts until the device reports its end, not until another state of the same text", async () => {
    const { zones } = foundIn({ announced: STATES });
    expect(zones).toMatchObject([{ tamper: { open: ["tamper"], normal: ["closed"] } }]);
  });
});
