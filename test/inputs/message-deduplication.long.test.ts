import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connectAsync, type IClientOptions, type MqttClient } from "mqtt";
import mqttPacket, { type IConnectPacket, type Packet } from "mqtt-packet";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { MqttZones, type MqttMessage } from "../../src/inputs/mqtt-zones.ts";
import type { BuiltInBroker } from "../../src/inputs/built-in-broker.ts";
import { setDiskFullHandler } from "../../src/store/transaction.ts";
import type { MqttReadings } from "../../src/inputs/mqtt-readings.ts";
import { brokerPort, builtInBrokerOf } from "../support/built-in-broker.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithMosquitto, startMosquitto, type Mosquitto } from "../support/mosquitto.ts";
import { listening } from "../support/mqtt-readings.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

/*
 * A message with a lost acknowledgement is delivered again. The repetition must not be a second trip, and a
 * message whose first delivery was lost must be read.
 */

const TOPIC = "zigbee2mqtt/gate";
const AVAILABILITY = "zigbee2mqtt/gate/availability";
const GATE = zoneOf({
  id: "gate",
  input: { mqtt: TOPIC, path: "/contact", open: [false], normal: [true] },
  battery: { path: "/battery", below: 15 },
  availability: { mqtt: AVAILABILITY },
});
const HALL = zoneOf({
  id: "hall",
  input: { mqtt: "hall", open: ["open"], normal: ["closed"] },
  gate: { mqtt: "keypad", open: ["arm"], normal: ["disarm"], exitDelayS: 30 },
});
const SHED = zoneOf({
  id: "shed",
  input: { mqtt: "shed", open: ["open"], normal: ["closed"] },
  confirmMs: 60_000,
});
const OPEN = '{"contact":false}';
const CLOSED = '{"contact":true}';

let site: MonitoredZones;
beforeEach(() => {
  site = MonitoredZones.forTest([GATE, HALL, SHED]);
});

function contact(): string | undefined {
  return site.monitor.zones()[0]?.contact;
}

describe("the built-in broker with lost acknowledgements", () => {
  let broker: BuiltInBroker;
  let sensor: Sensor;

  beforeEach(async () => {
    await startBroker();
    sensor = await Sensor.connected(brokerPort(site));
  });
  afterEach(async () => {
    sensor.cut();
    await broker.stop();
  });

  async function startBroker(): Promise<void> {
    broker = builtInBrokerOf(site);
    await broker.start();
  }

  async function reconnect(): Promise<void> {
    sensor.cut();
    sensor = await Sensor.connected(brokerPort(site));
  }

  test.each([1, 2] as const)("counts a repeated opening and closing with QoS %i as one trip", async (qos) => {
    await sensor.publish({ id: 1, payload: CLOSED, qos });
    await sensor.publish({ id: 2, payload: OPEN, qos });
    await sensor.publish({ id: 3, payload: CLOSED, qos });
    await reconnect();
    for (const [id, payload] of [
      [1, CLOSED],
      [2, OPEN],
      [3, CLOSED],
    ] as const)
      await sensor.publish({ id, payload, qos, dup: true });
    expect(site.trips).toHaveLength(1);
    expect(contact()).toBe("normal");
  });

  test("counts them as one trip also across a power cut", async () => {
    await sensor.publish({ id: 1, payload: CLOSED });
    await sensor.publish({ id: 2, payload: OPEN });
    await sensor.publish({ id: 3, payload: CLOSED });
    sensor.cut();
    await broker.stop();
    site.restart();
    await startBroker();
    await reconnect();
    await sensor.publish({ id: 2, payload: OPEN, dup: true });
    await sensor.publish({ id: 3, payload: CLOSED, dup: true });
    expect(site.trips).toHaveLength(1);
    expect(contact()).toBe("normal");
  });

  test("counts them as one trip also from a client without DUP flags", async () => {
    await sensor.publish({ id: 1, payload: CLOSED });
    await sensor.publish({ id: 2, payload: OPEN });
    await sensor.publish({ id: 3, payload: CLOSED });
    site.clock.advance(90_000);
    await reconnect();
    await sensor.publish({ id: 2, payload: OPEN });
    await sensor.publish({ id: 3, payload: CLOSED });
    expect(site.trips).toHaveLength(1);
  });

  test("does not take an opening for a repetition after one that was suppressed, as in a walk test", async () => {
    await sensor.publish({ id: 1, payload: CLOSED });
    site.zoneService.zoneOverrides.walkTests.begin(5, { who: "ana@example.ro", from: "itself" });
    await sensor.publish({ id: 2, payload: OPEN });
    await sensor.publish({ id: 3, payload: CLOSED });
    site.zoneService.zoneOverrides.walkTests.end({ who: "ana@example.ro", from: "itself" });
    await reconnect();
    await sensor.publish({ id: 2, payload: OPEN });
    expect(site.trips.map(({ state }) => state)).toEqual(["test", "waiting"]);
  });

  test("does not take an opening for the repetition of one that closed before it was confirmed", async () => {
    await sensor.publish({ id: 1, payload: "closed", topic: "shed" });
    await sensor.publish({ id: 2, payload: "open", topic: "shed" });
    site.clock.advance(60_000);
    await sensor.publish({ id: 3, payload: "closed", topic: "shed" });
    site.clock.advance(86_400_000);
    await reconnect();
    await sensor.publish({ id: 1, payload: "open", topic: "shed" });
    site.clock.advance(10_000);
    await sensor.publish({ id: 2, payload: "closed", topic: "shed" });
    await reconnect();
    await sensor.publish({ id: 1, payload: "open", topic: "shed" });
    site.clock.advance(60_000);
    expect(site.trips).toHaveLength(2);
  });

  test("ignores an opening that is repeated twice, with a battery that is read", async () => {
    const open = '{"contact":false,"battery":9}';
    await sensor.publish({ id: 1, payload: CLOSED });
    await sensor.publish({ id: 2, payload: open });
    await sensor.publish({ id: 3, payload: CLOSED });
    for (const waitMs of [2_000, 15_000]) {
      site.clock.advance(waitMs);
      await reconnect();
      await sensor.publish({ id: 2, payload: open });
    }
    expect(site.trips.filter(({ type }) => type === "trip")).toHaveLength(1);
  });

  test("reads that a sensor is back, under the packet id of its last start", async () => {
    await sensor.publish({ id: 1, payload: "online", topic: AVAILABILITY });
    site.clock.advance(10_000);
    sensor.cut();
    const will = { topic: AVAILABILITY, payload: Buffer.from("offline"), qos: 0, retain: false } as const;
    sensor = await Sensor.connected(brokerPort(site), will);
    sensor.cut();
    await eventually("the will", () => site.logged("mqtt-signal").length === 2);
    sensor = await Sensor.connected(brokerPort(site));
    await sensor.publish({ id: 1, payload: "online", topic: AVAILABILITY });
    site.clock.advance(120_000);
    expect(site.trips).toEqual([]);
  });

  test("reads the closing that a sensor reports when it starts, and the opening after it", async () => {
    await sensor.publish({ id: 1, payload: CLOSED });
    await sensor.publish({ id: 2, payload: OPEN });
    await reconnect();
    await sensor.publish({ id: 1, payload: CLOSED });
    expect(contact()).toBe("normal");
    await sensor.publish({ id: 2, payload: OPEN });
    expect(site.trips).toHaveLength(2);
    expect(contact()).toBe("open");
  });

  test("reads the battery in a repeated opening, which is one trip", async () => {
    await sensor.publish({ id: 1, payload: CLOSED });
    await sensor.publish({ id: 2, payload: '{"contact":false,"battery":9}' });
    await sensor.publish({ id: 3, payload: '{"contact":true,"battery":90}' });
    await reconnect();
    await sensor.publish({ id: 2, payload: '{"contact":false,"battery":9}' });
    await sensor.publish({ id: 3, payload: '{"contact":true,"battery":90}' });
    expect(site.trips.filter(({ type }) => type === "trip")).toHaveLength(1);
    expect(contact()).toBe("normal");
  });

  test("does not begin the exit delay again when the messages of a keypad are repeated", async () => {
    await sensor.publish({ id: 1, payload: "closed", topic: "hall" });
    await sensor.publish({ id: 2, payload: "disarm", topic: "keypad" });
    await sensor.publish({ id: 3, payload: "arm", topic: "keypad" });
    site.clock.advance(31_000);
    await reconnect();
    await sensor.publish({ id: 2, payload: "disarm", topic: "keypad", dup: true });
    await sensor.publish({ id: 3, payload: "arm", topic: "keypad", dup: true });
    await sensor.publish({ id: 4, payload: "open", topic: "hall" });
    expect(site.trips).toMatchObject([{ zoneId: "hall", state: "waiting" }]);
  });

  test("arms with the message of a keypad that has started again", async () => {
    await sensor.publish({ id: 1, payload: "arm", topic: "keypad" });
    await sensor.publish({ id: 2, payload: "disarm", topic: "keypad" });
    await sensor.publish({ id: 3, payload: "closed", topic: "hall" });
    await reconnect();
    await sensor.publish({ id: 1, payload: "arm", topic: "keypad" });
    site.clock.advance(31_000);
    await sensor.publish({ id: 2, payload: "open", topic: "hall" });
    expect(site.trips).toMatchObject([{ zoneId: "hall", state: "waiting" }]);
  });

  test("reads no message of a connection after one that could not be recorded, until it is repeated", async () => {
    await broker.stop();
    const zones = new MqttZones(site.common);
    let isBroken = false;
    const deliver = (message: MqttMessage): Promise<void> => {
      if (isBroken && message.delivery?.packetId === 2) site.breakJournal();
      const read = zones.deliver(message);
      return read.finally(() => site.repairJournal());
    };
    const { deduplication, counts } = zones;
    broker = builtInBrokerOf(site, { zones: { deliver, deduplication, counts } });
    await broker.start();
    await reconnect();
    await sensor.publish({ id: 1, payload: CLOSED });
    isBroken = true;
    await sensor.publish({ id: 2, payload: OPEN }).catch(() => "the connection is ended");
    isBroken = false;
    // Already on its way when the first one failed.
    const late = { session: "sensor", packetId: 3, isRepeated: false };
    const message = { topic: TOPIC, payload: Buffer.from(CLOSED), isRetained: false, delivery: late };
    await expect(zones.deliver(message)).rejects.toThrow("could not be stored");
    await reconnect();
    await sensor.publish({ id: 2, payload: OPEN, dup: true });
    await sensor.publish({ id: 3, payload: CLOSED, dup: true });
    expect(site.trips).toHaveLength(1);
    expect(contact()).toBe("normal");
  });

  test("reads a message on a full disk once there is room again", async () => {
    await sensor.publish({ id: 1, payload: CLOSED });
    const zones = new MqttZones(site.common);
    setDiskFullHandler(site.database, () => true);
    const { processedMessages } = site.journal;
    vi.spyOn(processedMessages, "add").mockImplementationOnce(() => {
      throw new Sqlite.SqliteError("database or disk is full", "SQLITE_FULL");
    });
    const delivery = { session: "sensor", packetId: 9, isRepeated: false };
    await zones.deliver({ topic: TOPIC, payload: Buffer.from(OPEN), isRetained: false, delivery });
    expect(site.trips).toHaveLength(1);
  });

  test("reads a repetition of a message that never arrived", async () => {
    await sensor.publish({ id: 1, payload: CLOSED });
    await reconnect();
    await sensor.publish({ id: 2, payload: OPEN, dup: true });
    expect(site.trips).toHaveLength(1);
  });

  test("reads every message of a sensor that always uses the same packet id", async () => {
    for (const payload of [CLOSED, OPEN, CLOSED, OPEN, CLOSED, OPEN])
      await sensor.publish({ id: 1, payload });
    expect(site.trips).toHaveLength(3);
  });

  test("reads the next opening under an old packet id after its first delivery was lost", async () => {
    await sensor.publish({ id: 1, payload: CLOSED });
    await sensor.publish({ id: 2, payload: OPEN });
    await sensor.publish({ id: 3, payload: CLOSED });
    site.clock.advance(20_000);
    // A client that reconnects this much later has its acknowledgements, and starts with packet id 2.
    await sensor.ping();
    await reconnect();
    await sensor.publish({ id: 2, payload: OPEN, dup: true });
    expect(site.trips).toHaveLength(2);
    expect(
      site.database.prepare("SELECT count(*) FROM taken_messages WHERE packet_id = 3").pluck().get(),
    ).toBe(0);
  });

  test("does not store a message that could not be recorded", async () => {
    await sensor.publish({ id: 1, payload: CLOSED });
    site.breakJournal();
    await sensor.publish({ id: 2, payload: OPEN }).catch(() => "the connection is ended");
    site.repairJournal();
    await reconnect();
    await sensor.publish({ id: 2, payload: OPEN, dup: true });
    expect(site.trips).toHaveLength(1);
  });
});

describeWithMosquitto("an external broker, when our acknowledgements are lost", () => {
  let broker: Mosquitto;
  let line: TcpProxy;
  let readings: MqttReadings;
  let sensor: MqttClient;

  beforeEach(async () => {
    broker = await startMosquitto();
    line = new TcpProxy(broker.port);
    readings = await listening(site, (await line.start()).replace("http:", "mqtt:"));
    sensor = await connectAsync(broker.url, { reconnectPeriod: 0 } satisfies IClientOptions);
  });
  afterEach(async () => {
    await readings.stop();
    await sensor.endAsync(true);
    await line.stop();
    await broker.stop();
  });

  async function openAndCloseUnacknowledged(): Promise<void> {
    await sensor.publishAsync(TOPIC, CLOSED, { qos: 1 });
    await eventually("the first reading", () => contact() === "normal");
    line.mode = "lose-requests";
    await sensor.publishAsync(TOPIC, OPEN, { qos: 1 });
    await sensor.publishAsync(TOPIC, CLOSED, { qos: 1 });
    await eventually("both messages", () => site.trips.length === 1 && contact() === "normal");
    // The connection is cut first: an acknowledgement may still be in transit.
    line.cut();
    line.mode = "carry";
  }

  test("a repeated opening and closing are one trip", async () => {
    await openAndCloseUnacknowledged();
    await eventually("the repetition", () => site.logged("mqtt-duplicate-ignored").length >= 2);
    await sensor.publishAsync(TOPIC, OPEN, { qos: 1 });
    await eventually("the next trip", () => site.trips.length === 2);
    expect(site.logged("zone-trip")).toHaveLength(2);
  });

  test("counts them as one trip also across a power cut", async () => {
    await openAndCloseUnacknowledged();
    await readings.stop();
    site.restart();
    readings = await listening(site, broker.url);
    await eventually("the repetition", () => site.logged("mqtt-duplicate-ignored").length >= 2);
    await sensor.publishAsync(TOPIC, OPEN, { qos: 1 });
    await eventually("the next trip", () => site.trips.length === 2);
  });
});

/** A sensor that sets its own packet ids, which no client library permits. */
class Sensor {
  readonly #socket: Socket;
  readonly #received: Packet[] = [];
  #isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const parser = mqttPacket.parser();
    parser.on("packet", (packet: Packet) => this.#received.push(packet));
    socket.on("data", (chunk) => parser.parse(chunk));
    socket.on("error", () => "the broker may end the connection");
    socket.on("close", () => (this.#isClosed = true));
  }

  static async connected(port: number, will?: IConnectPacket["will"]): Promise<Sensor> {
    const socket = connect(port, "127.0.0.1");
    const sensor = new Sensor(socket);
    await once(socket, "connect");
    const welcome = {
      cmd: "connect",
      clientId: "sensor",
      clean: false,
      keepalive: 60,
      protocolId: "MQTT",
    } as const;
    socket.write(mqttPacket.generate({ ...welcome, protocolVersion: 4, ...(will ? { will } : {}) }));
    await sensor.#answer("connack");
    return sensor;
  }

  /** Publishes and waits for the response; the next packet (PUBREL) is never sent, as if lost. */
  async publish(message: {
    id: number;
    payload: string;
    topic?: string;
    qos?: 1 | 2;
    dup?: boolean;
  }): Promise<void> {
    const { id, payload, topic = TOPIC, qos = 1, dup = false } = message;
    const publish = {
      cmd: "publish",
      topic,
      payload,
      qos,
      dup,
      retain: false,
      messageId: id,
    } as const;
    this.#socket.write(mqttPacket.generate(publish));
    await this.#answer(qos === 1 ? "puback" : "pubrec");
  }

  async ping(): Promise<void> {
    this.#socket.write(mqttPacket.generate({ cmd: "pingreq" }));
    await this.#answer("pingresp");
  }

  cut(): void {
    this.#socket.destroy();
  }

  async #answer(cmd: Packet["cmd"]): Promise<void> {
    await eventually(
      `the ${cmd}`,
      () => this.#isClosed || this.#received.some((packet) => packet.cmd === cmd),
    );
    if (this.#isClosed) throw new Error("the broker has ended the connection");
    this.#received.splice(
      this.#received.findIndex((packet) => packet.cmd === cmd),
      1,
    );
  }
}
