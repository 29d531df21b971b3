import { describe, expect, test } from "vitest";
import {
  expectProposed,
  foundIn,
  proposedFor,
  type DeviceScenario,
  type Message,
} from "../../support/device-scenarios.ts";

/* Boards with ESPHome and `discovery: false`: topics by component and id, with a last will. */

const state = (topic: string, text: string): Message => [`${topic}/state`, text];
const online: Message = ["livingroom/status", "online"];
const DOOR = "livingroom/binary_sensor/front_door";

const DEVICES: readonly (readonly [title: string, device: DeviceScenario])[] = [
  [
    "a board with one contact, its tamper and its battery",
    {
      announced: [
        state(DOOR, "OFF"),
        state("livingroom/binary_sensor/case_tamper", "OFF"),
        state("livingroom/binary_sensor/node_status", "ON"),
        state("livingroom/sensor/battery", "87"),
        state("livingroom/sensor/temperature", "21.5"),
        online,
      ],
      zone: "livingroom-front-door",
      kind: "intrusion",
      doubts: ["kind-guessed"],
      steps: [
        [state(DOOR, "OFF"), "nothing"],
        [state(DOOR, "ON"), "trip"],
        [state(DOOR, "OFF"), "restore"],
        [state("livingroom/binary_sensor/case_tamper", "ON"), "tamper"],
        [state("livingroom/sensor/battery", "9"), "battery"],
        [["livingroom/status", "offline"], "supervision"],
      ],
    },
  ],
  [
    "a board below a topic of several levels, with several inputs",
    {
      announced: [
        state("casa/bucatarie/binary_sensor/smoke", "OFF"),
        state("casa/bucatarie/binary_sensor/capac", "OFF"),
        state("casa/bucatarie/binary_sensor/inundatie", "ON"),
      ],
      zone: "casa-bucatarie-smoke",
      kind: "fire",
      steps: [
        [state("casa/bucatarie/binary_sensor/smoke", "OFF"), "nothing"],
        [state("casa/bucatarie/binary_sensor/smoke", "ON"), "trip"],
      ],
    },
  ],
];

describe("ESPHome's", () => {
  test.each(DEVICES)("%s trips, restores and reports its faults as it is proposed", (_title, device) =>
    expectProposed(device),
  );

  test("board is the device of all its zones", () => {
    const announced = [state(DOOR, "OFF"), state("livingroom/binary_sensor/pir", "ON"), online];
    const { zones } = foundIn({ announced });
    expect(zones.map(({ id, kind, device }) => [id, kind, device])).toEqual([
      ["livingroom-front-door", "intrusion", "livingroom"],
      ["livingroom-pir", "motion", "livingroom"],
    ]);
  });

  test("battery in volts is left out", () => {
    const announced = [state(DOOR, "OFF"), state("livingroom/sensor/battery", "3.1")];
    const zone = proposedFor({ announced, zone: "livingroom-front-door", kind: "intrusion", steps: [] });
    expect(zone.battery).toBeUndefined();
  });

  test.each([
    ["sensor that it announces for Home Assistant is proposed once", "stat_t"],
    ["sensor that it announces for Home Assistant with long names is proposed once", "state_topic"],
  ])("%s", (_title, option) => {
    const config = { name: "Front door", dev_cla: "door", [option]: `${DOOR}/state`, uniq_id: "x1" };
    const announced: Message[] = [
      ["homeassistant/binary_sensor/livingroom/front_door/config", config],
      state(DOOR, "OFF"),
      online,
    ];
    const { zones, devices } = foundIn({ announced });
    expect(devices.map(({ source }) => source)).toEqual(["home-assistant"]);
    expect(zones).toHaveLength(1);
  });

  test("topics with the states of another program are no zones", () => {
    const announced = [
      state("statestream/binary_sensor/front_door", "on"),
      state("homeassistant/binary_sensor/front_door", "ON"),
    ];
    expect(foundIn({ announced }).zones).toEqual([]);
  });

  test("has a zone for the status of a door, and none for its own status", () => {
    const ids = ["pir", "front_door_status", "status", "wifi_status"];
    const announced = [...ids.map((id) => state(`livingroom/binary_sensor/${id}`, "OFF")), online];
    const { zones } = foundIn({ announced });
    expect(zones.map(({ id }) => id).toSorted()).toEqual(["livingroom-front-door-status", "livingroom-pir"]);
  });
});
