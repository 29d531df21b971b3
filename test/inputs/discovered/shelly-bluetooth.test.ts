import { describe, expect, test } from "vitest";
import { proposedZones } from "../../../src/domain/discovery/proposed-zone.ts";
import { expectProposed, foundIn, type DeviceScenario } from "../../support/device-scenarios.ts";
import { NOT_CONFIRMED, recordAfter } from "../../support/dispatched-proposals.ts";
import { zoneOf } from "../../support/monitored-zones.ts";
import { answers, notified, reported } from "../../support/shelly-messages.ts";

/* Bluetooth sensors behind a Shelly gateway of a later generation, with two ways to report a press. */

const GATEWAY = "shellyblugwg3-e4b063d4a1c0";
const OTHER_GATEWAY = "shellyblugwg3-e4b063d4a1c1";
const ADDRESS = "3c:2e:f5:71:d5:2a";
const blu = (key: string, config: object, status: object = {}) => {
  const id = Number(key.split(":")[1]);
  return { key, config: { id, addr: ADDRESS, name: null, ...config }, status: { id, ...status } };
};

const DEVICES: readonly (readonly [title: string, device: DeviceScenario])[] = [
  [
    "contact",
    {
      announced: [[`${GATEWAY}/online`, "true"]],
      answers: answers(GATEWAY, {}, [
        blu("bthomedevice:200", { name: "Geam" }, { battery: 100, rssi: -60 }),
        blu("bthomesensor:200", { obj_id: 58, idx: 0 }),
        blu("bthomesensor:201", { obj_id: 45, idx: 0 }, { value: false }),
        blu("bthomesensor:202", { obj_id: 43, idx: 0 }, { value: false }),
      ]),
      zone: "geam",
      kind: "intrusion",
      doubts: ["missed-on-events"],
      steps: [
        [notified(GATEWAY)({ "bthomesensor:201": { id: 201, value: false } }), "nothing"],
        [notified(GATEWAY)({ "bthomesensor:201": { id: 201, value: true } }), "trip"],
        [notified(GATEWAY)({ "bthomesensor:202": { id: 202, value: true } }), "tamper"],
        [notified(GATEWAY)({ "bthomedevice:200": { id: 200, battery: 4 } }), "battery"],
        [notified(GATEWAY)({ "bthomesensor:201": { id: 201, value: false } }), "restore"],
        [[`${GATEWAY}/online`, "false"], "supervision"],
      ],
    },
  ],
  [
    "contact that stays closed, and of which the gateway hears beacons",
    {
      announced: [[`${GATEWAY}/online`, "true"]],
      answers: answers(GATEWAY, {}, [
        blu("bthomedevice:200", { name: "Geam" }, { battery: 100, rssi: -60 }),
        blu("bthomesensor:201", { obj_id: 45, idx: 0 }, { value: false }),
      ]),
      zone: "geam",
      kind: "intrusion",
      steps: [
        [notified(GATEWAY)({ "bthomesensor:201": { id: 201, value: false } }), "nothing"],
        ["90000 s", "nothing"],
        [notified(GATEWAY)({ "bthomedevice:299": { id: 299, rssi: -70 } }), "nothing"],
        [notified(GATEWAY)({ "bthomedevice:200": { id: 200, rssi: -70, packet_id: 12 } }), "nothing"],
        ["90000 s", "nothing"],
        ["3600 s", "supervision"],
      ],
    },
  ],
  [
    "button before firmware 1.6",
    {
      announced: [[`${GATEWAY}/online`, "true"]],
      answers: answers(GATEWAY, {}, [
        blu("bthomedevice:200", { name: "Receptie" }, { battery: 100 }),
        blu("bthomesensor:200", { obj_id: 58, idx: 0 }),
      ]),
      zone: "receptie",
      kind: "panic",
      doubts: ["kind-guessed", "button-restores-itself", "supervised-weekly"],
      steps: [
        [reported(GATEWAY, ["bthomesensor:200", "single_push"]), "trip"],
        ["30 s", "restore"],
        ["518400 s", "nothing"],
        [reported(GATEWAY, ["bthomesensor:300", "single_push"]), "nothing"],
        [reported(GATEWAY, ["bthomedevice:200", "long_push"]), "trip"],
      ],
    },
  ],
  [
    "button with firmware 1.6, known by its maker's code",
    {
      announced: [[`${GATEWAY}/online`, "true"]],
      answers: answers(GATEWAY, {}, [
        blu("bthomedevice:201", { meta: { ui: { local_name: "SBBT-002C" } } }, { battery: 100 }),
        blu("bthomesensor:203", { obj_id: 1, idx: 0 }, { value: 100 }),
      ]),
      zone: "blu-3c-2e-f5-71-d5-2a",
      kind: "panic",
      steps: [
        [reported(GATEWAY, ["bthomedevice:201", "double_push"]), "trip"],
        [notified(GATEWAY)({ "bthomesensor:203": { id: 203, value: 3 } }), "battery"],
      ],
    },
  ],
  [
    "button, known by a press although another device was pressed since",
    {
      announced: [
        [`${GATEWAY}/online`, "true"],
        reported(GATEWAY, ["bthomedevice:201", "single_push"]),
        reported(GATEWAY, ["bthomedevice:299", "single_push"]),
      ],
      answers: answers(GATEWAY, {}, [blu("bthomedevice:201", { name: "Panica" })]),
      zone: "panica",
      kind: "panic",
      steps: [
        [reported(GATEWAY, ["bthomedevice:201", "long_push"]), "trip"],
        ["30 s", "restore"],
      ],
    },
  ],
];

describe("a gateway", () => {
  test.each(DEVICES)("with a %s trips and restores the zone that is proposed for it", (_title, device) =>
    expectProposed(device),
  );

  test("that only measures is listed without a zone, also with a button beside its sensor", () => {
    const { devices, zones } = foundIn({
      announced: [[`${GATEWAY}/online`, "true"]],
      answers: answers(GATEWAY, {}, [
        blu("bthomedevice:200", { meta: { ui: { local_name: "SBHT-003C" } } }, { battery: 100 }),
        blu("bthomesensor:204", { obj_id: 69, idx: 0 }, { value: 21.5 }),
      ]),
    });
    expect([devices.map(({ id }) => id), zones]).toEqual([[GATEWAY], []]);
  });

  test("and another one that receive one sensor have one device, so that it confirms no alarm of its own", async () => {
    const behind = (gateway: string, name: string | null) =>
      foundIn({
        announced: [[`${gateway}/online`, "true"]],
        answers: answers(gateway, {}, [
          blu("bthomedevice:200", { name }),
          blu("bthomesensor:201", { obj_id: 45, idx: 0 }, { value: false }),
        ]),
      }).zones.map((zone) => ({ ...zone, id: `${zone.id}-${gateway.slice(-1)}` }));
    const zones = [...behind(GATEWAY, "Geam"), ...behind(OTHER_GATEWAY, null)];
    expect(zones).toHaveLength(2);
    const messages = [false, true].flatMap((value) =>
      [GATEWAY, OTHER_GATEWAY].map((gateway) =>
        notified(gateway)({ "bthomesensor:201": { id: 201, value } }),
      ),
    );
    expect(await recordAfter(zones, messages)).toMatchObject([NOT_CONFIRMED]);
  });

  test("and by another one has the device of its zone, which an earlier release proposed", () => {
    const behind = (gateway: string) =>
      foundIn({
        announced: [[`${gateway}/online`, "true"]],
        answers: answers(gateway, {}, [
          blu("bthomedevice:200", { name: "Geam" }),
          blu("bthomesensor:201", { obj_id: 45, idx: 0 }, { value: false }),
        ]),
      });
    const first = behind(GATEWAY);
    const known = first.zones.map(({ input }) => zoneOf({ input, device: "Geam" }));
    const proposed = proposedZones([...behind(OTHER_GATEWAY).devices, ...first.devices], known);
    expect(proposed.map(({ input, device }) => [input.mqtt, device])).toEqual([
      [`${OTHER_GATEWAY}/events/rpc`, "Geam"],
    ]);
  });
});
