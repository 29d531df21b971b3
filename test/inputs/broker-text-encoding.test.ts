import { connect, type Socket } from "node:net";
import { connectAsync } from "mqtt";
import { generate, type Packet } from "mqtt-packet";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BuiltInBroker } from "../../src/inputs/built-in-broker.ts";
import { MqttZones } from "../../src/inputs/mqtt-zones.ts";
import { brokerPort, builtInBrokerOf } from "../support/built-in-broker.ts";
import { eventually } from "../support/eventually.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

/* MQTT 3.1.1, 1.5.3: at a text that is not UTF-8 the broker ends the connection. */

const YARD = zoneOf({
  id: "yard",
  input: { mqtt: "yard/#", path: "/contact", open: [false], normal: [true] },
});
/** In a packet, stands for the bytes that replace it. */
const PLACE = "@@@";
const INVALID: readonly (readonly [title: string, bytes: readonly number[]])[] = [
  ["Latin-1", [0x75, 0xba, 0xe3]],
  ["a character that is cut", [0xf0, 0x9f, 0x98]],
  ["a surrogate", [0xed, 0xa0, 0x80]],
  ["a zero in more bytes than needed", [0x75, 0xc0, 0x80]],
  ["the character U+0000", [0x75, 0x00, 0x61]],
];
const OPEN = Buffer.from('{"contact":false}');
const PACKETS = {
  "a topic": {
    cmd: "publish",
    topic: `yard/${PLACE}`,
    payload: OPEN,
    qos: 1,
    messageId: 7,
    dup: false,
    retain: true,
  },
  "a filter": { cmd: "subscribe", messageId: 7, subscriptions: [{ topic: `yard/${PLACE}`, qos: 0 }] },
  "an ended filter": { cmd: "unsubscribe", messageId: 7, unsubscriptions: [`yard/${PLACE}`] },
} as const satisfies Readonly<Record<string, Packet>>;

let site: MonitoredZones;
let mqtt: MqttZones;
let broker: BuiltInBroker;
let socket: Socket | undefined;

beforeEach(async () => {
  site = new MonitoredZones([YARD]);
  mqtt = new MqttZones(site.common);
  broker = builtInBrokerOf(site, { zones: mqtt });
  await broker.start();
});
afterEach(async () => {
  socket?.destroy();
  await broker.stop();
  site.close();
});

/** A packet whose placeholder has become other bytes of the same number. */
function withBytes(packet: Packet, bytes: readonly number[]): Buffer {
  const whole = generate(packet);
  const at = whole.indexOf(PLACE);
  expect([at > 0, bytes.length]).toEqual([true, PLACE.length]);
  return Buffer.concat([whole.subarray(0, at), Buffer.from(bytes), whole.subarray(at + PLACE.length)]);
}

function connectPacket(clientId: string, more: object = {}): Packet {
  return {
    cmd: "connect",
    protocolId: "MQTT",
    protocolVersion: 4,
    clean: true,
    clientId,
    keepalive: 30,
    ...more,
  };
}

/** Sends packets on a connection of its own. @returns whether the broker has ended it, or what it has sent */
async function answerTo(...packets: readonly Uint8Array[]): Promise<"ended" | Buffer> {
  const own = connect(brokerPort(site), "127.0.0.1");
  socket = own;
  let received = Buffer.alloc(0);
  let isEnded = false;
  own.on("data", (chunk: Buffer) => (received = Buffer.concat([received, chunk])));
  own.on("error", () => "the broker ends it");
  own.on("close", () => (isEnded = true));
  for (const packet of packets) own.write(packet);
  // A CONNACK has four bytes, the answer to any other packet follows.
  await eventually("an answer", () => isEnded || received.length > 4);
  return isEnded ? "ended" : received;
}

describe("the built-in broker", () => {
  const cases = Object.keys(PACKETS).flatMap((what) =>
    INVALID.map(([title, bytes]) => [what as keyof typeof PACKETS, title, bytes] as const),
  );

  test.each(cases)("ends the connection at %s with %s, and counts it", async (what, _title, bytes) => {
    const answer = await answerTo(generate(connectPacket("sensor")), withBytes(PACKETS[what], bytes));
    expect(answer).toBe("ended");
    expect(site.trips).toEqual([]);
    expect(mqtt.counts.list()).toMatchObject([{ reason: "not-utf8", count: 1 }]);
    expect(mqtt.counts.list()[0]?.topic).toMatch(/^yard\//);
  });

  test.each([
    ["a client id", connectPacket(`id-${PLACE}`)],
    ["a user name", connectPacket("sensor", { username: `name-${PLACE}`, password: Buffer.from("x") })],
    [
      "the topic of a last will",
      connectPacket("sensor", { will: { topic: `yard/${PLACE}`, payload: OPEN, qos: 0, retain: false } }),
    ],
  ])("ends the connection at %s that is not UTF-8", async (_what, packet) => {
    expect(await answerTo(withBytes(packet, [0x75, 0xba, 0xe3]))).toBe("ended");
    expect(mqtt.counts.list()).toMatchObject([{ reason: "not-utf8" }]);
  });

  test("accepts the sign for a missing character if a client has sent it itself", async () => {
    const answer = await answerTo(
      generate(connectPacket("sensor")),
      withBytes(PACKETS["a topic"], [0xef, 0xbf, 0xbd]),
    );
    // PUBACK (MQTT 3.1.1, 3.4).
    expect(answer.at(4)).toBe(0x40);
    expect(site.contactOf("yard")).toBe("open");
  });

  test("reads the topics of other clients meanwhile, with letters of any language", async () => {
    await answerTo(generate(connectPacket("broken")), withBytes(PACKETS["a topic"], [0x75, 0xba, 0xe3]));
    const client = await connectAsync(`mqtt://127.0.0.1:${brokerPort(site)}`, { reconnectPeriod: 0 });
    await client.publishAsync("yard/ușă/窓", '{"contact":true}', { qos: 1 });
    await client.endAsync(true);
    expect(site.contactOf("yard")).toBe("normal");
  });
});
