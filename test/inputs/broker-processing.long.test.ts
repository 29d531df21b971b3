import { connect, type Socket } from "node:net";
import { generate, type Packet } from "mqtt-packet";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BuiltInBroker } from "../../src/inputs/built-in-broker.ts";
import { MqttZones, type MqttMessage } from "../../src/inputs/mqtt-zones.ts";
import { brokerPort, builtInBrokerOf } from "../support/built-in-broker.ts";
import { eventually } from "../support/eventually.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

const MIB = 1024 * 1024;
const TOPIC = "zigbee2mqtt/gate";
const GATE = zoneOf({
  id: "gate",
  input: { mqtt: TOPIC, path: "/contact", open: [false], normal: [true] },
});
/** What one read may add to a client's limit: two chunks of a connection and a packet of the largest size. */
const READ_BYTES = 0.5 * MIB;

/** Zones whose journal is busy until `goOn` is called: no message is answered meanwhile. */
class BusyZones extends MqttZones {
  /** Bytes of all messages that have begun, and of those that have ended. */
  begunBytes = 0;
  endedBytes = 0;
  #go = (): void => {};
  #busy: Promise<void> | undefined = new Promise((resolve) => {
    this.#go = resolve;
  });

  override async deliver(message: MqttMessage): Promise<void> {
    this.begunBytes += message.payload.byteLength;
    await this.#busy;
    await super.deliver(message);
    this.endedBytes += message.payload.byteLength;
  }

  goOn(): void {
    this.#busy = undefined;
    this.#go();
  }
}

let site: MonitoredZones;
let broker: BuiltInBroker;
let zones: BusyZones;
let sockets: Socket[];

beforeEach(async () => {
  site = MonitoredZones.forTest([GATE]);
  zones = new BusyZones(site.common);
  sockets = [];
  broker = builtInBrokerOf(site, { zones });
  await broker.start();
});
afterEach(async () => {
  zones.goOn();
  for (const socket of sockets) socket.destroy();
  await broker.stop();
});

/** A connection that signs in and waits for no answer. */
function client(clientId: string): Socket {
  const socket = connect(brokerPort(site), "127.0.0.1");
  socket.on("error", () => "the broker may cut it");
  sockets.push(socket);
  const words = {
    protocolId: "MQTT",
    protocolVersion: 4,
    clean: true,
    keepalive: 0,
  } as const;
  socket.write(generate({ cmd: "connect", clientId, ...words }));
  return socket;
}

function publishOf(payload: Buffer, messageId = 0, topic = "camera/yard"): Buffer {
  const qos = messageId > 0 ? 1 : 0;
  const packet: Packet = {
    cmd: "publish",
    topic,
    payload,
    qos,
    messageId,
    dup: false,
    retain: false,
  };
  return generate(packet);
}

/** Gives the broker the turns of its event loop in which it would read on. */
async function letItRead(turns = 1_000): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1)
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
}

const cutOff = (): number => broker.use.limits.find(({ limit }) => limit === "memory")?.count ?? 0;

describe("messages that a client sends without waiting", () => {
  test.each([0, 1])(
    "are read as fast as they are processed with QoS %i, and all of them become readings",
    async (qos) => {
      const camera = client("camera");
      const payload = Buffer.alloc(200_000, "x");
      const messages = 320;
      for (let id = 1; id <= messages; id += 1) camera.write(publishOf(payload, qos * id));
      camera.write(publishOf(Buffer.from('{"contact":true}'), 0, TOPIC));
      camera.write(publishOf(Buffer.from('{"contact":false}'), 0, TOPIC));
      await eventually("the first messages", () => zones.begunBytes > 2 * MIB);
      await letItRead();
      expect(zones.begunBytes).toBeLessThanOrEqual(4 * MIB + READ_BYTES);
      expect(broker.use.heldBytes).toBeGreaterThanOrEqual(zones.begunBytes);
      expect(broker.use.heldBytes).toBeLessThan(6 * MIB);
      zones.goOn();
      await eventually("the trip", () => site.trips.length === 1);
      expect(zones.endedBytes).toBeGreaterThan(messages * payload.byteLength);
      expect(cutOff()).toBe(0);
      expect(camera.destroyed).toBe(false);
      await eventually("the memory to be free", () => broker.use.heldBytes < 100_000);
    },
  );

  test("do not add up over connections that end at once", async () => {
    const payload = Buffer.alloc(100_000, "x");
    for (let round = 0; round < 250; round += 1) {
      for (const letter of ["a", "b"]) client(`passing-${letter}${round}`).end(publishOf(payload));
      await letItRead(10);
    }
    await letItRead();
    const { begunBytes } = zones;
    expect(begunBytes).toBeGreaterThan(15 * MIB);
    expect(begunBytes).toBeLessThanOrEqual(16 * MIB + READ_BYTES);
    expect(broker.use.heldBytes).toBeGreaterThanOrEqual(begunBytes);
    zones.goOn();
    await eventually("the messages that had not been read", () => zones.endedBytes > begunBytes);
    await eventually("the memory to be free", () => broker.use.heldBytes < 100_000);
    expect(cutOff()).toBe(0);
  });

  test("of many clients leave room for a sensor", async () => {
    const payload = Buffer.alloc(200_000, "x");
    const floods = Array.from({ length: 20 }, (_, index) => client(`flood-${index}`));
    for (const flood of floods) for (let id = 0; id < 40; id += 1) flood.write(publishOf(payload));
    await eventually("the first messages", () => zones.begunBytes > 4 * MIB);
    await letItRead();
    expect(zones.begunBytes).toBeLessThanOrEqual(8 * MIB + 20 * READ_BYTES);
    const before = zones.begunBytes;
    const sensor = client("sensor");
    sensor.write(publishOf(Buffer.from('{"contact":true}'), 1, TOPIC));
    await eventually("the sensor's message", () => zones.begunBytes > before);
    zones.goOn();
    await eventually("all messages", () => zones.endedBytes > floods.length * 40 * payload.byteLength);
    expect(cutOff()).toBe(0);
  });
});
