import { describe, expect, test } from "vitest";
import { expectProposed, foundIn, type Message } from "../../support/device-scenarios.ts";
import { BOARD, BRIDGED_DEVICES } from "../../support/home-assistant-bridges.ts";

describe("announced for Home Assistant,", () => {
  test.each(BRIDGED_DEVICES)(
    "%s trips, restores and reports its faults as it is proposed",
    (_title, device) => expectProposed(device),
  );

  test("devices that have only an address are not one device", () => {
    const at = (mac: string): Message => [
      `homeassistant/binary_sensor/${mac}/config`,
      { dev_cla: "door", dev: { cns: [["mac", mac]], name: "BLE" }, stat_t: `gw/${mac}`, name: null },
    ];
    expect(foundIn({ announced: [at("AA1"), at("BB2")] }).devices.map(({ id }) => id)).toEqual([
      "AA1",
      "BB2",
    ]);
  });

  test("sirens, switches, links and measurements are no zones", () => {
    expect(foundIn({ announced: BOARD }).zones.map(({ id }) => id)).toEqual([
      "placa-usa",
      "placa-miscare-hol",
    ]);
  });
});
