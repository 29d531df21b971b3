import { describe, expect, test } from "vitest";
import { proposedZones } from "../../../src/domain/discovery/proposed-zone.ts";
import {
  expectProposed,
  foundIn,
  playSteps,
  proposedFor,
  type DeviceScenario,
  type Message,
  type Step,
} from "../../support/device-scenarios.ts";
import { CONFIRMED, NOT_CONFIRMED, recordAfter } from "../../support/dispatched-proposals.ts";
import { announced, detached, RADIO, radio, result, telemetry } from "../../support/tasmota-messages.ts";
import { zoneOf } from "../../support/monitored-zones.ts";

/* Tasmota devices of several releases and settings, each with the messages that its firmware publishes. */

const DEVICES: readonly (readonly [title: string, device: DeviceScenario])[] = [
  [
    "at its factory setting, with a contact in the telemetry",
    {
      announced: announced({}, { Switch1: "OFF", DS18B20: { Id: "01", Temperature: 21.5 }, TempUnit: "C" }),
      zone: "hol-switch1",
      kind: "intrusion",
      doubts: ["check-contact", "kind-guessed", "telemetry-only"],
      steps: [
        [telemetry({ Switch1: "OFF", DS18B20: { Id: "01", Temperature: 21.5 } }), "nothing"],
        [telemetry({ Switch1: "ON", DS18B20: { Id: "01", Temperature: 21.5 } }), "trip"],
        [telemetry({ Switch1: "ON" }), "nothing"],
        [telemetry({ Switch1: "OFF" }), "restore"],
        [["tele/tasmota_3D5E26/LWT", "Offline"], "supervision"],
      ],
    },
  ],
  [
    "with SwitchMode 15, which it keeps to itself, and a name for the second switch",
    {
      announced: announced({ sw: "9.5.0" }, { Switch1: "OFF", "Usa garaj": "OFF" }),
      zone: "hol-usa-garaj",
      kind: "intrusion",
      doubts: ["check-contact", "telemetry-only"],
      steps: [
        [telemetry({ Switch1: "OFF", "Usa garaj": "OFF" }), "nothing"],
        [telemetry({ Switch1: "ON", "Usa garaj": "OFF" }), "nothing"],
        [telemetry({ Switch1: "ON", "Usa garaj": "ON" }), "trip"],
        [telemetry({ Switch1: "ON", "Usa garaj": "OFF" }), "restore"],
      ],
    },
  ],
  [
    "with its own words for on and off, which has only sent its telemetry so far",
    {
      announced: [
        ...announced({ state: ["INCHIS", "DESCHIS", "COMUTA", "TINUT"] }),
        telemetry({ Switch1: "INCHIS" }),
      ],
      zone: "hol-switch1",
      kind: "intrusion",
      steps: [
        [telemetry({ Switch1: "INCHIS" }), "nothing"],
        [telemetry({ Switch1: "DESCHIS" }), "trip"],
        [telemetry({ Switch1: "INCHIS" }), "restore"],
      ],
    },
  ],
  ...[1, 2, 9, 10].map((mode): readonly [string, DeviceScenario] => [
    `with a detached switch in SwitchMode ${mode}`,
    {
      announced: detached(mode),
      zone: "hol-switch1",
      kind: "intrusion",
      doubts: ["check-contact", "kind-guessed", "missed-while-offline"],
      steps: [
        [result("OFF"), "nothing"],
        [result("ON"), "trip"],
        [result("HOLD"), "nothing"],
        [result("OFF"), "restore"],
      ],
    },
  ]),
  [
    "with a detached switch and SetOption4, which gives each input a topic",
    {
      announced: detached(1, { swn: ["PIR", null], so: { "4": 1, "114": 1 }, ft: "%topic%/%prefix%" }),
      zone: "hol-pir",
      kind: "motion",
      doubts: ["check-contact", "missed-while-offline"],
      steps: [
        [["tasmota_3D5E26/stat/SWITCH1", { PIR: { Action: "OFF" } }], "nothing"],
        [["tasmota_3D5E26/stat/SWITCH1", { PIR: { Action: "ON" } }], "trip"],
        [["tasmota_3D5E26/stat/SWITCH1", { PIR: { Action: "OFF" } }], "restore"],
      ],
    },
  ],
  ...[0, 7, 8].map((mode): readonly [string, DeviceScenario] => [
    `with a detached switch in SwitchMode ${mode}, which does not say whether it opened or closed`,
    {
      announced: detached(mode),
      zone: "hol-switch1",
      kind: "intrusion",
      doubts: ["check-contact", "kind-guessed", "telemetry-only"],
      steps: [
        [telemetry({ Switch1: "OFF" }), "nothing"],
        [result("TOGGLE"), "nothing"],
        [telemetry({ Switch1: "ON" }), "trip"],
        [telemetry({ Switch1: "OFF" }), "restore"],
      ],
    },
  ]),
  ...[15, 16].map((mode): readonly [string, DeviceScenario] => [
    `with a detached switch in SwitchMode ${mode}`,
    {
      announced: detached(mode),
      zone: "hol-switch1",
      kind: "intrusion",
      doubts: ["check-contact", "kind-guessed"],
      steps: [
        [telemetry({ Switch1: "OFF" }), "nothing"],
        [telemetry({ Switch1: "ON" }), "trip"],
        [telemetry({ Switch1: "OFF" }), "restore"],
      ],
    },
  ]),
  ...(
    [
      [3, "TOGGLE"],
      [4, "TOGGLE"],
      [5, "HOLD"],
      [6, "TOGGLE"],
      [11, "POWER_INCREMENT"],
      [12, "TOGGLE"],
      [13, "ON"],
      [14, "ON"],
    ] as const
  ).map(([mode, action]): readonly [string, DeviceScenario] => [
    `with a push button in SwitchMode ${mode}`,
    {
      announced: detached(mode),
      zone: "hol-switch1",
      kind: "panic",
      doubts: ["press-mode", "button-restores-itself", "kind-guessed"],
      steps: [
        [result(action), "trip"],
        ["30 s", "restore"],
        [result(action), "trip"],
      ],
    },
  ]),
  [
    "with a button that reports its presses",
    {
      announced: announced({ dn: "Receptie", btn: [1, 0], so: { "4": 0, "73": 1, "114": 0 } }),
      zone: "receptie-button1",
      kind: "panic",
      doubts: ["kind-guessed", "button-restores-itself"],
      steps: [
        [result("SINGLE", "Button1"), "trip"],
        ["30 s", "restore"],
        [result("HOLD", "Button1"), "trip"],
        [result("CLEAR", "Button1"), "restore"],
      ],
    },
  ],
  [
    "in deep sleep, which is offline most of the time",
    {
      announced: announced({ dslp: 1 }, { Switch1: "OFF" }),
      zone: "hol-switch1",
      kind: "intrusion",
      steps: [
        [telemetry({ Switch1: "OFF" }), "nothing"],
        [["tele/tasmota_3D5E26/LWT", "Offline"], "nothing"],
        [telemetry({ Switch1: "ON" }), "trip"],
      ],
    },
  ],
  [
    "that receives wireless sensors",
    {
      announced: [
        ...announced({ dn: "RF", md: "Sonoff Bridge" }),
        radio("7A6F0E"),
        radio("7A6F0A"),
        radio("1B2C39"),
      ],
      zone: "rf-7a6f0a",
      kind: "intrusion",
      doubts: ["radio-code", "kind-guessed"],
      steps: [
        [radio("7A6F0A"), "trip"],
        ["30 s", "restore"],
        [radio("7A6F0E"), "nothing"],
      ],
    },
  ],
];

describe("a Tasmota device", () => {
  test.each([
    ["%prefix%/%id%/", "stat/A4CF123D5E26"],
    ["%prefix%/casa//#%topic%", "stat/casa/tasmota_3D5E26"],
    ["casa/%hostname%", "casa/tasmota-3D5E26-7718"],
  ])("with the full topic %s is read where it publishes", async (ft, below) => {
    const zone = proposedFor({
      announced: detached(1, { ft }),
      zone: "hol-switch1",
      kind: "intrusion",
      steps: [],
    });
    const action = (Action: string): Message => [`${below}/RESULT`, { Switch1: { Action } }];
    const steps: Step[] = [
      [action("OFF"), "nothing"],
      [action("ON"), "trip"],
      [[`${below.replace("stat/", "tele/")}/LWT`, "Offline"], "supervision"],
    ];
    expect(await playSteps(zone, steps)).toEqual(steps);
  });

  test.each(DEVICES)("%s trips and restores the zone that is proposed for it", (_title, device) =>
    expectProposed(device),
  );

  test("with codes of several sensors has a zone for each code, and a relay without inputs has none", () => {
    const bridge = [...announced({ dn: "RF" }), radio("7A6F0E"), radio("7A6F0A"), radio("7A6F0E")];
    const { devices, zones } = foundIn({ announced: bridge });
    expect(zones.map(({ id }) => id)).toEqual(["rf-7a6f0a", "rf-7a6f0e"]);
    // A zone that uses one of the codes, also for its closing, reads no other.
    const known = zoneOf({
      input: { mqtt: RADIO, path: "/RfReceived/Data", open: ["X"], normal: ["7a6f0a"] },
    });
    expect(proposedZones(devices, [known]).map(({ id }) => id)).toEqual(["rf-7a6f0e"]);
    const relay = foundIn({ announced: announced({ rl: [1, 0] }) });
    expect([relay.zones, relay.devices.map(({ name }) => name)]).toEqual([[], ["Hol"]]);
  });

  test.each([
    ["of two detectors confirm each other", "7A6F0E", "1B2C3E", CONFIRMED],
    ["of two detectors confirm each other as numbers (SetOption28)", 8023822, 1780798, CONFIRMED],
    ["of one detector do not confirm each other", "7A6F0E", "7A6F0A", NOT_CONFIRMED],
    ["of one detector do not confirm each other as numbers", 8023822, 8023818, NOT_CONFIRMED],
    [
      "of one detector do not confirm each other, without zeros at the beginning",
      "0xA1B2E",
      "0xA1B23",
      NOT_CONFIRMED,
    ],
    ["of two detectors confirm each other, without zeros at the beginning", "0xA1B2E", "0xA1C2E", CONFIRMED],
    ["of one PT2262 detector do not confirm each other", "15500C", "1550C0", NOT_CONFIRMED],
    ["of another form confirm each other", "7A6F0E0012", "7A6F0E0013", CONFIRMED],
  ])("with codes %s", async (_title, first, second, expected) => {
    const codes = [radio(first), radio(second)];
    const { zones } = foundIn({ announced: [...announced({ dn: "RF" }), ...codes] });
    // The first code of each shows only that it is received.
    expect(await recordAfter(zones, [...codes, "31 s", ...codes])).toMatchObject([expected]);
  });

  test("of one detector that two bridges receive do not confirm each other", () => {
    const of = (dn: string) => foundIn({ announced: [...announced({ dn }), radio("7A6F0E")] }).zones;
    expect(of("RF-B").map(({ device }) => device)).toEqual(of("RF-A").map(({ device }) => device));
  });
});
