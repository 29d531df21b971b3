import { connect } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { connectAsync } from "mqtt";
import { generate, type Packet } from "mqtt-packet";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Condition } from "../../src/domain/condition.ts";
import type { Trip } from "../../src/domain/trip.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { buildingsYaml, Installation } from "../support/installation.ts";

/*
 * Clients send the built-in broker packets in any order, with wrong bytes and lengths. No such connection ends a thread, and
 * readings are received afterwards. What a client may do with complete packets is in test/attacks.
 */

const RUNS = 150;
const TOPIC = "zigbee2mqtt/gate";

const installation = Installation.temporary(afterAll);
let site: DaemonProcess;
let port: number;
beforeAll(async () => {
  site = installation.daemon(
    "site",
    `http: { port: 0 }\nmqtt: { listen: { port: 0 } }\ngpio: { backend: simulated }\n${buildingsYaml(1)}` +
      `zones: [ { id: gate, name: Gate, kind: perimeter, objective: { type: obiective/cladiri, id: 1 }, ` +
      `input: { mqtt: ${TOPIC}, path: /contact, open: [false], normal: [true] } } ]\n`,
  );
  const { mqttPort } = await site.start();
  if (mqttPort === undefined) throw new Error("the daemon has no broker");
  port = mqttPort;
});

/** Never the topic of the sensor: a forged reading would be a trip. */
const topic = fc.constantFrom("a", "a/b", "+/b", "#", "a/#/b", "$SYS/uptime", "", "é\0", "x/".repeat(120));
const payload = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const messageId = fc.nat(65_535);
const qos = fc.constantFrom(0, 1, 2);
const version = fc.constantFrom(3, 4, 5);

const connectPacket = fc.record(
  {
    cmd: fc.constant("connect"),
    protocolId: fc.constantFrom("MQTT", "MQIsdp"),
    protocolVersion: version,
    clean: fc.boolean(),
    clientId: fc.constantFrom("", "meter", "é", "m".repeat(200)),
    keepalive: fc.nat(65_535),
    username: fc.constantFrom("u", ""),
    password: payload,
    will: fc.record({ topic, payload, qos, retain: fc.boolean() }),
  },
  { requiredKeys: ["cmd", "protocolId", "protocolVersion", "clean", "clientId", "keepalive"] },
);

const anyPacket = fc.oneof(
  connectPacket,
  fc.record({
    cmd: fc.constant("publish"),
    topic,
    payload,
    qos,
    retain: fc.boolean(),
    dup: fc.boolean(),
    messageId,
  }),
  fc.record({
    cmd: fc.constant("subscribe"),
    messageId,
    subscriptions: fc.array(fc.record({ topic, qos }), { maxLength: 5 }),
  }),
  fc.record({
    cmd: fc.constant("unsubscribe"),
    messageId,
    unsubscriptions: fc.array(topic, { maxLength: 5 }),
  }),
  fc.record({ cmd: fc.constantFrom("puback", "pubrec", "pubrel", "pubcomp", "unsuback"), messageId }),
  fc.record({ cmd: fc.constant("suback"), messageId, granted: fc.array(qos, { maxLength: 5 }) }),
  fc.record({ cmd: fc.constant("connack"), returnCode: fc.nat(5), sessionPresent: fc.boolean() }),
  fc.record({ cmd: fc.constantFrom("pingreq", "pingresp", "disconnect") }),
);

/** The bytes of a packet; those that have no valid form are left out. */
function bytesOf(packet: unknown, protocolVersion: number): Buffer {
  try {
    return generate(packet as Packet, { protocolVersion });
  } catch {
    return Buffer.alloc(0);
  }
}

/** A change of a byte, of the length, or of the number of bytes, at a place from 0 to 1. */
const mutation = fc.record({
  how: fc.constantFrom("none", "none", "byte", "length", "insert", "remove", "cut"),
  place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  byte: fc.nat(255),
});

function mutated(bytes: Buffer, { how, place, byte }: { how: string; place: number; byte: number }): Buffer {
  const at = Math.floor(place * bytes.length);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  const one = Buffer.of(byte);
  if (how === "byte") return Buffer.concat([before, one, after.subarray(1)]);
  // The second byte begins the length of the rest (MQTT 3.1.1, 2.2.3).
  if (how === "length") return Buffer.concat([bytes.subarray(0, 1), one, bytes.subarray(2)]);
  if (how === "insert") return Buffer.concat([before, one, after]);
  if (how === "remove") return Buffer.concat([before, after.subarray(1)]);
  return how === "cut" ? before : bytes;
}

/** A connection: mostly a valid CONNECT first, then any packets, in pieces. */
const exchange = fc
  .record({
    version,
    isSignedIn: fc.boolean(),
    packets: fc.array(fc.tuple(anyPacket, mutation), { minLength: 1, maxLength: 12 }),
    pieceBytes: fc.constantFrom(1, 7, 64, 100_000),
  })
  .map(({ version: protocolVersion, isSignedIn, packets, pieceBytes }) => {
    const first = {
      cmd: "connect",
      protocolId: "MQTT",
      protocolVersion: 4,
      clean: true,
      clientId: "",
      keepalive: 60,
    };
    const bytes = Buffer.concat([
      isSignedIn ? bytesOf(first, 4) : Buffer.alloc(0),
      ...packets.map(([packet, how]) => mutated(bytesOf(packet, protocolVersion), how)),
    ]);
    const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_none, index) =>
      bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes),
    );
    return pieces.map((piece) => piece.toString("hex"));
  });

/** Sends the pieces and ends its half; returns when the broker has ended the other. */
async function exchangeWith(pieces: readonly string[]): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => "the broker cuts it on purpose").resume();
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
  });
  for (const piece of pieces) {
    if (socket.destroyed) break;
    await new Promise<void>((resolve) => void socket.write(Buffer.from(piece, "hex"), () => resolve()));
  }
  socket.end();
  await closed;
}

async function openConditions(): Promise<string[]> {
  const { status, value } = await askDaemon(join(installation.folder, "site"), "GET", "/site/status");
  expect(status).toBe(200);
  return (value as { conditions: Condition[] }).conditions.map(({ code }) => code);
}

test("random and damaged packets end no thread, and a sensor trips afterwards", async () => {
  const { pid } = site;
  await fc.assert(
    fc.asyncProperty(exchange, async (pieces) => {
      await exchangeWith(pieces);
      expect(await openConditions()).not.toContain("thread-failed");
    }),
    { numRuns: RUNS },
  );
  const sensor = await connectAsync(`mqtt://127.0.0.1:${port}`, {}, false);
  for (const contact of [true, false])
    await sensor.publishAsync(TOPIC, JSON.stringify({ contact }), { qos: 1 });
  await sensor.endAsync();
  const trips = await eventually("the trip", async () => {
    const all = await site.get<readonly Trip[]>("/site/trips?limit=100");
    return all.some(({ interventionId }) => interventionId !== null) && all;
  });
  expect(trips.filter(({ type }) => type === "trip")).toMatchObject([{ zoneId: "gate" }]);
  process.kill(pid ?? 0, 0);
  expect(site.pid).toBe(pid);
  expect(await openConditions()).not.toContain("thread-failed");
});
