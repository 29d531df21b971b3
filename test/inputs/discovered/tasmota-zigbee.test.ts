import { describe, expect, test } from "vitest";
import { queriesAfter } from "../../../src/domain/discovery/sources.ts";
import { ReceivedMessages } from "../../../src/inputs/received-messages.ts";
import { foundIn, playSteps, proposedFor, type Message, type Step } from "../../support/device-scenarios.ts";
import { BRIDGE, lamp, leak, TASMOTA_ZIGBEE_SENSORS } from "../../support/tasmota-zigbee.ts";

describe("behind a Zigbee bridge with Tasmota,", () => {
  test.each(TASMOTA_ZIGBEE_SENSORS)(
    "%s trips and restores the zone that is proposed for it",
    async (_title, device) => {
      const zone = proposedFor(device);
      expect([zone.kind, zone.doubts]).toEqual([device.kind, []]);
      expect(await playSteps(zone, device.steps)).toEqual(device.steps);
    },
  );

  test("a sensor whose alarm zone has no known type is read from the bits of its state", async () => {
    const status = (ZoneStatusChange: number): Message =>
      leak({ "0500<00": "0100010000", ZoneStatusChange, ZoneStatusChangeZone: 1 });
    const announced = [...BRIDGE, status(0)];
    const zone = proposedFor({ announced, zone: "0x099f", kind: "intrusion", steps: [] });
    expect([zone.kind, zone.doubts]).toEqual(["intrusion", [{ code: "kind-guessed" }]]);
    const steps: Step[] = [
      [status(0x20), "nothing"],
      [status(0x21), "trip"],
      [status(0x31), "nothing"],
      [status(0x30), "restore"],
      [status(0x08), "nothing"],
      [status(0x09), "trip"],
      [status(0x00), "restore"],
      [status(0x24), "tamper"],
      [status(0x02), "trip"],
      [status(0x40), "restore"],
      [status(0x41), "trip"],
      [status(0x80), "restore"],
      [status(0x83), "trip"],
      [leak({ BatteryPercentage: 5 }), "battery"],
    ];
    expect(await playSteps(zone, steps)).toEqual(steps);
  });

  test.each([
    ["has reported its battery is missed after a day", [leak({ BatteryPercentage: 90 })], "93600 s"],
    ["has not reported it is missed after a week", [], "604800 s"],
  ] as const)("a sensor that %s", async (_title, messages, time) => {
    const water = (Water: number): Message => leak({ Water, ZoneStatusChange: Water });
    const zone = proposedFor({
      announced: [...BRIDGE, water(0), ...messages],
      zone: "0x099f",
      kind: "flood",
      steps: [],
    });
    const before = `${parseInt(time, 10) - 60} s` as const;
    const steps: Step[] = [
      [water(0), "nothing"],
      ["60 s", "nothing"],
      [lamp({ Power: 1 }), "nothing"],
      // Whatever it reports is a sign of life.
      [leak({ Temperature: 21.5 }), "nothing"],
      [before, "nothing"],
      ["60 s", "supervision"],
    ];
    expect(await playSteps(zone, steps)).toEqual(steps);
  });

  test("a lamp and a thermometer are no zones", () => {
    const { devices, zones } = foundIn({
      announced: [...BRIDGE, lamp({ Power: 1 }), leak({ Temperature: 21.5, Humidity: 40 })],
    });
    expect([devices.map(({ name }) => name), zones]).toEqual([["Zigbee"], []]);
  });

  test("sensors that sleep are asked for once the bridge has reported any device, and no other Tasmota is asked", () => {
    const options = { replyTo: "santinela/discovery/test", prefix: "homeassistant", own: "santinela/test/" };
    const asked = (messages: readonly Message[]): unknown => {
      const received = new ReceivedMessages(options);
      for (const [topic, message] of messages)
        received.take(
          topic,
          Buffer.from(typeof message === "string" ? message : JSON.stringify(message)),
          false,
          0,
        );
      return queriesAfter(received.all(), options).filter(({ topic }) => topic.startsWith("cmnd/"));
    };
    expect(asked(BRIDGE)).toEqual([]);
    expect(asked([...BRIDGE, lamp({ Power: 1 })])).toEqual([
      { topic: "cmnd/tasmota_3D5E26/ZbInfo", payload: "" },
    ]);
  });
});
