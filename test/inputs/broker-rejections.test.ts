import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { connect, type Socket } from "node:net";
import { connectAsync } from "mqtt";
import { generate, type IConnectPacket, type Packet } from "mqtt-packet";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Persistence } from "../../src/inputs/broker-persistence.ts";
import type { BuiltInBroker } from "../../src/inputs/built-in-broker.ts";
import { brokerPort, builtInBrokerOf } from "../support/built-in-broker.ts";
import { eventually } from "../support/eventually.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

/* What the parser and aedes accept although MQTT 3.1.1 forbids it, and what they would keep for it. */

/** In which aedes stores the sessions. */
const AsyncMemory = createRequire(import.meta.url)("aedes-persistence/asyncPersistence.js") as {
  readonly prototype: Persistence;
};

const YARD = zoneOf({ id: "yard", input: { mqtt: "yard", open: ["open"], normal: ["closed"] } });
const ABOUT = { cmd: "connect", protocolId: "MQTT", protocolVersion: 4, clean: true, keepalive: 30 } as const;
const WILL = { topic: "yard", payload: Buffer.from("open"), qos: 0, retain: true } as const;
/** Of the flags of a CONNECT (MQTT 3.1.1, 3.1.2.3). */
const FLAGS_AT = 9;
const CLEAN_SESSION = 0b0000_0010;
const WILL_QOS_3 = 0b0001_1000;

let site: MonitoredZones;
let broker: BuiltInBroker;
let sockets: Socket[];

beforeEach(async () => {
  site = MonitoredZones.forTest([YARD]);
  broker = builtInBrokerOf(site);
  await broker.start();
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await broker.stop();
  vi.restoreAllMocks();
});

async function restart(): Promise<void> {
  await broker.stop();
  broker = builtInBrokerOf(site);
  await broker.start();
}

function connectWith(more: Partial<IConnectPacket>): Buffer {
  return generate({ ...ABOUT, clientId: "sensor", ...more });
}

/** A connection that has sent these packets. @returns it, and what it has received */
function send(...packets: readonly (Buffer | Packet)[]): { socket: Socket; received: () => Buffer } {
  const socket = connect(brokerPort(site), "127.0.0.1");
  let received = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => (received = Buffer.concat([received, chunk])));
  socket.on("error", () => "the broker ends it on purpose");
  for (const packet of packets) socket.write(Buffer.isBuffer(packet) ? packet : generate(packet));
  sockets.push(socket);
  return { socket, received: () => received };
}

/** @returns the return code of the CONNACK (MQTT 3.1.1, 3.2.2.3) */
async function answerTo(packet: Buffer): Promise<number | undefined> {
  const { received } = send(packet);
  await eventually("the CONNACK", () => received().length >= 4);
  return received()[3];
}

describe("the built-in broker rejects", () => {
  test("a last will with QoS 3, which would end the connection of each subscriber", async () => {
    const subscriber = await connectAsync(`mqtt://127.0.0.1:${brokerPort(site)}`, { reconnectPeriod: 0 });
    const messages: string[] = [];
    subscriber.on("message", (_topic, payload) => messages.push(payload.toString()));
    await subscriber.subscribeAsync("#", { qos: 1 });
    const packet = connectWith({ will: WILL });
    packet[FLAGS_AT] = (packet[FLAGS_AT] ?? 0) | WILL_QOS_3;
    const { socket, received } = send(packet);
    await eventually("the CONNACK", () => received().length >= 4);
    socket.destroy();
    expect(received()[3]).toBe(5);
    await subscriber.publishAsync("hall", "closed", { qos: 1 });
    await eventually("the own message", () => messages.includes("closed"));
    expect(messages).toEqual(["closed"]);
    expect(site.contactOf("yard")).toBe("unknown");
    expect(site.conditions).toEqual(["mqtt-broker-at-limit/will"]);
    expect(site.health.list()[0]?.text).toMatch(/127\.0\.0\.1 .*QoS 3/);
    await subscriber.endAsync(true);
  });

  test.each([
    ["with a wildcard", "sensors/#"],
    ["with a wildcard for one level", "sensors/+/state"],
    ["of 101 levels", "a/".repeat(100)],
  ])("a last will whose topic is one %s", async (_what, topic) => {
    expect(await answerTo(connectWith({ will: { ...WILL, topic } }))).toBe(5);
    expect(site.conditions).toEqual(["mqtt-broker-at-limit/will"]);
  });

  test("a last will without a topic", async () => {
    const packet = connectWith({ will: { ...WILL, topic: "x" } });
    const at = packet.indexOf(Buffer.from([0, 1, 0x78]));
    const without = Buffer.concat([packet.subarray(0, at), Buffer.from([0, 0]), packet.subarray(at + 3)]);
    without[1] = (without[1] ?? 0) - 1;
    expect(await answerTo(without)).toBe(5);
  });

  test("a client without an id for its persistent session, and accepts one with a clean session", async () => {
    const packet = connectWith({ clientId: "" });
    expect(await answerTo(packet)).toBe(0);
    packet[FLAGS_AT] = (packet[FLAGS_AT] ?? 0) & ~CLEAN_SESSION;
    expect(await answerTo(packet)).toBe(2);
    expect(site.conditions).toEqual(["mqtt-broker-at-limit/client-id"]);
  });

  test("a client that speaks MQTT 5, and names its address", async () => {
    const url = `mqtt://127.0.0.1:${brokerPort(site)}`;
    const client = connectAsync(url, { protocolVersion: 5, reconnectPeriod: 0 }, false);
    await expect(client).rejects.toMatchObject({ code: 1 });
    expect(site.conditions).toEqual(["mqtt-broker-at-limit/protocol"]);
    expect(site.health.list()[0]?.text).toContain("127.0.0.1 was rejected because it speaks MQTT 5");
  });
});

describe("the built-in broker keeps", () => {
  test("nothing for acknowledgements of messages that it has not sent", async () => {
    const cleared = vi.spyOn(AsyncMemory.prototype, "outgoingClearMessageId");
    await restart();
    const { received } = send(
      connectWith({ clean: false }),
      { cmd: "puback", messageId: 7 },
      { cmd: "pubcomp", messageId: 8 },
      { cmd: "pingreq" },
    );
    await eventually("the PINGRESP", () => received().length === 6);
    expect(cleared).not.toHaveBeenCalled();
  });

  test("nothing for QoS 2 messages that were released", async () => {
    const cleaned = vi.spyOn(AsyncMemory.prototype, "cleanIncoming");
    await restart();
    const message = { cmd: "publish", topic: "yard", payload: "closed", qos: 2, messageId: 7 } as const;
    const { socket, received } = send(connectWith({ clean: false }), {
      ...message,
      dup: false,
      retain: false,
    });
    await eventually("the PUBREC", () => received().length === 8);
    socket.write(generate({ cmd: "pubrel", messageId: 7 }));
    await eventually("the PUBCOMP", () => received().length === 12);
    expect(cleaned).toHaveBeenCalledOnce();
  });

  test("the last will of a client counted when it takes over its own session", async () => {
    const packet = connectWith({
      clean: false,
      will: { ...WILL, payload: Buffer.alloc(60_000), retain: false },
    });
    expect(await answerTo(packet)).toBe(0);
    const [first] = sockets;
    expect(await answerTo(packet)).toBe(0);
    await eventually("the end of the first connection", () => first?.destroyed === true);
    expect(broker.use.heldBytes).toBeGreaterThan(60_000);
    sockets[1]?.destroy();
    await eventually("the end of the second one", () => broker.use.heldBytes < 60_000);
  });

  test("no connection of a machine that has lost its power: the system asks it", async () => {
    expect(await answerTo(connectWith({ keepalive: 0 }))).toBe(0);
    const port = brokerPort(site).toString(16).toUpperCase().padStart(4, "0");
    const [own] = readFileSync("/proc/net/tcp", "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => local?.endsWith(`:${port}`) === true && state === "01");
    // Timer 2 of an idle connection is that of its keep-alive (Linux, proc_net_tcp).
    expect(own?.[5]).toMatch(/^02:/);
  });
});
