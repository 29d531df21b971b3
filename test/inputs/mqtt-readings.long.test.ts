import type { MqttClient } from "mqtt";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { MqttReadings } from "../../src/inputs/mqtt-readings.ts";
import { startScriptedBroker } from "../support/scripted-broker.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/loopback.ts";
import { describeWithMosquitto, startMosquitto, type Mosquitto } from "../support/mosquitto.ts";
import { readingsOf } from "../support/mqtt-readings.ts";
import { MqttSite } from "../support/mqtt-site.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

const GATE = zoneOf({
  id: "gate",
  input: { mqtt: "zigbee2mqtt/gate", path: "/contact", open: [false], normal: [true] },
});
const SMOKE = zoneOf({ id: "smoke", kind: "fire", input: { mqtt: "smoke", open: ["ON"] } });
const LOCK = zoneOf({ id: "lock", input: { mqtt: "zigbee2mqtt/gate", path: "/lock", open: ["unlocked"] } });

describeWithMosquitto("an external broker", () => {
  let broker: Mosquitto;
  let sensor: MqttClient;
  let site: MqttSite;

  beforeEach(async () => {
    site = await MqttSite.make([GATE, LOCK, SMOKE]);
    ({ broker, sensor } = site);
  });
  afterEach(() => site.end());

  function publish(payload: unknown, options: { retain?: boolean } = {}): Promise<unknown> {
    return sensor.publishAsync(GATE_TOPIC, JSON.stringify(payload), { qos: 1, ...options });
  }

  test("a gate that opens is one trip, however often its message is delivered", async () => {
    await site.listen();
    for (const contact of [true, false, false, false]) await publish({ contact });
    await publish({ contact: true });
    await eventually("the gate to be closed again", () => site.contactOf("gate") === "normal");
    expect(site.trips).toHaveLength(1);
  });

  test("one message feeds every zone of its topic", async () => {
    await site.listen();
    await publish({ contact: true, lock: "locked" });
    await publish({ contact: false, lock: "unlocked" });
    await eventually("both trips", () => site.trips.length === 2);
    expect(site.trips.map(({ zoneId }) => zoneId)).toEqual(["gate", "lock"]);
  });

  test("a trip that cannot be recorded is not acknowledged, and is delivered again until it is", async () => {
    await site.listen();
    await publish({ contact: true });
    await eventually("the first reading", () => site.contactOf("gate") === "normal");
    site.breakJournal();
    await publish({ contact: false });
    await eventually("the failure", () => site.logged("mqtt-message-write-failed").length === 1);
    expect(site.conditions).toContain("journal-write-failed");

    // The client reconnects, and the broker sends the same message.
    site.clock.advance(1000);
    await eventually("the second failure", () => site.logged("mqtt-message-write-failed").length === 2);
    site.repairJournal();
    site.clock.advance(20_000);
    await eventually("the trip", () => site.trips.length === 1);
    expect(site.conditions).toEqual([]);

    // It is acknowledged now: another daemon with the same client id no longer receives it.
    await site.readings.stop();
    site.restart();
    await site.listen();
    await publish({ contact: true });
    await eventually("the gate to be closed again", () => site.contactOf("gate") === "normal");
    expect(site.trips).toHaveLength(1);
  });

  test("events during the absence of the daemon are kept at the broker, also across a power cut of the broker", async () => {
    await site.listen();
    await publish({ contact: true });
    await eventually("the first reading", () => site.contactOf("gate") === "normal");
    await site.readings.stop();
    site.restart();
    await publish({ contact: false });
    await publish({ contact: true });
    // The broker stores changes after each turn, so another response shows that both are stored.
    await publish({ contact: true });
    await broker.kill();
    await broker.startAgain();
    await eventually("the sensor to be back", () => sensor.connected);

    await site.newReadings().start();
    await eventually("the trip", () => site.trips.length === 1);
    await eventually("the gate to be closed again", () => site.contactOf("gate") === "normal");
    expect(site.trips[0]?.cause).toBe("after-restart");
  });

  test("a retained value is not live: a retained fire does not trip at the first reading", async () => {
    await sensor.publishAsync("smoke", "ON", { qos: 1, retain: true });
    await site.listen();
    await eventually("the first reading", () => site.contactOf("smoke") === "open");
    expect(site.trips).toHaveLength(0);
  });

  test("a broker outage is a condition, and the client reconnects", async () => {
    await site.listen();
    await broker.kill();
    await eventually("the condition", () => site.conditions.includes("mqtt-unreachable"));
    await broker.startAgain();
    await eventually("the connection", () => site.conditions.length === 0);
    await eventually("the subscription", () => site.logged("mqtt-subscribed").length === 2);
    await eventually("the sensor to be back", () => sensor.connected);
    await publish({ contact: true });
    await eventually("the first reading", () => site.contactOf("gate") === "normal");
  });

  test("malicious and invalid messages are counted, logged once a minute, and harmless", async () => {
    await site.listen();
    await publish({ contact: true });
    for (const payload of [
      "{",
      "",
      "x".repeat(300_000),
      '{"__proto__":{"contact":false}}',
      '{"contact":[false]}',
    ])
      await sensor.publishAsync(GATE_TOPIC, payload, { qos: 1 });
    await sensor.publishAsync(GATE_TOPIC, Buffer.from([0xff, 0xfe]), { qos: 1 });
    site.clock.advance(60_000);
    await sensor.publishAsync(GATE_TOPIC, "{", { qos: 1 });
    await publish({ contact: false });
    await eventually("the trip", () => site.trips.length === 1);
    const complaints = site.logged("mqtt-payload-rejected");
    expect(complaints.length).toBeLessThanOrEqual(2);
    expect(complaints[0]).toMatchObject({ topic: GATE_TOPIC, level: "warn", refused: 1 });
  });
});

describeWithMosquitto("a broker that keeps something from us", () => {
  let broker: Mosquitto | undefined;
  let site: MonitoredZones;
  let readings: MqttReadings;
  afterEach(async () => {
    await readings.stop();
    await broker?.stop();
  });

  test("that is unreachable is a condition and does not prevent the start", async () => {
    site = MonitoredZones.forTest([GATE]);
    readings = readingsOf(site, `mqtt://127.0.0.1:${await freePort()}/`);
    await readings.start();
    await eventually("the condition", () => site.conditions.includes("mqtt-unreachable"));
    expect(site.health.list()[0]?.text).toMatch(
      /^the MQTT broker 127\.0\.0\.1:\d+ is .*ECONNREFUSED.*mqtt\.url/,
    );
  });

  test("that rejects the password is named in the condition", async () => {
    broker = await startMosquitto(["allow_anonymous false"]);
    site = MonitoredZones.forTest([GATE]);
    readings = readingsOf(site, broker.url, { credentials: { username: "edge", password: "wrong" } });
    await readings.start();
    await eventually("the condition", () => site.conditions.includes("mqtt-unreachable"));
    await eventually("the reason", () => /authori[sz]ed/i.test(site.health.list()[0]?.text ?? ""));
  });
});

describe("a broker with access rules", () => {
  test("that rejects the topic of a zone is a condition that names the topic", async () => {
    const broker = await startScriptedBroker({
      authorizeSubscribe: (_client, subscription, done) =>
        done(null, subscription.topic === GATE_TOPIC ? null : subscription),
    });
    const open = zoneOf({ id: "open", input: { mqtt: "allowed", open: ["ON"] } });
    const site = MonitoredZones.forTest([open, GATE]);
    const readings = readingsOf(site, broker.url);
    await readings.start();
    await eventually("the condition", () => site.conditions.includes("mqtt-subscription-refused"));
    expect(site.health.list()[0]?.text).toMatch(/read access to zigbee2mqtt\/gate\./);
    await readings.stop();
    await broker.stop();
  });
});

const GATE_TOPIC = "zigbee2mqtt/gate";
