import { expect, test } from "vitest";
import { MqttZones } from "../../src/inputs/mqtt-zones.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

/* A retained message that newer ones do not replace must not be read as the present state. */

const HALL = zoneOf({
  id: "hall",
  input: { mqtt: "hall", open: ["open"], normal: ["closed"] },
  gate: { mqtt: "keypads/+", open: ["armed"], normal: ["disarmed"] },
});

test("an old message that disarms leaves its keypad armed, whatever another keypad reports", async () => {
  const site = MonitoredZones.forTest([HALL]);
  const zones = new MqttZones(site.common);
  const send = (topic: string, text: string, age = { isRetained: false, isStale: false }): Promise<void> =>
    zones.deliver({ topic, payload: Buffer.from(text), ...age });
  const isDisarmed = (): boolean => site.zoneService.zoneOverrides.gates.isClosed(HALL);
  await send("keypads/front", "armed");
  await send("keypads/front", "disarmed", { isRetained: true, isStale: true });
  await send("keypads/back", "disarmed");
  expect(isDisarmed()).toBe(false);
  await send("keypads/front", "disarmed");
  expect(isDisarmed()).toBe(true);
});
