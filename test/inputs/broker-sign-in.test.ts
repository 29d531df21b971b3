import { connect, type Socket } from "node:net";
import { generate, type Packet } from "mqtt-packet";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BuiltInBroker } from "../../src/inputs/built-in-broker.ts";
import { MqttZones } from "../../src/inputs/mqtt-zones.ts";
import { brokerPort, builtInBrokerOf } from "../support/built-in-broker.ts";
import { eventually } from "../support/eventually.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

const TOPIC = "zigbee2mqtt/gate";
const GATE = zoneOf({ id: "gate", input: { mqtt: TOPIC, path: "/contact", open: [false], normal: [true] } });
/** The broker reads 64 KiB at one time: CONNECT and half of the next packet. */
const WILL = { topic: "camera/gone", payload: Buffer.alloc(55_000, "x"), qos: 0, retain: false } as const;
const NEXT_BYTES = 20_000;
const SENSOR = { username: "sensor", password: Buffer.from("right") };

let site: MonitoredZones;
let broker: BuiltInBroker;
let zones: MqttZones;
let sockets: Socket[];

beforeEach(async () => {
  site = MonitoredZones.forTest([GATE]);
  zones = new MqttZones(site.common);
  sockets = [];
  broker = builtInBrokerOf(site, { zones, accounts: [{ username: "sensor", password: "right" }] });
  await broker.start();
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await broker.stop();
});

/** Sends CONNECT and, without waiting for its answer, further packets. */
function sendAtOnce(credentials: Partial<typeof SENSOR>, ...packets: readonly Packet[]): Socket {
  const socket = connect(brokerPort(site), "127.0.0.1");
  socket.on("error", () => "the broker ends it on purpose");
  sockets.push(socket);
  const words = { protocolId: "MQTT", protocolVersion: 4, clean: true, keepalive: 0 } as const;
  const connectPacket: Packet = { cmd: "connect", clientId: "hasty", will: WILL, ...words, ...credentials };
  socket.write(Buffer.concat([connectPacket, ...packets].map((packet) => generate(packet))));
  return socket;
}

/** A message of the gate's sensor with spaces behind its value. */
function gateMessage(contact: boolean): Packet {
  return publishOf(TOPIC, JSON.stringify({ contact }).padEnd(NEXT_BYTES));
}

function publishOf(topic: string, payload: string, retain = false): Packet {
  return { cmd: "publish", topic, payload, qos: 0, dup: false, retain };
}

function end(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.resume().once("close", () => resolve());
  });
}

describe("a client that sends packets right behind its CONNECT", () => {
  test.each([
    ["no password", {}],
    ["a wrong password", { ...SENSOR, password: Buffer.from("wrong") }],
  ])("with %s changes nothing", async (_name, credentials) => {
    for (let attempt = 0; attempt < 10; attempt += 1)
      await end(sendAtOnce(credentials, gateMessage(attempt % 2 === 0)));
    expect(site.contactOf("gate")).toBe("unknown");
    expect(site.trips).toEqual([]);
  });

  test("receives no retained message without a password", async () => {
    const owner = sendAtOnce(SENSOR, publishOf("alarm/hall", "armed", true), gateMessage(true));
    await eventually("the owner's messages", () => site.contactOf("gate") === "normal");
    owner.destroy();
    const filters = ["alarm/#", ...Array.from({ length: 2_000 }, (_, index) => `floor/${index}`)];
    const subscriptions = filters.map((topic) => ({ topic, qos: 0 as const }));
    let received = "";
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const socket = sendAtOnce({}, { cmd: "subscribe", messageId: 1, subscriptions });
      socket.on("data", (data) => (received += data.toString("latin1")));
      await end(socket);
    }
    expect(received).not.toContain("armed");
  });

  test("with the right password loses none of them", async () => {
    sendAtOnce(SENSOR, gateMessage(true), gateMessage(false), gateMessage(true));
    await eventually("the restore", () => site.restores.length === 1);
    expect(site.trips).toHaveLength(1);
  });
});
