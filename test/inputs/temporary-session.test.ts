import { connect } from "mqtt";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { describeWithMosquitto } from "../support/mosquitto.ts";
import { readingsOf } from "../support/mqtt-readings.ts";
import { MqttSite } from "../support/mqtt-site.ts";
import { zoneOf } from "../support/monitored-zones.ts";

const DOOR = zoneOf({ id: "door", input: { mqtt: "door", open: ["open"], normal: ["closed"] } });
const TEMPORARY = "santinela-0123456789ab";

describeWithMosquitto("the session of a temporary client id", () => {
  let site: MqttSite;
  beforeEach(async () => {
    site = await MqttSite.make([DOOR]);
  });
  afterEach(() => site.end());

  async function hasSession(): Promise<boolean> {
    const client = connect(site.broker.url, { clientId: TEMPORARY, clean: false, reconnectPeriod: 0 });
    const isPresent = await new Promise<boolean>((resolve, reject) => {
      client.once("connect", ({ sessionPresent }) => resolve(sessionPresent));
      client.once("error", reject);
    });
    await client.endAsync();
    return isPresent;
  }

  /** @param noted whether a later start would know the client id */
  async function start(noted: boolean): Promise<void> {
    const ids = new Set(noted ? [TEMPORARY] : []);
    const formerSessions = { list: () => [...ids], remove: (id: string) => void ids.delete(id) };
    const more = { clientId: TEMPORARY, isTemporary: true, formerSessions };
    site.readings = readingsOf(site, site.broker.url, more);
    await site.readings.start();
    await eventually("the subscription", () => site.logged("mqtt-subscribed").length > 0);
  }

  test("ends with the connection if no later start would know of it", async () => {
    await start(false);
    await site.broker.kill();
    await site.readings.stop();
    await site.broker.startAgain();
    expect(await hasSession()).toBe(false);
  });

  test("is continued after an interruption if a later start would end it: the trip of that time is recorded", async () => {
    await start(true);
    await site.publish("door", "closed");
    await eventually("the first reading", () => site.contactOf("door") === "normal");
    await site.broker.kill();
    await site.broker.startAgain();
    await eventually("the sensor", () => site.sensor.connected);
    await site.publish("door", "open");
    await eventually("the trip", () => site.trips.length === 1);
    await site.readings.stop();
    expect(await hasSession()).toBe(false);
  });
});
