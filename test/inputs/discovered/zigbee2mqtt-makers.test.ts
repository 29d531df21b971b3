import { describe, expect, test } from "vitest";
import { expectProposed, foundIn } from "../../support/device-scenarios.ts";
import { NO_SENSORS, ZIGBEE_DEVICES } from "../../support/zigbee2mqtt-devices.ts";
import { bridged } from "../../support/zigbee2mqtt-messages.ts";

describe("at zigbee2mqtt", () => {
  test.each(ZIGBEE_DEVICES)("%s trips, restores and reports its faults as it is proposed", (_title, device) =>
    expectProposed(device),
  );

  test.each(NO_SENSORS)("%s is listed without a zone", (_title, description, exposes) => {
    const { devices, zones } = foundIn({ announced: bridged("ceva", { description, exposes }) });
    expect([devices.map(({ name }) => name), zones]).toEqual([["ceva"], []]);
  });
});
