import { createServer, type Server, type Socket } from "node:net";
import { generate, parser, type Packet } from "mqtt-packet";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SystemClock } from "../../src/ops/system-clock.ts";
import { DiscoverySession } from "../../src/inputs/discovery-session.ts";
import type { MqttReadings } from "../../src/inputs/mqtt-readings.ts";
import { leftOutBytes, OversizedPayloads } from "../../src/inputs/oversized-payloads.ts";
import { PACKET_BYTES_MAX } from "../../src/inputs/packet-size-limit.ts";
import { eventually } from "../support/eventually.ts";
import { close, listen } from "../support/loopback.ts";
import { describeWithMosquitto } from "../support/mosquitto.ts";
import { readingsOf } from "../support/mqtt-readings.ts";
import { MqttSite } from "../support/mqtt-site.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

/* A message that is far too large is neither held in memory nor does it hold up the messages behind it. */

const GATE = zoneOf({ id: "gate", input: { mqtt: "gate", path: "/contact", open: [false], normal: [true] } });
const YARD = zoneOf({ id: "yard", input: { mqtt: "yard", path: "/contact", open: [false], normal: [true] } });
const MEBIBYTE = 1024 * 1024;

describe("an external broker with a message of 200 MiB", () => {
  let site: MonitoredZones;
  let broker: Server;
  let connections: Socket[];
  let readings: MqttReadings;
  let received: Packet[];
  /** Memory outside the heap, sampled while the message arrives. */
  let peakBytes: number;

  beforeEach(async () => {
    site = MonitoredZones.forTest([GATE, YARD]);
    [connections, received, peakBytes] = [[], [], 0];
    broker = createServer((socket) => serve(socket));
    readings = readingsOf(site, `mqtt://127.0.0.1:${await listen(broker)}`);
  });
  afterEach(async () => {
    await readings.stop();
    for (const socket of connections) socket.destroy();
    await close(broker);
  });

  function serve(socket: Socket): void {
    connections.push(socket);
    socket.on("error", () => "the client ends it on purpose");
    const packets = parser({ protocolVersion: 4 });
    packets.on("packet", (packet: Packet) => {
      received.push(packet);
      if (packet.cmd === "connect")
        socket.write(generate({ cmd: "connack", returnCode: 0, sessionPresent: false }));
      if (packet.cmd !== "subscribe") return;
      const { subscriptions, messageId = 0 } = packet;
      socket.write(generate({ cmd: "suback", messageId, granted: subscriptions.map(() => 1) }));
      if (subscriptions.some(({ topic }) => topic === "gate")) void send(socket);
    });
    socket.on("data", (chunk) => packets.parse(chunk));
  }

  /** A retained message of 200 MiB, and readings of both zones behind it. */
  async function send(socket: Socket): Promise<void> {
    const payload = Buffer.alloc(MEBIBYTE, "x");
    const restBytes = 200 * MEBIBYTE;
    const lengthBytes = 2 + "gate".length + 2 + restBytes;
    socket.write(
      Buffer.from([
        0x33,
        ...[0, 7, 14, 21].map((bits) => ((lengthBytes >> bits) & 0x7f) | (bits < 21 ? 0x80 : 0)),
      ]),
    );
    socket.write(Buffer.concat([Buffer.from([0, 4]), Buffer.from("gate"), Buffer.from([0, 1])]));
    for (let sent = 0; sent < restBytes && !socket.destroyed; sent += payload.length) {
      await new Promise<unknown>((resolve) => {
        socket.write(payload, resolve);
      });
      peakBytes = Math.max(peakBytes, process.memoryUsage().arrayBuffers);
    }
    for (const [index, topic] of ["yard", "gate"].entries())
      socket.write(publish(topic, index + 2, '{"contact":true}'));
  }

  function publish(topic: string, messageId: number, payload: string): Buffer {
    return generate({ cmd: "publish", topic, payload, messageId, qos: 1, dup: false, retain: false });
  }

  test("counts it, acknowledges it in its turn, and reads the messages behind it, without holding it in memory", async () => {
    const restBytes = process.memoryUsage().arrayBuffers;
    await readings.start();
    await eventually(
      "both zones",
      () => site.contactOf("gate") === "normal" && site.contactOf("yard") === "normal",
      60_000,
    );
    const acknowledged = (): unknown[] =>
      received.flatMap((packet) => (packet.cmd === "puback" ? [packet.messageId] : []));
    await eventually("the acknowledgements", () => acknowledged().length === 3);
    expect(acknowledged()).toEqual([1, 2, 3]);
    expect(connections).toHaveLength(1);
    expect(site.logged("mqtt-payload-rejected")).toMatchObject([
      { topic: "gate", reason: "too-large", sizeBytes: 200 * MEBIBYTE },
    ]);
    expect(site.trips).toEqual([]);
    expect((peakBytes - restBytes) / MEBIBYTE).toBeLessThan(64);
    // Meanwhile no answer to a ping can arrive, so each 64 KiB count as one.
    expect(received.filter(({ cmd }) => cmd === "pingreq").length).toBeGreaterThan(100);
  });
});

describeWithMosquitto("a message of 3 MiB at Mosquitto", () => {
  let site: MqttSite;
  const giant = Buffer.alloc(3 * MEBIBYTE, "x");

  beforeEach(async () => {
    site = await MqttSite.make([GATE, YARD]);
  });
  afterEach(() => site.end());

  test("that is retained on the topic of a zone is counted at each connection, and all zones are read", async () => {
    await site.sensor.publishAsync("gate", giant, { qos: 1, retain: true });
    await site.listen();
    await site.publish("yard", '{"contact":true}');
    await site.publish("yard", '{"contact":false}');
    await eventually("the trip", () => site.trips.length === 1);
    await site.publish("gate", '{"contact":true}');
    await site.publish("gate", '{"contact":false}');
    await eventually("the trip of the zone itself", () => site.trips.length === 2);
    expect(site.logged("mqtt-payload-rejected")).toMatchObject([{ topic: "gate", sizeBytes: giant.length }]);
    expect(site.conditions).toEqual([]);
  });

  test("that waits in the session is acknowledged once, and the messages after it are read", async () => {
    await site.listen();
    await site.publish("gate", '{"contact":true}');
    await eventually("the first reading", () => site.contactOf("gate") === "normal");
    await site.readings.stop();
    await site.sensor.publishAsync("gate", giant, { qos: 1 });
    await site.publish("gate", '{"contact":false}');
    await site.listen();
    await eventually("the trip", () => site.trips.length === 1);
    await site.readings.stop();
    const before = site.logged("mqtt-payload-rejected").length;
    await site.listen();
    await site.publish("gate", '{"contact":true}');
    await eventually("the closing", () => site.contactOf("gate") === "normal");
    expect(before).toBe(1);
    expect(site.logged("mqtt-payload-rejected")).toHaveLength(1);
  });

  test("is left out of the devices that are found, which are listed all the same", async () => {
    await site.sensor.publishAsync("zigbee2mqtt/bridge/devices", giant, { qos: 1, retain: true });
    await site.sensor.publishAsync("shop/door", "ON", { qos: 1, retain: true });
    const discovery = { prefix: "homeassistant", replyTo: "santinela-test", own: "santinela" };
    const session = new DiscoverySession({
      broker: { url: site.broker.url },
      clock: new SystemClock(),
      discovery,
    });
    await session.start();
    try {
      await eventually("both", () => session.messages.all().length === 1 && session.messages.left >= 1);
      expect(session.messages.all().map(({ topic }) => topic)).toEqual(["shop/door"]);
      expect(session.messages.unreadAnnouncements).toBe(1);
    } finally {
      await session.stop();
    }
  });
});

describe("the bytes of a broker", () => {
  test("are the same packets in whatever pieces they arrive, and only payloads over the limit are left out", () => {
    const random = seededRandom(7);
    for (let round = 0; round < 60; round += 1) {
      const sent = Array.from({ length: 12 }, (_, index) => packetOf(random, index + 1));
      const bytes = Buffer.concat(sent.map((packet) => generate(packet)));
      const payloads = new OversizedPayloads();
      const passed: Buffer[] = [];
      for (let at = 0; at < bytes.length;) {
        const length = 1 + Math.floor(random() * (random() < 0.5 ? 4 : 200_000));
        passed.push(...payloads.take(bytes.subarray(at, at + length)).map((part) => Buffer.from(part)));
        at += length;
      }
      expect(packetsOf(Buffer.concat(passed)).map(shortened)).toEqual(packetsOf(bytes).map(shortened));
    }
  });

  test.each([
    ["a packet over the limit that is not a message", [0x90, 0xff, 0xff, 0x7f]],
    ["a length without end", [0x30, 0xff, 0xff, 0xff, 0xff, 0x01]],
  ])("with %s end the connection", (_what, bytes) => {
    expect(() => new OversizedPayloads().take(Buffer.from(bytes))).toThrow("check that it is an MQTT broker");
  });

  test("may be a message without a topic", () => {
    const payloads = new OversizedPayloads();
    const bytes = Buffer.concat([Buffer.from([0x30, 0x82, 0x80, 0x40, 0, 0]), Buffer.alloc(MEBIBYTE)]);
    const parts = payloads.take(bytes);
    expect(Buffer.concat(parts).subarray(0, 4)).toEqual(Buffer.from([0x30, 35, 0, 0]));
  });
});

function packetOf(random: () => number, messageId: number): Packet {
  if (random() < 0.3) return { cmd: "pingresp" };
  const size =
    random() < 0.3 ? PACKET_BYTES_MAX + Math.floor(random() * 100_000) : Math.floor(random() * 300);
  const topic = "t".repeat(1 + Math.floor(random() * (random() < 0.2 ? 60_000 : 20)));
  const qos = ([0, 1, 2] as const)[Math.floor(random() * 3)] ?? 0;
  const flags = { dup: qos > 0 && random() < 0.5, retain: random() < 0.5 };
  return { cmd: "publish", topic, qos, messageId, payload: Buffer.alloc(size, "p"), ...flags };
}

function packetsOf(bytes: Buffer): Packet[] {
  const packets: Packet[] = [];
  const reader = parser({ protocolVersion: 4 });
  reader.on("packet", (packet: Packet) => packets.push(packet));
  reader.parse(bytes);
  return packets;
}

/** A packet with the size of its payload; that of its bytes if it arrived whole. */
function shortened(packet: Packet): unknown {
  if (packet.cmd !== "publish") return packet.cmd;
  const payload = Buffer.from(packet.payload);
  const { topic, qos, dup, retain, messageId } = packet;
  return { topic, qos, dup, retain, messageId, bytes: leftOutBytes(payload) ?? payload.length };
}
