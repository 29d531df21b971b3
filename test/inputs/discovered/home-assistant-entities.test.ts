import { afterEach, describe, expect, test } from "vitest";
import { MqttZones } from "../../../src/inputs/mqtt-zones.ts";
import { foundIn, playSteps, proposedFor, type Message, type Step } from "../../support/device-scenarios.ts";
import { MonitoredZones, zoneOf } from "../../support/monitored-zones.ts";

/* Alarm panels, events and doors with a motor that are announced for Home Assistant. */

const ARMED = ["armed_away", "armed_home", "armed_night", "armed_vacation", "armed_custom_bypass"];

/** As a gateway of an alarm panel announces its partitions and zones: all as one device. */
const PANEL = { identifiers: ["02005e0053af"], name: "Centrala", model: "EVO192" };
const partition = (name: string, more: object = {}): Message => [
  `homeassistant/alarm_control_panel/02005e0053af/partition_${name}/config`,
  {
    name,
    unique_id: `02005e0053af_${name}`,
    state_topic: `centrala/states/partitions/${name}/current_state`,
    command_topic: `centrala/control/partitions/${name}`,
    availability_topic: "centrala/interface/availability",
    supported_features: ["arm_home", "arm_away"],
    payload_disarm: "disarm",
    device: PANEL,
    ...more,
  },
];
const contact = (name: string, device_class: string): Message => [
  `homeassistant/binary_sensor/02005e0053af/zone_${name}_open/config`,
  {
    name,
    unique_id: `02005e0053af_${name}_open`,
    state_topic: `centrala/states/zones/${name}/open`,
    availability_topic: "centrala/interface/availability",
    device_class,
    payload_on: "True",
    payload_off: "False",
    device: PANEL,
  },
];
const HOUSE = "centrala/states/partitions/casa/current_state";
const house = (state: string): Message => [HOUSE, state];

describe("an alarm panel", () => {
  const announced = [partition("casa"), contact("hol", "motion"), contact("fum", "smoke")];
  let site: MonitoredZones | undefined;
  afterEach(() => site?.close());

  test("is a zone that opens with its alarm, whatever it is in before and after", async () => {
    const zone = proposedFor({ announced, zone: "centrala-casa", kind: "intrusion", steps: [] });
    expect(zone).toMatchObject({
      kind: "intrusion",
      input: { mqtt: HOUSE, open: ["triggered"], normal: ["disarmed", ...ARMED] },
      bridge: { mqtt: "centrala/interface/availability" },
    });
    expect(zone.doubts.map(({ code }) => code)).toEqual(["gate-for-others", "zones-confirm"]);
    const steps: Step[] = [
      [house("disarmed"), "nothing"],
      [house("arming"), "nothing"],
      [house("armed_away"), "nothing"],
      [house("pending"), "nothing"],
      [house("triggered"), "trip"],
      [house("triggered"), "nothing"],
      [house("armed_away"), "restore"],
      [house("triggered"), "trip"],
      [house("disarmed"), "restore"],
    ];
    expect(await playSteps(zone, steps)).toEqual(steps);
  });

  test("is the gate of the burglary sensors of its device: they are dispatched while it is armed", async () => {
    const { zones } = foundIn({ announced });
    const [motion, smoke] = ["centrala-hol", "centrala-fum"].map((id) => zones.find((one) => one.id === id));
    const gate = { mqtt: HOUSE, open: ARMED, normal: ["disarmed"] };
    expect(motion).toMatchObject({ kind: "motion", gate });
    expect(motion?.doubts.map(({ code }) => code)).toEqual(["gate-of-panel", "zones-confirm"]);
    expect(smoke).toMatchObject({ kind: "fire" });
    expect(smoke).not.toHaveProperty("gate");
    if (!motion) return;
    site = new MonitoredZones([
      zoneOf({ id: "hall", kind: "motion", input: motion.input, gate: motion.gate ?? "always" }),
    ]);
    const mqtt = new MqttZones(site.common);
    const publish = (topic: string, text: string): Promise<void> =>
      mqtt.deliver({ topic, payload: Buffer.from(text), isRetained: false });
    const crossed = async (): Promise<string | undefined> => {
      await publish("centrala/states/zones/hol/open", "False");
      await publish("centrala/states/zones/hol/open", "True");
      return site?.trips.at(-1)?.state;
    };
    for (const [state, disposition] of [
      ["disarmed", "gated"],
      ["arming", "gated"],
      ["armed_home", "waiting"],
      ["pending", "waiting"],
      ["triggered", "waiting"],
      ["disarmed", "gated"],
    ] as const) {
      await publish(HOUSE, state);
      expect([state, await crossed()]).toEqual([state, disposition]);
    }
  });

  test("with several partitions is the gate of no sensor", () => {
    const { zones } = foundIn({ announced: [...announced, partition("atelier")] });
    expect(zones.map(({ id }) => id).toSorted()).toEqual([
      "centrala-atelier",
      "centrala-casa",
      "centrala-fum",
      "centrala-hol",
    ]);
    for (const zone of zones) expect(zone).not.toHaveProperty("gate");
  });

  test("with its states in an object is read from there", () => {
    const value_template = "{{ value_json.state }}";
    const { zones } = foundIn({ announced: [partition("casa", { value_template }), contact("hol", "door")] });
    expect(zones).toMatchObject([
      { input: { mqtt: HOUSE, path: "/state", open: ["triggered"] } },
      { gate: { mqtt: HOUSE, path: "/state", open: ARMED, normal: ["disarmed"] } },
    ]);
  });

  test("whose states are computed is to be checked, and no gate", () => {
    const value_template = "{{ states[value_json.code] }}";
    const { zones } = foundIn({ announced: [partition("casa", { value_template }), contact("hol", "door")] });
    expect(zones[0]?.doubts.map(({ code }) => code)).toContain("computed-value");
    for (const zone of zones) expect(zone).not.toHaveProperty("gate");
  });
});

const event = (name: string, config: object): Message => [
  `homeassistant/event/${name}/config`,
  { name, state_topic: `casa/${name}`, device: { identifiers: [name], name: "Casa" }, ...config },
];

describe("an event", () => {
  test("of a button is a call for help, once for each press", async () => {
    const announced = [
      event("buton", {
        device_class: "button",
        event_types: ["press", "double_press", "long_press", "release"],
      }),
    ];
    const zone = proposedFor({ announced, zone: "casa-buton", kind: "panic", steps: [] });
    expect(zone).toMatchObject({
      kind: "panic",
      input: { path: "/event_type", open: ["press", "double_press", "long_press"] },
    });
    expect(zone.doubts.map(({ code }) => code)).toEqual(["kind-guessed", "button-restores-itself"]);
    const pressed = (event_type: string): Message => ["casa/buton", { event_type }];
    const steps: Step[] = [
      [pressed("release"), "nothing"],
      [pressed("press"), "trip"],
      ["30 s", "restore"],
      [pressed("double_press"), "trip"],
    ];
    expect(await playSteps(zone, steps)).toEqual(steps);
  });

  test.each([
    ["a button with a call for help", { device_class: "button", event_types: ["single", "sos"] }, ["sos"]],
    [
      "a button with actions of its own",
      { device_class: "button", event_types: ["on", "off"] },
      ["on", "off"],
    ],
    ["an unclassed remote control", { event_types: ["toggle", "hold"] }, ["hold"]],
    ["abbreviated names", { dev_cla: "button", evt_typ: ["press"] }, ["press"]],
    ["movements", { device_class: "motion", event_types: ["motion"] }, ["motion"]],
  ])("of %s opens a zone", (_title, config, open) => {
    expect(foundIn({ announced: [event("buton", config)] }).zones).toMatchObject([{ input: { open } }]);
  });

  test("of a button with a battery is supervised by the week, as it is silent between two presses", () => {
    const device = { identifiers: ["buton"], name: "Casa" };
    const battery: Message = [
      "homeassistant/sensor/buton/config",
      { name: "Baterie", device_class: "battery", state_topic: "casa/baterie", device },
    ];
    const announced = [event("buton", { device_class: "button", event_types: ["press"] }), battery];
    const { zones } = foundIn({ announced });
    expect(zones).toMatchObject([{ battery: { mqtt: "casa/baterie" }, supervisionTimeoutS: 604_800 }]);
    expect(zones[0]?.doubts.map(({ code }) => code)).toContain("supervised-weekly");
  });

  test("with a template is read where that reads it, and is to be checked", () => {
    const value_template = "{{ {'event_type': value_json.action} | to_json }}";
    const announced = [event("buton", { device_class: "button", event_types: ["single"], value_template })];
    const { zones } = foundIn({ announced });
    expect(zones).toMatchObject([{ input: { path: "/action", open: ["single"] } }]);
    expect(zones[0]?.doubts.map(({ code }) => code)).toContain("computed-value");
  });

  test.each([
    ["a doorbell", { device_class: "doorbell", event_types: ["press"] }],
    ["an unknown class", { device_class: "update", event_types: ["press"] }],
    ["a class named as every object has", { device_class: "constructor", event_types: ["press"] }],
    ["no types", { device_class: "button" }],
    ["types that are no presses", { event_types: ["motion", "scheduled"] }],
    [
      "a diagnostic button",
      { device_class: "button", event_types: ["press"], entity_category: "diagnostic" },
    ],
    [
      "a template without a value",
      { device_class: "button", event_types: ["press"], value_template: "press" },
    ],
  ])("of %s is no zone", (_title, config) => {
    expect(foundIn({ announced: [event("buton", config)] }).zones).toEqual([]);
  });
});

/** As a script announces the presses of a button: each as a trigger of its device. */
const trigger = (name: string, config: object): Message => [
  `homeassistant/device_automation/buton/${name}/config`,
  {
    automation_type: "trigger",
    type: name,
    subtype: "button_1",
    topic: "buton/0",
    payload: name,
    device: { identifiers: ["buton"], name: "Buton" },
    ...config,
  },
];

describe("device triggers", () => {
  test("of one button are one zone, which each of its presses opens", async () => {
    const announced = [
      trigger("button_short_press", {}),
      trigger("button_long_press", {}),
      trigger("button_short_release", {}),
    ];
    const zone = proposedFor({ announced, zone: "buton-button-1", kind: "panic", steps: [] });
    expect(zone).toMatchObject({ kind: "panic", device: "Buton" });
    expect(zone.doubts.map(({ code }) => code)).toEqual(["kind-guessed", "button-restores-itself"]);
    const steps: Step[] = [
      [["buton/0", "button_short_release"], "nothing"],
      [["buton/0", "button_short_press"], "trip"],
      ["30 s", "restore"],
      [["buton/0", "button_long_press"], "trip"],
    ];
    expect(await playSteps(zone, steps)).toEqual(steps);
  });

  test("in the abbreviated form are read where their template reads", () => {
    const announced: Message[] = ["S", "SS"].map((pl) => [
      `homeassistant/device_automation/i3-input-0/${pl}/config`,
      {
        atype: "trigger",
        t: "shelly/i3/input_event/0",
        pl,
        val_tpl: "{{value_json.event}}",
        type: pl === "S" ? "button_short_press" : "button_double_press",
        stype: "button_1",
        dev: { ids: ["i3"], name: "I3" },
      },
    ]);
    expect(foundIn({ announced }).zones).toMatchObject([
      { input: { mqtt: "shelly/i3/input_event/0", path: "/event", open: ["S", "SS"] } },
    ]);
  });

  test.each([
    ["several buttons, each on its topic, are a zone each", { subtype: "button_2", topic: "buton/1" }, 2],
    ["an action are recognised by its payload", { type: "action", subtype: "hold", payload: "hold" }, 1],
    ["a turn are not presses", { type: "turn", payload: "left" }, 1],
    ["no payload are not read", { payload: undefined }, 1],
  ])("of %s", (_title, config, count) => {
    const announced = [trigger("button_short_press", {}), trigger("button_double_press", config)];
    expect(foundIn({ announced }).zones).toHaveLength(count);
  });

  test("repeat an event of the same button", () => {
    const device = { identifiers: ["buton"], name: "Buton" };
    const announced = [
      trigger("single", { topic: "casa/buton", value_template: "{{ value_json.event_type }}" }),
      event("buton", { device_class: "button", event_types: ["single", "long"], device }),
    ];
    expect(foundIn({ announced }).zones).toMatchObject([{ input: { open: ["single", "long"] } }]);
  });
});

const cover = (name: string, config: object): Message => [
  `homeassistant/cover/${name}/config`,
  { name, state_topic: `casa/${name}`, device: { identifiers: ["motor"], name: "Motor" }, ...config },
];

describe("a door with a motor", () => {
  test("is open in every state but closed", async () => {
    const announced = [
      cover("garaj", { dev_cla: "garage", pos_t: "casa/garaj/position", avty_t: "casa/status" }),
    ];
    const zone = proposedFor({ announced, zone: "motor-garaj", kind: "intrusion", steps: [] });
    const steps: Step[] = [
      [["casa/garaj", "closed"], "nothing"],
      [["casa/garaj", "opening"], "trip"],
      [["casa/garaj", "open"], "nothing"],
      [["casa/garaj", "stopped"], "nothing"],
      [["casa/garaj", "closing"], "nothing"],
      [["casa/garaj", "closed"], "restore"],
      [["casa/status", "offline"], "supervision"],
    ];
    expect(await playSteps(zone, steps)).toEqual(steps);
  });

  test.each([
    [
      "words of its own in an object",
      { value_template: "{{ value_json.door }}", stat_open: "up", stat_clsd: "down" },
      { path: "/door", open: ["up", "opening", "closing"], normal: ["down"] },
    ],
    [
      "a template that compares",
      { value_template: "{{ 'closed' if value_json.door == 0 else 'open' }}" },
      { path: "/door", normal: [0] },
    ],
  ])("with %s is read from there", (_title, config, input) => {
    const { zones } = foundIn({ announced: [cover("poarta", { device_class: "gate", ...config })] });
    expect(zones).toMatchObject([{ kind: "perimeter", input }]);
  });

  test("with one word for several states is proposed with each value once", async () => {
    const words = { stat_opening: "open", stat_closing: "closed" };
    const { zones } = foundIn({ announced: [cover("poarta", { device_class: "gate", ...words })] });
    expect(zones).toMatchObject([{ input: { open: ["open"], normal: ["closed"] } }]);
    const [zone] = zones;
    const steps: Step[] = [
      [["casa/poarta", "closed"], "nothing"],
      [["casa/poarta", "open"], "trip"],
      [["casa/poarta", "closed"], "restore"],
    ];
    if (zone) expect(await playSteps(zone, steps)).toEqual(steps);
  });

  test("has the tamper and the battery of its device, and the gate of its alarm panel", () => {
    const more: Message[] = [
      ["homeassistant/binary_sensor/t/config", { state_topic: "casa/t", device_class: "tamper" }],
      ["homeassistant/sensor/b/config", { state_topic: "casa/b", device_class: "battery" }],
      ["homeassistant/alarm_control_panel/p/config", { state_topic: "casa/p", name: "Centrala" }],
    ];
    const device = { identifiers: ["motor"], name: "Motor" };
    const { zones } = foundIn({
      announced: [
        cover("garaj", { device_class: "garage" }),
        ...more.map(([topic, config]): Message => [topic, { ...(config as object), device }]),
      ],
    });
    expect(zones.find(({ id }) => id === "motor-garaj")).toMatchObject({
      tamper: { mqtt: "casa/t", open: ["ON"] },
      battery: { mqtt: "casa/b", below: 15 },
      gate: { mqtt: "casa/p", open: ARMED },
    });
  });

  test.each([["shutter"], ["blind"], ["constructor"], [undefined]])(
    "is not what is announced as %s",
    (device_class) => {
      expect(foundIn({ announced: [cover("parter", { device_class })] }).zones).toEqual([]);
    },
  );
});

test("further availabilities than that of the sensor and of one bridge are named", () => {
  const availability = ["casa/usa/stare", "casa/bridge/state", "casa/retea"].map((topic) => ({ topic }));
  const { zones } = foundIn({
    announced: [
      ["homeassistant/binary_sensor/u/config", { stat_t: "casa/usa", dev_cla: "door", availability }],
    ],
  });
  expect(zones).toMatchObject([
    {
      availability: { mqtt: "casa/usa/stare" },
      bridge: { mqtt: "casa/bridge/state" },
      doubts: [{ code: "availability-left-out", values: { topics: "casa/retea" } }],
    },
  ]);
});

test("an availability that is not in a list is read like a list of one", () => {
  const availability = { topic: "casa/status", payload_available: "da", payload_not_available: "nu" };
  const { zones } = foundIn({
    announced: [
      ["homeassistant/binary_sensor/u/config", { stat_t: "casa/u", dev_cla: "door", availability }],
    ],
  });
  expect(zones).toMatchObject([{ availability: { mqtt: "casa/status", up: ["da"], down: ["nu"] } }]);
});
