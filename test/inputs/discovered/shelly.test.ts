import { describe, expect, test } from "vitest";
import {
  expectProposed,
  foundIn,
  type Message,
  type DeviceScenario,
} from "../../support/device-scenarios.ts";

/* Shelly Gen 1: the answer of each model to `announce`, and what it publishes. */

type Announced = DeviceScenario["announced"];
const announced = (id: string, model?: string, firmware = "20230913-112234/v1.14.0-gcb84623"): Announced => [
  [
    "shellies/announce",
    {
      fw_ver: firmware,
      id,
      ip: "192.168.1.41",
      mac: id.split("-")[1],
      ...(model === undefined ? {} : { model, mode: "", new_fw: false }),
    },
  ],
];
const of =
  (id: string) =>
  (below: string, message: unknown): Message => [`shellies/${id}/${below}`, message];

const SMOKE = of("shellysmoke-5B8998");
const GAS = of("shellygas-7A2B3C");
const MOTION = of("shellymotionsensor-60A423BEF8A6");
const BUTTON = of("shellybutton1-A4CF12F45301");
const I3 = of("shellyix3-98CDAC24C8A4");
const DOOR = of("shellydw-F3B2D8");
const motion = (isMoving: boolean, more: object = {}): Message =>
  MOTION("status", {
    motion: isMoving,
    timestamp: 1626034835,
    active: true,
    vibration: false,
    lux: 12,
    bat: 97,
    ...more,
  });

const DEVICES: readonly (readonly [title: string, device: DeviceScenario])[] = [
  [
    "smoke detector",
    {
      announced: announced("shellysmoke-5B8998", "SHSM-01"),
      zone: "shellysmoke-5b8998",
      kind: "fire",
      doubts: [],
      steps: [
        [SMOKE("online", "true"), "nothing"],
        [SMOKE("sensor/smoke", "false"), "nothing"],
        // It sleeps seconds after each wake-up.
        [SMOKE("online", "false"), "nothing"],
        [SMOKE("sensor/smoke", "true"), "trip"],
        [SMOKE("sensor/smoke", "false"), "restore"],
        [SMOKE("sensor/battery", "9"), "battery"],
      ],
    },
  ],
  [
    "gas detector, which is connected all the time",
    {
      announced: announced("shellygas-7A2B3C", "SHGS-1"),
      zone: "shellygas-7a2b3c",
      kind: "gas",
      doubts: [],
      steps: [
        [GAS("sensor/gas", "none"), "nothing"],
        [GAS("sensor/gas", "test"), "nothing"],
        [GAS("sensor/gas", "mild"), "trip"],
        [GAS("sensor/gas", "heavy"), "nothing"],
        [GAS("sensor/gas", "none"), "restore"],
        [GAS("online", "false"), "supervision"],
      ],
    },
  ],
  [
    "motion detector",
    {
      announced: announced("shellymotionsensor-60A423BEF8A6", "SHMOS-01", "20220811-152343/v2.1.8@5afc928c"),
      zone: "shellymotionsensor-60a423bef8a6",
      kind: "motion",
      doubts: ["vibration-tamper"],
      steps: [
        [motion(false), "nothing"],
        [motion(true), "trip"],
        [motion(false), "restore"],
        [motion(false, { vibration: true }), "tamper"],
        [motion(false, { bat: 8, vibration: true }), "battery"],
      ],
    },
  ],
  [
    "button",
    {
      announced: announced("shellybutton1-A4CF12F45301", "SHBTN-2"),
      zone: "shellybutton1-a4cf12f45301",
      kind: "panic",
      doubts: ["kind-guessed", "button-restores-itself", "press-repeated", "supervised-weekly"],
      steps: [
        [BUTTON("input_event/0", { event: "S", event_cnt: 3 }), "trip"],
        ["20 s", "restore"],
        [BUTTON("input_event/0", { event: "L", event_cnt: 4 }), "trip"],
      ],
    },
  ],
  [
    "button on mains power, which repeats its last press a little early, so that no press is missed",
    {
      announced: announced("shellybutton1-A4CF12F45301", "SHBTN-2"),
      zone: "shellybutton1-a4cf12f45301",
      kind: "panic",
      steps: [
        [BUTTON("input_event/0", { event: "S", event_cnt: 3 }), "trip"],
        ["29 s", "restore"],
        [BUTTON("input_event/0", { event: "S", event_cnt: 3 }), "trip"],
        ["29 s", "restore"],
        [BUTTON("input_event/0", { event: "S", event_cnt: 4 }), "trip"],
      ],
    },
  ],
  [
    "button that is not pressed for days",
    {
      announced: announced("shellybutton1-A4CF12F45301", "SHBTN-2"),
      zone: "shellybutton1-a4cf12f45301",
      kind: "panic",
      steps: [
        [BUTTON("sensor/battery", "90"), "nothing"],
        ["518400 s", "nothing"],
        ["86400 s", "supervision"],
      ],
    },
  ],
  [
    "movement sensor with an infrared transmitter",
    {
      announced: announced("shellysense-7A2B3C", "SHSEN-1"),
      zone: "shellysense-7a2b3c",
      kind: "motion",
      doubts: [],
      steps: [
        [of("shellysense-7A2B3C")("sensor/motion", "false"), "nothing"],
        [of("shellysense-7A2B3C")("sensor/motion", "true"), "trip"],
        [of("shellysense-7A2B3C")("sensor/motion", "false"), "restore"],
        [of("shellysense-7A2B3C")("sensor/battery", "9"), "battery"],
      ],
    },
  ],
  [
    "relay with an external switch at its add-on",
    {
      announced: [...announced("shelly1-7A2B3C", "SHSW-1"), of("shelly1-7A2B3C")("ext_switch/0", "1")],
      zone: "shelly1-7a2b3c-external-switch",
      kind: "intrusion",
      doubts: ["check-contact", "kind-guessed"],
      steps: [
        [of("shelly1-7A2B3C")("ext_switch/0", "1"), "nothing"],
        [of("shelly1-7A2B3C")("ext_switch/0", "0"), "trip"],
      ],
    },
  ],
  [
    "input of an i3",
    {
      announced: announced("shellyix3-98CDAC24C8A4", "SHIX3-1"),
      zone: "shellyix3-98cdac24c8a4-input-2",
      kind: "intrusion",
      doubts: ["check-contact", "kind-guessed"],
      steps: [
        [I3("input/2", "1"), "nothing"],
        [I3("input/0", "0"), "nothing"],
        [I3("input/2", "0"), "trip"],
        [I3("input/2", "1"), "restore"],
      ],
    },
  ],
  [
    "door sensor whose firmware announces no model",
    {
      announced: announced("shellydw-F3B2D8", undefined, "20191216-090511/v1.5.7@c30657ba"),
      zone: "shellydw-f3b2d8",
      kind: "intrusion",
      doubts: ["wake-up-reports", "vibration-tamper"],
      steps: [
        [DOOR("sensor/state", "close"), "nothing"],
        [DOOR("sensor/state", "open"), "trip"],
        [DOOR("sensor/temperature", "999"), "nothing"],
        [DOOR("sensor/state", "close"), "restore"],
        [DOOR("sensor/vibration", "1"), "tamper"],
        [DOOR("sensor/battery", "-1"), "nothing"],
      ],
    },
  ],
  [
    "door sensor with a name of its own at the broker",
    {
      announced: [
        ["shellies/poarta/announce", { id: "shellydw2-A4CF12F43189", model: "SHDW-2", mac: "A4CF12F43189" }],
      ],
      zone: "poarta",
      kind: "intrusion",
      steps: [
        [["shellies/poarta/sensor/state", "close"], "nothing"],
        [["shellies/poarta/sensor/state", "open"], "trip"],
      ],
    },
  ],
  [
    "door sensor that sleeps, of which only a retained message is known",
    {
      announced: [
        ["shellies/shellydw2-A4CF12F43189/sensor/battery", "88"],
        ["shellies/shellyplug-s-7A2B3C/relay/0", "on"],
      ],
      zone: "shellydw2-a4cf12f43189",
      kind: "intrusion",
      doubts: ["wake-up-reports", "vibration-tamper"],
      steps: [
        [["shellies/shellydw2-A4CF12F43189/sensor/state", "close"], "nothing"],
        [["shellies/shellydw2-A4CF12F43189/sensor/state", "open"], "trip"],
        [["shellies/shellydw2-A4CF12F43189/sensor/battery", "9"], "battery"],
      ],
    },
  ],
  ...(
    [
      ["its information", ["info", { getinfo: { fw_info: { device: "shellydw2-73B5E2", fw: "v1.14.0" } } }]],
      ["its values", ["sensor/state", "close"]],
    ] as const
  ).map(([what, [topic, message]]): (typeof DEVICES)[number] => [
    `door sensor that sleeps and has a name of its user's, known from ${what}`,
    {
      announced: [
        ["shellies/usa-hol/sensor/battery", "88"],
        [`shellies/usa-hol/${topic}`, message],
      ],
      zone: "usa-hol",
      kind: "intrusion",
      doubts: ["wake-up-reports", "vibration-tamper"],
      steps: [
        [["shellies/usa-hol/sensor/state", "close"], "nothing"],
        [["shellies/usa-hol/sensor/state", "open"], "trip"],
      ],
    },
  ]),
  [
    "flood sensor that sleeps and has a name of its user's",
    {
      announced: [["shellies/baie/sensor/flood", "false"]],
      zone: "baie",
      kind: "flood",
      doubts: [],
      steps: [
        [["shellies/baie/sensor/flood", "false"], "nothing"],
        [["shellies/baie/sensor/flood", "true"], "trip"],
      ],
    },
  ],
];

describe("a Shelly of the first generation", () => {
  test.each(DEVICES)("as %s trips and restores the zone that is proposed for it", (_title, device) =>
    expectProposed(device),
  );

  test.each([
    ["SHSM-02", "shellysmoke2-7A2B3C", 1],
    ["SHSW-1", "shelly1-7A2B3C", 1],
    ["SHSW-21", "shellyswitch-7A2B3C", 2],
    ["SHSW-22", "shellyhd-7A2B3C", 2],
    ["SHSW-44", "shelly4pro-7A2B3C", 4],
    ["SHDM-1", "shellydimmer-7A2B3C", 2],
    ["SHDM-2", "shellydimmer2-7A2B3C", 2],
    ["SHRGBW2", "shellyrgbw2-7A2B3C", 1],
  ])("as a %s has its inputs as zones", (model, id, count) => {
    expect(foundIn({ announced: announced(id, model) }).zones).toHaveLength(count);
  });

  test("is proposed once, although it is announced for Home Assistant too", () => {
    const press = (event: string): Message => [
      `homeassistant/binary_sensor/shellybutton1-A4CF12F45301-${event}/config`,
      {
        name: `Button ${event}`,
        "~": "shellies/shellybutton1-A4CF12F45301/",
        stat_t: "~input_event/0",
        val_tpl: `{%if value_json.event=='${event}'%}ON{%else%}OFF{%endif%}`,
        off_dly: 1,
        dev: { ids: ["A4CF12F45301"], name: "Buton" },
      },
    ];
    const own = announced("shellybutton1-A4CF12F45301", "SHBTN-2");
    const { zones } = foundIn({ announced: [press("S"), ...own, press("L"), press("SL")] });
    expect(zones.map(({ id }) => id)).toEqual(["shellybutton1-a4cf12f45301", "buton-button-sl"]);
  });

  test("without inputs is listed without a zone", () => {
    const { devices, zones } = foundIn({ announced: announced("shellyplug-s-7A2B3C", "SHPLG-S") });
    expect([devices.map(({ name }) => name), zones]).toEqual([["shellyplug-s-7A2B3C"], []]);
  });

  test("with messages of its own beside its announcement is listed once", () => {
    const { devices } = foundIn({
      announced: [
        ...announced("shellydw-F3B2D8", "SHDW-1"),
        DOOR("sensor/state", "open"),
        DOOR("online", "true"),
      ],
    });
    expect(devices.map(({ name }) => name)).toEqual(["shellydw-F3B2D8"]);
  });
});
