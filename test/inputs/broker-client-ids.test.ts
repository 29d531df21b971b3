import { connectAsync } from "mqtt";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BuiltInBroker } from "../../src/inputs/built-in-broker.ts";
import { MqttZones } from "../../src/inputs/mqtt-zones.ts";
import { brokerPort, builtInBrokerOf } from "../support/built-in-broker.ts";
import { eventually } from "../support/eventually.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

/* Names that a client chooses are kept with each of its messages, so their length is limited. */

const TOPIC = "zigbee2mqtt/gate";
const OPEN = '{"contact":false}';
const CLOSED = '{"contact":true}';
const GATE = zoneOf({
  id: "gate",
  input: { mqtt: TOPIC, path: "/contact", open: [false], normal: [true] },
});
const YARD = zoneOf({
  id: "yard",
  input: { mqtt: "yard/#", path: "/contact", open: [false], normal: [true] },
});
const PASSWORD = "0123456789abcdef";

let site: MonitoredZones;
let broker: BuiltInBroker | undefined;

beforeEach(() => {
  site = MonitoredZones.forTest([GATE, YARD]);
});
afterEach(() => broker?.stop());

async function start(): Promise<void> {
  broker = builtInBrokerOf(site, {
    accounts: [{ username: "zigbee", password: PASSWORD }],
  });
  await broker.start();
}

async function publish(clientId: string, topic: string, payload: string): Promise<void> {
  const url = `mqtt://127.0.0.1:${brokerPort(site)}`;
  const credentials = { username: "zigbee", password: PASSWORD };
  const client = await connectAsync(url, { clientId, reconnectPeriod: 0, ...credentials }, false);
  try {
    await client.publishAsync(topic, payload, { qos: 1 });
  } finally {
    await client.endAsync(true);
  }
}

function storedIds(): readonly string[] {
  return site.database.prepare<[], string>("SELECT session FROM taken_messages").pluck().all();
}

describe("the client id of a sensor", () => {
  test.each([
    ["of 64 KiB", "\u0001".repeat(65_535)],
    ["of more than 256 bytes in fewer characters", "ș".repeat(129)],
  ])("%s is rejected with the reason, and the address is a condition", async (_size, clientId) => {
    await start();
    await expect(publish(clientId, TOPIC, OPEN)).rejects.toMatchObject({
      code: 2,
    });
    await eventually("the condition", () => site.conditions.length > 0);
    expect(site.conditions).toEqual(["mqtt-broker-at-limit/client-id"]);
    expect(site.health.list()[0]?.text).toContain("127.0.0.1");
    expect(site.trips).toEqual([]);
  });

  test("of 256 bytes is accepted, and its opening is one trip", async () => {
    await start();
    await publish("x".repeat(256), TOPIC, CLOSED);
    await publish("x".repeat(256), TOPIC, OPEN);
    expect(site.trips).toHaveLength(1);
    expect(storedIds()).toContain(`${"x".repeat(256)}@zigbee`);
  });

  test("that an earlier release stored is deleted at the start if no client can have it, as are the oldest", () => {
    const add = site.database.prepare(
      "INSERT INTO taken_messages(session, packet_id, zone_id, hash, at_wall) VALUES(?, ?, 'gate', 'hash', ?)",
    );
    site.database.transaction(() => {
      for (let id = 1; id <= 5_000; id += 1) add.run("sensor@zigbee", id, id);
      for (let id = 1; id <= 20; id += 1) add.run(`\0${"x".repeat(65_000)}`, id, 10_000);
    })();
    const zones = new MqttZones(site.common);
    expect(zones.filters).toEqual([TOPIC, "yard/#"]);
    expect(new Set(storedIds())).toEqual(new Set(["sensor@zigbee"]));
    expect(storedIds()).toHaveLength(4_096);
    expect(site.database.prepare("SELECT min(packet_id) FROM taken_messages").pluck().get()).toBe(905);
  });

  test("that cannot be deleted because of a full disk does not prevent the start", () => {
    site.database
      .prepare("INSERT INTO taken_messages VALUES(?, 1, 'gate', 'hash', 1)")
      .run("x".repeat(65_000));
    site.breakJournal();
    expect(new MqttZones(site.common).filters).toEqual([TOPIC, "yard/#"]);
    expect(site.logged("mqtt-deduplication-purge-failed")).toHaveLength(1);
  });
});

describe("the topic of a message", () => {
  test("of more than 1,024 characters concerns no zone, and is counted in short form", async () => {
    await start();
    await publish("sensor", `yard/${"x".repeat(2_000)}`, CLOSED);
    await publish("sensor", `yard/${"x".repeat(2_000)}`, OPEN);
    expect(site.contactOf("yard")).toBe("unknown");
    expect(site.trips).toEqual([]);
    const [rejected] = site.logged("mqtt-payload-rejected");
    expect(rejected).toMatchObject({
      reason: "topic-too-long",
      topic: `yard/${"x".repeat(195)}`,
    });
  });

  test("of 1,024 characters is read", async () => {
    await start();
    await publish("sensor", `yard/${"x".repeat(1_019)}`, CLOSED);
    expect(site.contactOf("yard")).toBe("normal");
  });
});
