import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { describeWithMosquitto } from "../support/mosquitto.ts";
import { MqttSite } from "../support/mqtt-site.ts";
import { zoneOf } from "../support/monitored-zones.ts";

const GATE = zoneOf({
  id: "gate",
  input: { mqtt: "zigbee2mqtt/backgate", path: "/contact", open: [false], normal: [true] },
  bridge: { mqtt: "zigbee2mqtt/bridge/state" },
});

describeWithMosquitto("the list of a bridge at an external broker", () => {
  let site: MqttSite;

  beforeEach(async () => {
    site = await MqttSite.make([GATE]);
  });
  afterEach(() => site.end());

  /** @param name of the sensor. @param bytes size of the whole list, as of a network with many devices */
  const publishList = (name: string, bytes: number): Promise<unknown> => {
    const exposes = "x".repeat(bytes);
    const devices = [
      { ieee_address: "0x00", friendly_name: "Coordinator", definition: { exposes } },
      { ieee_address: "0x01", friendly_name: name },
    ];
    return site.sensor.publishAsync("zigbee2mqtt/bridge/devices", JSON.stringify(devices), {
      qos: 1,
      retain: true,
    });
  };

  test.each([10_000, 100_000, 1_000_000])("is read with %i bytes", async (bytes) => {
    await publishList("backgate", bytes);
    await site.listen();
    await publishList("poarta", bytes);
    await eventually("the new name", () => site.conditions.includes("mqtt-device-renamed/gate"));
    await site.publish("zigbee2mqtt/backgate", '{"contact":true}');
    await eventually("a message of the sensor", () => site.contactOf("gate") === "normal");
    expect(site.conditions).toEqual([]);
  });

  test("that was retained before the start is read", async () => {
    await publishList("poarta", 500_000);
    await site.listen();
    await eventually("the missing sensor", () => site.conditions.includes("mqtt-device-removed/gate"));
  });
});
