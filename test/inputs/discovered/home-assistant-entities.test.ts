import { afterEach, describe, expect, test } from "vitest";
import { MqttZones } from "../../../src/inputs/mqtt-zones.ts";
import { foundIn, playSteps, proposedFor, type Message, type Step } from "../../support/device-scenarios.ts";
import { MonitoredZones, zoneOf } from "../../support/monitored-zones.ts";

/* Alarm panels and events that are announced for Home Assistant. */

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
    expect(zone.doubts.map(({ code }) => code)).toEqual(["gate-for-others"]);
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
    expect(motion?.doubts.map(({ code }) => code)).toEqual(["gate-of-panel"]);
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
