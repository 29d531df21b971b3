import { readFileSync } from "node:fs";
import type { MqttClient } from "mqtt";
import { afterEach, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { describeWithMosquitto } from "../support/mosquitto.ts";
import { MqttSite } from "../support/mqtt-site.ts";
import { zoneOf } from "../support/monitored-zones.ts";

/*
 * The shipped Mosquitto settings, each shown by the loss without it. A power cut is a SIGKILL here: data that
 * the broker has passed to the kernel survives, so the disk is not tested.
 */

const SHIPPED = readFileSync(new URL("../../systemd/mosquitto/santinela.conf", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));
/** Mosquitto with the settings of Debian. */
const AS_IT_COMES = ["persistence true"];

const DOOR = zoneOf({ input: { mqtt: "door", open: ["ON"], normal: ["OFF"] } });

describeWithMosquitto("a Mosquitto with the shipped settings", () => {
  let sensor: MqttClient;
  let site: MqttSite;
  afterEach(() => site.end());

  async function installed(settings: readonly string[]): Promise<void> {
    site = await MqttSite.make([DOOR], settings);
    ({ sensor } = site);
    await site.listen();
    await sensor.publishAsync("door", "OFF", { qos: 1 });
    await eventually("the first reading", () => contact() === "normal");
  }

  function contact(): string | undefined {
    return site.monitor.zones()[0]?.contact;
  }

  /** The machine has no power for two minutes while a QoS 0 sensor reports an opening and a closing. */
  async function openAndCloseWhileAway(): Promise<void> {
    await site.readings.stop();
    site.losePower(120_000);
    // A response of the broker shows that it has detected the disconnect; before, QoS 0 messages would be lost.
    await sensor.publishAsync("elsewhere", "", { qos: 1 });
    await sensor.publishAsync("door", "ON");
    await sensor.publishAsync("door", "OFF");
    await sensor.publishAsync("elsewhere", "", { qos: 1 });
    await site.listen();
    // After all queued messages.
    await sensor.publishAsync("door", "OFF", { qos: 1 });
    await sensor.publishAsync("door", "ON", { qos: 1 });
    await eventually("the last opening", () => contact() === "open");
  }

  test("keeps QoS 0 messages of sensors during a restart of the daemon", async () => {
    await installed(SHIPPED);
    await openAndCloseWhileAway();
    expect(site.trips).toHaveLength(2);
  });

  test("is required for that: Mosquitto with default settings loses the opening, and only the monitoring gap is known", async () => {
    await installed(AS_IT_COMES);
    await openAndCloseWhileAway();
    expect(site.trips).toHaveLength(1);
    expect(site.events).toMatchObject([{ event: "blind-interval", subject: "every zone" }]);
  });

  test("is not required for retained messages: a door found open is one trip", async () => {
    await installed(AS_IT_COMES);
    await site.readings.stop();
    site.losePower(120_000);
    await sensor.publishAsync("door", "ON", { retain: true });
    await sensor.publishAsync("elsewhere", "", { qos: 1 });
    await site.listen();
    await eventually("the trip", () => site.trips.length === 1);
    expect(site.trips[0]?.cause).toBe("after-restart");
    await site.readings.stop();
    site.restart();
    await site.listen();
    await sensor.publishAsync("door", "OFF", { qos: 1 });
    await eventually("the closing", () => contact() === "normal");
    expect(site.trips).toHaveLength(1);
  });

  test("keeps them across its own power cut", async () => {
    await installed(SHIPPED);
    await site.readings.stop();
    site.restart();
    await sensor.publishAsync("door", "ON", { qos: 1 });
    // The broker stores changes after each turn: another response shows that the opening is stored.
    await sensor.publishAsync("door", "OFF", { qos: 1 });
    await sensor.publishAsync("door", "OFF", { qos: 1 });
    await site.broker.kill();
    await site.broker.startAgain();
    await site.listen();
    await eventually("the trip", () => site.trips.length === 1);
  });

  test("keeps more than the default thousand messages, and the alarm after them", async () => {
    await installed(SHIPPED);
    await site.readings.stop();
    site.restart();
    for (let batch = 0; batch < 12; batch += 1)
      await Promise.all(Array.from({ length: 100 }, () => sensor.publishAsync("door", "OFF", { qos: 1 })));
    await sensor.publishAsync("door", "ON", { qos: 1 });
    await site.listen();
    await eventually("the last alarm", () => site.trips.length === 1);
  });
});
