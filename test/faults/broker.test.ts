import { createServer } from "node:net";
import type { Socket } from "node:net";
import { connectAsync, type MqttClient } from "mqtt";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { Installation, interventionsOf } from "../support/installation.ts";
import { close, listen } from "../support/loopback.ts";
import { describeWithMosquitto, startMosquitto, type Mosquitto } from "../support/mosquitto.ts";
import { readingsOf } from "../support/mqtt-readings.ts";
import { MqttSite } from "../support/mqtt-site.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

/*
 * Faults of MQTT and Mosquitto between a sensor and the journal; each test is named after the fault. A power
 * cut of the broker, its queue of a thousand messages, and late or lost acknowledgements are in
 * test/inputs/mqtt-broker-settings.test.ts and message-deduplication.test.ts.
 */

/** Maximum number of unacknowledged messages of Mosquitto; then it waits indefinitely. */
const IN_FLIGHT_MAX = 20;
const ZONES = Array.from({ length: IN_FLIGHT_MAX + 15 }, (_, index) =>
  zoneOf({ id: `gate-${index}`, input: { mqtt: `gate/${index}`, open: ["ON"], normal: ["OFF"] } }),
);

describeWithMosquitto("a journal that takes nothing for a while", () => {
  let site: MqttSite;

  beforeEach(async () => {
    site = await MqttSite.make(ZONES);
    await site.listen();
    await everyGate("OFF");
    await eventually("every gate to be seen closed", () => contacts("normal") === ZONES.length);
  });
  afterEach(() => site.end());

  const contacts = (wanted: string): number =>
    ZONES.filter(({ id }) => site.journal.zoneStates.find(id)?.contact === wanted).length;

  async function everyGate(payload: string): Promise<void> {
    await Promise.all(ZONES.map((_zone, index) => site.publish(`gate/${index}`, payload)));
  }

  /** Advances past the reconnect delay until there is another connection. */
  async function nextConnection(): Promise<void> {
    const before = site.logged("mqtt-connected").length;
    await eventually("another connection", () => {
      site.clock.advance(1_000);
      return site.logged("mqtt-connected").length > before;
    });
  }

  test("more pending messages than the in-flight limit of the broker stop no sensor permanently", async () => {
    site.breakJournal();
    await everyGate("ON");
    await eventually("the failure", () => site.conditions.includes("journal-write-failed"));
    // Neither an error for the client library nor silence makes the broker send them again on this connection.
    await nextConnection();
    await nextConnection();
    expect(site.trips).toEqual([]);
    site.repairJournal();
    // With another connection, unless the messages of the present one arrive only now.
    await eventually("every trip", () => {
      site.clock.advance(1_000);
      return site.trips.length === ZONES.length;
    });
    expect(new Set(site.trips.map(({ zoneId }) => zoneId)).size).toBe(ZONES.length);
    await eventually("the condition to be over", () => site.conditions.length === 0);
  });
});

describeWithMosquitto("a daemon that dies between the journal's commit and the acknowledgement", () => {
  let installation: Installation;
  let broker: Mosquitto;
  let sensor: MqttClient;

  beforeEach(async () => {
    installation = new Installation();
    broker = await startMosquitto();
    sensor = await connectAsync(broker.url);
  });
  afterEach(async () => {
    await sensor.endAsync(true);
    await installation.remove();
    await broker.stop();
  });

  test("a message delivered again results in one intervention", async () => {
    const site = installation.daemon(
      "site",
      `http: { port: 0 }\nmqtt: { url: "${broker.url}" }\ngpio: { backend: simulated }\nobjectives: { obiective/cladiri: [{ id: 1, name: Hall }] }\nzones:\n  - { id: gate, name: Gate, kind: perimeter, objective: { type: obiective/cladiri, id: 1 }, input: { mqtt: gate, open: ["ON"], normal: ["OFF"] } }\n`,
    );
    await site.start({ ...process.env, SANTINELA_FAILPOINT: "journal-committed" });
    const contact = async (): Promise<string | undefined> =>
      (await site.get<{ contact: string }[]>("/site/zones"))[0]?.contact;
    await eventually("a closed reading of the gate", async () => {
      await sensor.publishAsync("gate", "OFF", { qos: 1 });
      return (await contact()) === "normal";
    });
    await sensor.publishAsync("gate", "ON", { qos: 1 });
    await site.exited();
    await site.start();
    await eventually("the intervention", async () => (await interventionsOf(site)).length === 1);
    // After the messages queued at the broker.
    await sensor.publishAsync("gate", "OFF", { qos: 1 });
    await eventually("the closing", async () => (await contact()) === "normal");
    expect(await interventionsOf(site)).toHaveLength(1);
    expect(await site.get<object[]>("/site/trips")).toHaveLength(1);
  });
});

describe("the MQTT protocol version", () => {
  test("is 3.1.1 with a persistent session: an MQTT 5 response could make the broker drop a message that was not recorded", async () => {
    const sockets = new Set<Socket>();
    let welcome: Buffer | undefined;
    const broker = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => "the client ends it");
      socket.once("data", (bytes) => (welcome = bytes));
    });
    const port = await listen(broker);
    const site = new MonitoredZones(ZONES.slice(0, 1));
    const readings = readingsOf(site, `mqtt://127.0.0.1:${port}`);
    await readings.start();
    const packet = await eventually("the CONNECT", () => welcome);
    await readings.stop();
    site.close();
    for (const socket of sockets) socket.destroy();
    await close(broker);
    // Fixed header, length, "MQTT", level, flags (MQTT 3.1.1, 3.1.2): clean session is bit 1.
    expect(packet.subarray(4, 8).toString()).toBe("MQTT");
    expect(packet[8]).toBe(4);
    expect((packet[9] ?? 0) & 0b10).toBe(0);
  });
});
