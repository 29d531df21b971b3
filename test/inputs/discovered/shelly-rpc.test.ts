import { describe, expect, test } from "vitest";
import { proposedZones } from "../../../src/domain/discovery/proposed-zone.ts";
import {
  expectProposed,
  foundIn,
  type DeviceScenario,
  type Message,
} from "../../support/device-scenarios.ts";
import { zoneOf } from "../../support/monitored-zones.ts";
import { answers, notified, reported } from "../../support/shelly-messages.ts";

/* Shelly Gen 2 and later: the answers of each device, or what a sleeping one says when it wakes up, and its messages. */

const SMOKE = "shellyplussmoke-80646fe1b3c8";
const awake = notified(SMOKE, "NotifyFullStatus");
const power = (percent: number, isWired = false) => ({
  "devicepower:0": { id: 0, battery: { V: 2.9, percent }, external: { present: isWired } },
});
const smoke = (alarm: boolean) => ({ "smoke:0": { id: 0, alarm, mute: false } });
const FLOOD = "shellyfloodg4-a8032ab1fe78";
const PRESENCE = "shellypresenceg4-a8032ab1fe79";
const I4 = "shellyi4g3-a8032ab1fe80";
const DEVICES: readonly (readonly [title: string, device: DeviceScenario])[] = [
  [
    "Plus Smoke, which has only woken up once",
    {
      announced: [awake({ ...power(97), ...smoke(false), sys: {}, wifi: {} })],
      zone: "shellyplussmoke-80646fe1b3c8-smoke-0",
      kind: "fire",
      doubts: [],
      steps: [
        [awake({ ...smoke(false), ...power(97) }), "nothing"],
        [[`${SMOKE}/online`, "false"], "nothing"],
        [notified(SMOKE)(smoke(true)), "trip"],
        [notified(SMOKE)(power(90)), "nothing"],
        [awake({ ...power(90), ...smoke(false) }), "restore"],
        [awake({ ...power(9), ...smoke(false) }), "battery"],
      ],
    },
  ],
  [
    "Flood G4",
    {
      announced: [[`${FLOOD}/online`, "true"], notified(FLOOD)(power(100))],
      answers: answers(FLOOD, { "flood:0": { id: 0, name: "Subsol", alarm_mode: "normal" } }),
      zone: "shellyfloodg4-a8032ab1fe78-subsol",
      kind: "flood",
      doubts: [],
      steps: [
        [notified(FLOOD, "NotifyFullStatus")({ "flood:0": { id: 0, alarm: false, mute: false } }), "nothing"],
        [notified(FLOOD)({ "flood:0": { id: 0, alarm: true } }), "trip"],
        [notified(FLOOD)({ "flood:0": { id: 0, mute: true } }), "nothing"],
        [notified(FLOOD)({ "flood:0": { id: 0, alarm: false } }), "restore"],
        [notified(FLOOD)(power(3)), "battery"],
      ],
    },
  ],
  [
    "presence sensor on mains, before it has sent a status",
    {
      announced: [[`${PRESENCE}/online`, "true"]],
      answers: answers(PRESENCE, { "presencezone:200": { id: 200, name: "Hol", enable: true } }),
      zone: "shellypresenceg4-a8032ab1fe79-hol",
      kind: "motion",
      doubts: ["missed-on-events"],
      steps: [
        [notified(PRESENCE)({ "presencezone:200": { id: 200, value: false, num_objects: 0 } }), "nothing"],
        [notified(PRESENCE)({ "presencezone:200": { id: 200, num_objects: 1, value: true } }), "trip"],
        [notified(PRESENCE)({ "presencezone:200": { id: 200, num_objects: 0, value: false } }), "restore"],
        [[`${PRESENCE}/online`, "false"], "supervision"],
      ],
    },
  ],
  [
    "button of an i4",
    {
      announced: [[`${I4}/online`, "true"]],
      answers: answers(I4, { "input:3": { id: 3, name: null, type: "button" } }),
      zone: "shellyi4g3-a8032ab1fe80-input-3",
      kind: "panic",
      doubts: ["kind-guessed"],
      steps: [
        [reported(I4, ["input:2", "btn_down"], ["input:3", "btn_up"]), "nothing"],
        [reported(I4, ["input:2", "btn_down"], ["input:3", "btn_down"]), "trip"],
        [reported(I4, ["input:3", "single_push"]), "nothing"],
        [reported(I4, ["input:3", "btn_up"]), "restore"],
      ],
    },
  ],
  [
    "contact at an i4 with a topic for each component",
    {
      announced: [[`${I4}/online`, "true"]],
      answers: answers(I4, { "input:0": { id: 0, name: "Ușa", type: "switch" } }, [], {
        rpc_ntf: false,
        status_ntf: true,
      }),
      zone: "shellyi4g3-a8032ab1fe80-usa",
      kind: "intrusion",
      doubts: ["check-contact"],
      steps: [
        [[`${I4}/status/input:0`, { id: 0, state: true }], "nothing"],
        [[`${I4}/status/input:0`, { id: 0, state: false }], "trip"],
        [[`${I4}/status/input:0`, { id: 0, state: true }], "restore"],
      ],
    },
  ],
  [
    "contact at an i4 whose topics for each component were switched off, with an old message on one",
    {
      announced: [
        [`${I4}/online`, "true"],
        [`${I4}/status/input:0`, { id: 0, state: true }],
      ],
      answers: answers(I4, { "input:0": { id: 0, name: "Ușa", type: "switch" } }),
      zone: "shellyi4g3-a8032ab1fe80-usa",
      kind: "intrusion",
      doubts: ["check-contact", "missed-on-events"],
      steps: [
        [notified(I4)({ "input:0": { id: 0, state: true } }), "nothing"],
        [notified(I4)({ "input:0": { id: 0, state: false } }), "trip"],
      ],
    },
  ],
  [
    "Flood G4 that is set to report rain",
    {
      announced: [[`${FLOOD}/online`, "true"]],
      answers: answers(FLOOD, { "flood:0": { id: 0, name: "Terasa", alarm_mode: "rain" } }),
      zone: "shellyfloodg4-a8032ab1fe78-terasa",
      kind: "flood",
      doubts: ["rain"],
      steps: [],
    },
  ],
  [
    "contact at an i4 with a topic of its user's choice",
    {
      announced: [["casa/intrare/online", "true"]],
      answers: answers(I4, { "input:0": { id: 0, name: "Ușa", type: "switch" } }),
      zone: "shellyi4g3-a8032ab1fe80-usa",
      kind: "intrusion",
      steps: [
        [notified(I4, "NotifyStatus", "casa/intrare")({ "input:0": { id: 0, state: true } }), "nothing"],
        [notified(I4, "NotifyStatus", "casa/intrare")({ "input:0": { id: 0, state: false } }), "trip"],
        [["casa/intrare/online", "false"], "supervision"],
      ],
    },
  ],
  [
    "contact at an i4 below the topics of the first generation",
    {
      announced: [["shellies/intrare/online", "true"]],
      answers: answers(I4, { "input:0": { id: 0, name: "Ușa", type: "switch" } }),
      zone: "shellyi4g3-a8032ab1fe80-usa",
      kind: "intrusion",
      steps: [
        [notified(I4, "NotifyStatus", "shellies/intrare")({ "input:0": { id: 0, state: true } }), "nothing"],
        [notified(I4, "NotifyStatus", "shellies/intrare")({ "input:0": { id: 0, state: false } }), "trip"],
        [["shellies/intrare/online", "false"], "supervision"],
      ],
    },
  ],
  [
    "contact at an i4 that does not report its changes",
    {
      announced: [[`${I4}/online`, "true"]],
      answers: answers(I4, { "input:0": { id: 0, name: "Ușa", type: "switch" } }, [], {
        rpc_ntf: false,
        status_ntf: false,
      }),
      zone: "shellyi4g3-a8032ab1fe80-usa",
      kind: "intrusion",
      doubts: ["check-contact", "notifications-off", "missed-on-events"],
      steps: [
        [notified(I4)({ "input:0": { id: 0, state: true } }), "nothing"],
        [notified(I4)({ "input:0": { id: 0, state: false } }), "trip"],
      ],
    },
  ],
];

describe("a Shelly of a later generation", () => {
  test.each(DEVICES)("as %s trips and restores the zone that is proposed for it", (_title, device) =>
    expectProposed(device),
  );

  test("has no zone for an input that is switched off", () => {
    const input = (id: number, enable: boolean) => ({
      id,
      name: null,
      type: "switch",
      enable,
      invert: false,
    });
    const { zones } = foundIn({
      announced: [[`${I4}/online`, "true"]],
      answers: answers(I4, { "input:0": input(0, false), "input:1": input(1, true) }),
    });
    expect(zones.map(({ id }) => id)).toEqual(["shellyi4g3-a8032ab1fe80-input-1"]);
  });

  test.each([
    [{ rpc_ntf: true, status_ntf: false }, "status/input:0", "{{ value_json.state }}"],
    [{ rpc_ntf: true, status_ntf: true }, "events/rpc", "{{ value_json.params['input:0'].state }}"],
  ])(
    "with %o is proposed once, although it is announced for Home Assistant too",
    (mqtt, topic, value_template) => {
      const config = {
        dev_cla: "door",
        stat_t: `${I4}/${topic}`,
        value_template,
        pl_on: false,
        pl_off: true,
      };
      const announced: Message[] = [
        [`${I4}/online`, "true"],
        ["homeassistant/binary_sensor/usa/config", { ...config, dev: { ids: ["u"], name: "Usa" } }],
      ];
      const input = { "input:0": { id: 0, name: "Ușa", type: "switch" } };
      const { zones } = foundIn({ announced, answers: answers(I4, input, [], mqtt) });
      expect(zones.map(({ id }) => id)).toEqual(["shellyi4g3-a8032ab1fe80-usa"]);
      // Without its answers it is read as it is announced.
      expect(foundIn({ announced }).zones.map(({ id }) => id)).toEqual(["usa-door"]);
    },
  );

  test.each([
    ["its own topic", false, true],
    ["the common topic", true, false],
  ])("is not proposed again where it reports now, if a zone reads it on %s", (_title, now, before) => {
    const input = { "input:0": { id: 0, name: "Ușa", type: "switch" } };
    const withTopics = (status_ntf: boolean) =>
      foundIn({
        announced: [[`${I4}/online`, "true"]],
        answers: answers(I4, input, [], { rpc_ntf: true, status_ntf }),
      });
    const known = withTopics(before).zones.map((zone) => zoneOf({ input: zone.input }));
    expect(known).toHaveLength(1);
    expect(proposedZones(withTopics(now).devices, known)).toEqual([]);
  });

  test("has a device that the configuration accepts, whose end distinguishes it from others", () => {
    const input = { "input:0": { id: 0, name: "Ușa", type: "switch" } };
    const found = (name: string) =>
      foundIn({
        announced: [[`${I4}/online`, "true"]],
        answers: {
          ...answers(I4, input),
          "Shelly.GetConfig": { ...answers(I4, input)["Shelly.GetConfig"], sys: { device: { name } } },
        },
      }).zones[0]?.device;
    expect(found(`${"a".repeat(120)} 17`)).toBe(`${"a".repeat(97)} 17`);
  });

  test("is not what says that it is online, and does not answer who it is", () => {
    expect(foundIn({ announced: [["casa/incalzire/online", "true"]] }).devices).toEqual([]);
  });
});
