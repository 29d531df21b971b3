import { connect, createServer, type Socket } from "node:net";
import { connect as connectLater, connectAsync, type IClientOptions, type MqttClient } from "mqtt";
import { generate } from "mqtt-packet";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BuiltInBroker, BuiltInBrokerOptions } from "../../src/inputs/built-in-broker.ts";
import { MqttZones } from "../../src/inputs/mqtt-zones.ts";
import { ALL_BYTES_MAX, BrokerMemory, CLIENT_BYTES_MAX } from "../../src/inputs/broker-memory.ts";
import { PacketSizeLimit } from "../../src/inputs/packet-size-limit.ts";
import { brokerPort, builtInBrokerOf } from "../support/built-in-broker.ts";
import { eventually } from "../support/eventually.ts";
import { close, listen } from "../support/loopback.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

const TOPIC = "zigbee2mqtt/gate";
const GATE = zoneOf({ id: "gate", input: { mqtt: TOPIC, path: "/contact", open: [false], normal: [true] } });

let site: MonitoredZones;
let broker: BuiltInBroker;
let sensors: MqttClient[];
let sockets: Socket[];

beforeEach(() => {
  site = MonitoredZones.forTest([GATE]);
  sensors = [];
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  for (const sensor of sensors) await sensor.endAsync(true);
  await broker.stop();
});

async function start(options: Partial<BuiltInBrokerOptions> = {}): Promise<void> {
  broker = builtInBrokerOf(site, options);
  await broker.start();
}

async function sensor(options: IClientOptions = {}): Promise<MqttClient> {
  const port = brokerPort(site);
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 50, ...options }, false);
  client.on("error", () => "the broker refuses on purpose");
  sensors.push(client);
  return client;
}

/** A connection that sends nothing. */
async function silentSocket(): Promise<Socket> {
  const socket = connect(brokerPort(site), "127.0.0.1");
  socket.on("error", () => "the broker cuts it on purpose");
  sockets.push(socket);
  await new Promise<void>((resolve) => {
    socket.once("connect", resolve);
  });
  return socket;
}

function gate(contact: boolean): string {
  return JSON.stringify({ contact });
}

describe("the built-in broker", () => {
  test.each([0, 1, 2] as const)("records one trip for an opening published with QoS %i", async (qos) => {
    await start();
    const client = await sensor();
    await client.publishAsync(TOPIC, gate(true), { qos });
    await client.publishAsync(TOPIC, gate(false), { qos });
    await client.publishAsync(TOPIC, gate(false), { qos });
    await eventually("the trip", () => site.trips.length > 0);
    await client.publishAsync(TOPIC, gate(true), { qos });
    await eventually("the restore", () => site.monitor.zones()[0]?.contact === "normal");
    expect(site.trips).toHaveLength(1);
  });

  test.each([1, 2] as const)(
    "acknowledges a message with QoS %i only after its trip is recorded",
    async (qos) => {
      await start();
      const client = await sensor();
      await client.publishAsync(TOPIC, gate(true), { qos });
      let tripsWhenAnswered = -1;
      client.on("packetreceive", ({ cmd }) => {
        if (cmd === "puback" || cmd === "pubrec") tripsWhenAnswered = site.trips.length;
      });
      await client.publishAsync(TOPIC, gate(false), { qos });
      expect(tripsWhenAnswered).toBe(1);
    },
  );

  test.each([1, 2] as const)(
    "does not acknowledge QoS %i while the journal is not writable, and receives the message again",
    async (qos) => {
      await start();
      const client = await sensor();
      await client.publishAsync(TOPIC, gate(true), { qos });
      site.breakJournal();
      let isAnswered = false;
      const published = client.publishAsync(TOPIC, gate(false), { qos }).then(() => (isAnswered = true));
      await eventually("the sensor to have tried again", () => {
        return site.logged("mqtt-message-write-failed").length >= 2;
      });
      expect(isAnswered).toBe(false);
      expect(site.trips).toHaveLength(0);
      expect(site.conditions).toEqual(["journal-write-failed"]);
      site.repairJournal();
      await published;
      expect(site.trips).toHaveLength(1);
      expect(site.conditions).toEqual([]);
    },
  );

  test("serves other subscribers", async () => {
    await start();
    const listener = await sensor();
    const received: string[] = [];
    listener.on("message", (topic, payload) => received.push(`${topic} ${payload.toString()}`));
    await listener.subscribeAsync("zigbee2mqtt/+", { qos: 1 });
    const client = await sensor();
    await client.publishAsync(TOPIC, gate(true), { qos: 1 });
    await eventually("the message", () => received.length === 1);
    expect(received).toEqual([`${TOPIC} {"contact":true}`]);
  });

  test("handles the last will of a sensor as a reading", async () => {
    await start();
    const client = await sensor({
      will: { topic: TOPIC, payload: Buffer.from(gate(false)), qos: 1, retain: false },
    });
    await client.publishAsync(TOPIC, gate(true), { qos: 1 });
    client.options.reconnectPeriod = 0;
    client.stream.destroy();
    await eventually("the trip", () => site.trips.length === 1);
  });

  test("survives a will that cannot be recorded", async () => {
    await start();
    const client = await sensor({
      will: { topic: TOPIC, payload: Buffer.from(gate(false)), qos: 1, retain: false },
    });
    await client.publishAsync(TOPIC, gate(true), { qos: 1 });
    site.breakJournal();
    client.options.reconnectPeriod = 0;
    client.stream.destroy();
    await eventually("the failure", () => site.logged("mqtt-message-write-failed").length > 0);
    site.repairJournal();
    const other = await sensor();
    await other.publishAsync(TOPIC, gate(false), { qos: 1 });
    expect(site.trips).toHaveLength(1);
  });

  test("rejects messages to $SYS", async () => {
    await start();
    const client = await sensor({ reconnectPeriod: 0 });
    const closed = new Promise<void>((resolve) => {
      client.once("close", () => resolve());
    });
    client.publish("$SYS/broker/uptime", "0", { qos: 1 });
    await closed;
  });

  test("requires the configured user name and password", async () => {
    await start({ accounts: [{ username: "sensor", password: "a secret" }] });
    for (const credentials of [
      {},
      { username: "sensor", password: "a guess" },
      { username: "x", password: "a secret" },
    ])
      await expect(sensor({ ...credentials, reconnectPeriod: 0 })).rejects.toThrow(/[Nn]ot authorized/);
    const client = await sensor({ username: "sensor", password: "a secret" });
    await client.publishAsync(TOPIC, gate(true), { qos: 1 });
    expect(site.monitor.zones()[0]?.contact).toBe("normal");
    expect(JSON.stringify(site.logLines)).not.toContain("a secret");
  });

  test("survives clients that do not speak MQTT", async () => {
    await start();
    const port = brokerPort(site);
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch((error: Error) => error);
    expect(answer).toBeInstanceOf(Error);
    const client = await sensor();
    await client.publishAsync(TOPIC, gate(true), { qos: 1 });
    expect(site.monitor.zones()[0]?.contact).toBe("normal");
  });

  test("logs at its start that it keeps no sessions", async () => {
    await start();
    expect(String(site.logged("mqtt-broker-listening")[0]?.["sessions"])).toMatch(/lost on a restart/);
  });

  test("reports a port in use, and binds it when it is free", async () => {
    const holder = createServer();
    const port = await listen(holder);
    await start({ port });
    expect(site.conditions).toEqual(["mqtt-broker-not-listening"]);
    expect(site.health.list()[0]?.text).toContain(`port ${port}`);
    await close(holder);
    site.clock.advance(5_000);
    await eventually("the port", () => site.conditions.length === 0);
    const client = await sensor();
    await client.publishAsync(TOPIC, gate(true), { qos: 1 });
    expect(site.monitor.zones()[0]?.contact).toBe("normal");
  });

  test("stops without having bound its port", async () => {
    const holder = createServer();
    await start({ port: await listen(holder) });
    await broker.stop();
    site.clock.advance(600_000);
    expect(site.logged("mqtt-broker-listening")).toEqual([]);
    holder.close();
  });
});

describe("the built-in broker's limits", () => {
  test("a last will during the shutdown is not an opening", async () => {
    await start();
    const will = { topic: TOPIC, payload: Buffer.from(gate(false)), qos: 1 as const, retain: false };
    const first = await sensor({ will, reconnectPeriod: 0 });
    await first.publishAsync(TOPIC, gate(true), { qos: 1 });
    const others = await Promise.all([
      sensor({ will, reconnectPeriod: 0 }),
      sensor({ will, reconnectPeriod: 0 }),
    ]);
    await broker.stop();
    for (const client of [first, ...others]) await eventually("its end", () => !client.connected);
    expect(site.trips).toEqual([]);
    expect(site.monitor.zones()[0]?.contact).toBe("normal");
  });

  test("idle connections lock out no sensor, and are a condition", async () => {
    await start();
    await Promise.all(Array.from({ length: 300 }, () => silentSocket()));
    const client = await sensor();
    await client.publishAsync(TOPIC, gate(true), { qos: 1 });
    await client.publishAsync(TOPIC, gate(false), { qos: 1 });
    expect(site.trips).toHaveLength(1);
    expect(site.conditions).toEqual(["mqtt-broker-at-limit/connections"]);
    site.clock.advance(600_000);
    expect(site.conditions).toEqual([]);
  });

  test("the condition of a limit ends with the start of the next broker, also after a defect", async () => {
    site.common.conditions.raise("mqtt-broker-at-limit", "it ended without clearing this", "memory");
    await start();
    expect(site.conditions).toEqual([]);
  });

  test("a packet over the size limit is rejected before it is in memory", async () => {
    await start();
    const socket = await silentSocket();
    const closed = new Promise<void>((resolve) => {
      socket.once("close", () => resolve());
    });
    // PUBLISH with a remaining length of 256 MiB - 1, of which one byte is sent.
    socket.write(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f, 0x00]));
    await closed;
    expect(site.conditions).toEqual(["mqtt-broker-at-limit/packet"]);
    const client = await sensor();
    await client.publishAsync(TOPIC, Buffer.alloc(200 * 1024, "x"), { qos: 1 });
    await client.publishAsync(TOPIC, gate(true), { qos: 1 });
    expect(site.monitor.zones()[0]?.contact).toBe("normal");
  });

  test("the list of a bridge with many devices reaches its subscribers; no other packet may be as large", async () => {
    await start();
    const bridge = await sensor({ reconnectPeriod: 0 });
    const list = Buffer.alloc(2 * 1024 * 1024, "x");
    await bridge.publishAsync("zigbee2mqtt/bridge/devices", list, { qos: 1, retain: true });
    const listener = await sensor();
    const received: number[] = [];
    listener.on("message", (_topic, payload) => received.push(payload.byteLength));
    await listener.subscribeAsync("zigbee2mqtt/bridge/devices", { qos: 1 });
    await eventually("the list", () => received.length > 0);
    expect([received, site.conditions]).toEqual([[list.byteLength], []]);
    void bridge.publishAsync("camera", Buffer.alloc(2_400_000), { qos: 1 }).catch(() => "it is disconnected");
    await eventually("its end", () => !bridge.connected);
    expect(site.conditions).toEqual(["mqtt-broker-at-limit/packet"]);
    void listener.subscribeAsync(Array.from({ length: 5 }, () => "x".repeat(60_000))).catch(() => "rejected");
    await eventually("the end of the subscriber", () => !listener.connected);
  });

  test("retained messages are kept up to a limit and forwarded beyond it", async () => {
    await start();
    const client = await sensor();
    const payload = Buffer.alloc(200 * 1024, "x");
    for (let index = 0; index < 100; index += 1)
      await client.publishAsync(`camera/${index}`, payload, { qos: 1, retain: true });
    expect(site.conditions).toEqual(["mqtt-broker-at-limit/retained"]);
    // A deleted one makes room for another, and a retained one can be replaced.
    await client.publishAsync("camera/0", "", { qos: 1, retain: true });
    await client.publishAsync("camera/1", payload, { qos: 1, retain: true });
    await client.publishAsync("late", payload, { qos: 1, retain: true });
    const kept: string[] = [];
    const listener = await sensor();
    listener.on("message", (topic) => kept.push(topic));
    await listener.subscribeAsync("#", { qos: 1 });
    await eventually("what is kept", () => kept.includes("late"));
    expect(kept).toHaveLength(81);
  });

  test("a retained message that is not kept leaves no older one of its topic", async () => {
    await start();
    const client = await sensor();
    const payload = Buffer.alloc(200 * 1024, "x");
    await client.publishAsync("camera/0", "old", { qos: 1, retain: true });
    for (let index = 1; index < 82; index += 1)
      await client.publishAsync(`camera/${index}`, payload, { qos: 1, retain: true });
    await client.publishAsync("camera/0", payload, { qos: 1, retain: true });
    const kept: string[] = [];
    const listener = await sensor();
    listener.on("message", (topic) => kept.push(topic));
    await client.publishAsync("last", "", { qos: 1, retain: true });
    await client.publishAsync("last", "x", { qos: 1, retain: true });
    await listener.subscribeAsync(["camera/0", "last"], { qos: 1 });
    await eventually("what is kept", () => kept.includes("last"));
    expect(kept).toEqual(["last"]);
  });

  test("retained messages of one of several accounts leave room for those of the others", async () => {
    const accounts = ["cameras", "doors"].map((username) => ({ username, password: "secret" }));
    await start({ accounts });
    const cameras = await sensor({ username: "cameras", password: "secret" });
    const payload = Buffer.alloc(200 * 1024, "x");
    for (let index = 0; index < 82; index += 1)
      await cameras.publishAsync(`camera/${index}`, payload, { qos: 1, retain: true });
    const doors = await sensor({ username: "doors", password: "secret" });
    await doors.publishAsync("door", payload, { qos: 1, retain: true });
    const kept: string[] = [];
    doors.on("message", (topic) => kept.push(topic));
    await doors.subscribeAsync("#", { qos: 1 });
    await eventually("what is kept", () => kept.includes("door"));
    expect(kept).toHaveLength(62);
  });
});

describe("the memory of the built-in broker for its clients", () => {
  const held = (): number => broker.use.heldBytes;
  const cutOff = (): number => broker.use.limits.find(({ limit }) => limit === "memory")?.count ?? 0;

  test("is free once they have received their messages, unsubscribed and disconnected", async () => {
    await start();
    const session = { clientId: "display", clean: false, reconnectPeriod: 0 };
    const display = await sensor(session);
    await display.subscribeAsync(["hall/#", "yard"], { qos: 1 });
    const subscribed = held();
    expect(subscribed).toBeGreaterThan(0);
    await display.endAsync();
    const client = await sensor({
      reconnectPeriod: 0,
      will: { topic: "hall/will", payload: Buffer.from("gone"), qos: 0, retain: false },
    });
    for (let index = 0; index < 20; index += 1)
      await client.publishAsync("hall/lamp", Buffer.alloc(1000, "x"), { qos: 1 });
    expect(held()).toBeGreaterThan(subscribed + 20_000);
    let collected = 0;
    const back = await connectAsync(`mqtt://127.0.0.1:${brokerPort(site)}`, session, false);
    sensors.push(back);
    back.on("message", () => (collected += 1));
    await eventually("the messages", () => collected === 20 || undefined);
    await client.publishAsync("hall/lamp", "x", { qos: 2 });
    await back.unsubscribeAsync(["hall/#", "yard"]);
    await client.endAsync();
    await back.endAsync();
    await eventually("nothing to be held", () => held() === 0);
    expect(cutOff()).toBe(0);
  });

  test("is free again after sign-ins that exceed it", async () => {
    await start();
    const session = { clientId: "display", clean: false, reconnectPeriod: 0 };
    const will = { topic: "hall/will", payload: Buffer.alloc(64_000, "x"), qos: 0, retain: false } as const;
    for (let round = 1; round <= 3; round += 1) {
      const display = await sensor(session);
      await display.subscribeAsync("hall/#", { qos: 1 });
      await display.endAsync();
      const lamp = await sensor({ reconnectPeriod: 0 });
      const fill = async (bytes: number): Promise<void> => {
        const before = held();
        await lamp.publishAsync("hall/lamp", Buffer.alloc(bytes, "x"), { qos: 1 });
        await eventually("the message in the queue", () => held() >= before + bytes);
      };
      while (held() < CLIENT_BYTES_MAX - 215_000) await fill(200_000);
      await fill(CLIENT_BYTES_MAX - held() + 7_000);
      await lamp.endAsync();
      // Less than a connection takes.
      const isFull = (): boolean => held() > CLIENT_BYTES_MAX - 16_000 && held() < CLIENT_BYTES_MAX;
      await eventually("a full queue", isFull);
      const url = `mqtt://127.0.0.1:${brokerPort(site)}`;
      await connectAsync(url, { ...session, will }, false).then(
        (back) => back.endAsync(),
        () => "the broker ends it",
      );
      expect(cutOff()).toBe(round);
    }
    await eventually("nothing to be held", () => held() === 0);
  });

  test("is protected from a client that subscribes to too many topics in one packet", async () => {
    await start();
    const greedy = await sensor({ clientId: "greedy", reconnectPeriod: 0 });
    const filters = Array.from({ length: 30_000 }, (_, index) => index.toString(36));
    void greedy.subscribeAsync(filters, { qos: 0 }).catch(() => "the broker ends it on purpose");
    await eventually("its end", () => !greedy.connected);
    expect(cutOff()).toBe(1);
    expect(site.conditions).toEqual(["mqtt-broker-at-limit/memory"]);
    expect(site.health.list()[0]?.text).toMatch(
      /the client "greedy" at \S+ was disconnected.*mostly subscriptions/,
    );
    await eventually("nothing to be held", () => held() === 0);
    const client = await sensor();
    await client.publishAsync(TOPIC, gate(true), { qos: 1 });
    expect(site.monitor.zones()[0]?.contact).toBe("normal");
  });

  test("for an unreleased QoS 2 message is its packet id, and at most a thousand of them", async () => {
    await start();
    const socket = await silentSocket();
    const closed = new Promise<void>((resolve) => {
      socket.once("close", () => resolve());
    });
    let received = 0;
    socket.on("data", (data: Buffer) => (received += data.length));
    socket.write(
      generate({
        cmd: "connect",
        protocolId: "MQTT",
        protocolVersion: 4,
        clientId: "holder",
        clean: true,
        keepalive: 0,
      }),
    );
    const publish = (messageId: number): Buffer =>
      generate({
        cmd: "publish",
        topic: "x",
        payload: Buffer.alloc(10_000),
        qos: 2,
        messageId,
        dup: false,
        retain: false,
      });
    for (let id = 1; id <= 1_000; id += 1) socket.write(publish(id));
    // A CONNACK and a thousand PUBRECs, of 4 bytes each: until then what the broker is still reading counts too.
    await eventually("the responses to all of them", () => received === 4 + 1_000 * 4);
    await eventually("nothing but the ids to be held", () => held() < 2_000_000);
    expect(held()).toBeGreaterThanOrEqual(1_000 * 512);
    for (let id = 1_001; id <= 1_010; id += 1) socket.write(publish(id));
    await closed;
    expect(cutOff()).toBe(1);
    expect(site.health.list()[0]?.text).toMatch(/1000 QoS 2 messages that it has not released/);
  });

  test("is counted in total, and the address with the most loses its largest client", () => {
    const ended: string[] = [];
    const memory = new BrokerMemory(({ holder, isOfAll }) => {
      ended.push(`${holder.clientId} ${isOfAll ? "of all" : "alone"}`);
      memory.change(holder, "outgoing", -holder.bytes.outgoing);
    });
    const part = CLIENT_BYTES_MAX / 2;
    memory.change(memory.client("display", "10.0.0.2"), "outgoing", part);
    for (let index = 0; memory.bytes + part <= ALL_BYTES_MAX; index += 1)
      memory.change(memory.client(`flood ${index}`, "10.0.0.3"), "outgoing", part);
    expect(ended).toEqual([]);
    memory.change(memory.client("gate", "10.0.0.4"), "outgoing", part);
    expect(ended).toEqual(["flood 0 of all", "flood 1 of all"]);
    memory.change(memory.client("display", "10.0.0.2"), "outgoing", part + 1);
    expect(ended.at(-1)).toBe("display alone");
    // A message in delivery is in the queue and in the buffer, and counts once.
    const before = memory.bytes;
    memory.change(memory.client("gate"), "sending", part);
    expect(memory.bytes).toBe(before);
  });
});

describe("the packet meter", () => {
  const packet = (bytes: number): Buffer => {
    const length: number[] = [];
    for (let rest = bytes; rest > 0 || length.length === 0; rest = Math.floor(rest / 128))
      length.push((rest % 128) + (rest >= 128 ? 0x80 : 0));
    return Buffer.concat([Buffer.from([0x30, ...length]), Buffer.alloc(bytes, 0xff)]);
  };

  test.each([1, 2, 3, 7, 100_000])("detects a packet that is too long in pieces of %i bytes", (piece) => {
    const stream = Buffer.concat([packet(0), packet(127), packet(128), packet(1000), packet(1001)]);
    const meter = new PacketSizeLimit(1000);
    let passed = 0;
    for (let at = 0; at < stream.length; at += piece)
      if (meter.accepts(stream.subarray(at, at + piece))) passed += Math.min(piece, stream.length - at);
      else break;
    expect(passed).toBeLessThan(stream.length);
    const allowed = new PacketSizeLimit(1001);
    for (let at = 0; at < stream.length; at += piece)
      expect(allowed.accepts(stream.subarray(at, at + piece))).toBe(true);
  });

  test("allows more for a message than for other packets", () => {
    const meter = new PacketSizeLimit(1000);
    expect(meter.accepts(packet(5000), 5000)).toBe(true);
    expect(meter.accepts(packet(5001), 5000)).toBe(false);
    const subscribe = packet(1001).with(0, 0x82);
    expect(new PacketSizeLimit(1000).accepts(subscribe, 5000)).toBe(false);
    expect(new PacketSizeLimit(1001).accepts(subscribe, 5000)).toBe(true);
  });

  test("rejects a length without end", () => {
    expect(new PacketSizeLimit().accepts(Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80]))).toBe(false);
  });
});

describe("password guessing at the built-in broker", () => {
  const RIGHT = { username: "sensor", password: "right" };
  const signsIn = async (options: IClientOptions): Promise<boolean> => {
    try {
      await sensor({ reconnectPeriod: 0, connectTimeout: 5_000, ...options });
      return true;
    } catch {
      return false;
    }
  };

  test("is delayed after twenty failures, while a sensor that has signed in before can connect", async () => {
    await start({ accounts: [RIGHT] });
    expect(await signsIn({ ...RIGHT, clientId: "gate" })).toBe(true);
    for (let guess = 0; guess < 20; guess += 1)
      expect(await signsIn({ username: "sensor", password: `guess-${guess}`, clientId: `g${guess}` })).toBe(
        false,
      );
    expect(site.conditions).toEqual(["mqtt-broker-at-limit/sign-in"]);
    expect(site.events).toMatchObject([
      {
        event: "sign-in-blocked",
        who: "sensor",
        from: expect.stringMatching(/127\.0\.0\.1$/) as string,
        subject: "built-in MQTT broker",
        detail: { client: "g19", blockedForS: 30 },
      },
    ]);
    // The right password is not compared.
    expect(await signsIn({ ...RIGHT, clientId: "another" })).toBe(false);
    expect(await signsIn({ ...RIGHT, clientId: "gate" })).toBe(true);
    site.clock.advance(30_000);
    expect(await signsIn({ ...RIGHT, clientId: "another" })).toBe(true);
  });
});

describe("retained messages", () => {
  test("are sent for a topic and for each filter that matches, and no longer once deleted", async () => {
    await start();
    const publisher = await sensor();
    for (const topic of ["hall/door", "hall/window", "yard/door", "hall"])
      await publisher.publishAsync(topic, "open", { qos: 1, retain: true });
    await publisher.publishAsync("hall/window", "", { qos: 1, retain: true });
    const of = async (filter: string): Promise<string[]> => {
      const received: string[] = [];
      const listener = await sensor();
      listener.on("message", (topic) => received.push(topic));
      await listener.subscribeAsync([filter, "last"], { qos: 1 });
      await listener.publishAsync("last", "", { qos: 1 });
      await eventually("the last message", () => received.includes("last"));
      return received.filter((topic) => topic !== "last").toSorted();
    };
    expect(await of("hall/door")).toEqual(["hall/door"]);
    expect(await of("hall/window")).toEqual([]);
    expect(await of("hall/#")).toEqual(["hall", "hall/door"]);
    expect(await of("+/door")).toEqual(["hall/door", "yard/door"]);
    expect(await of("#")).toEqual(["hall", "hall/door", "yard/door"]);
  });
});

describe("an account of a group of sensors", () => {
  const GATES = {
    username: "gates",
    password: "of the gates",
    publish: ["zigbee2mqtt/#"],
    subscribe: ["zigbee2mqtt/+"],
  };
  const ALL = { username: "all", password: "of all" };
  const as = ({ username, password }: { username: string; password: string }): Promise<MqttClient> =>
    sensor({ username, password, reconnectPeriod: 0 });
  const refused = (): string[] =>
    zones.counts.list().map(({ topic, reason, count }) => `${topic} ${reason} ${count}`);
  let zones: MqttZones;
  beforeEach(async () => {
    zones = new MqttZones(site.common);
    await start({ accounts: [GATES, ALL], zones });
  });

  test("publishes to its topics; other messages reach no zone and no subscriber, and are counted", async () => {
    const listener = await as(ALL);
    const received: string[] = [];
    listener.on("message", (topic) => received.push(topic));
    await listener.subscribeAsync("#", { qos: 1 });
    const gates = await as(GATES);
    await gates.publishAsync("alarm/hall", "open", { qos: 1, retain: true });
    await gates.publishAsync(TOPIC, gate(true), { qos: 1 });
    await gates.publishAsync(TOPIC, gate(false), { qos: 1 });
    await eventually("what it may publish", () => received.length === 2);
    expect(received).toEqual([TOPIC, TOPIC]);
    expect(site.trips).toHaveLength(1);
    expect(gates.connected).toBe(true);
    expect(refused()).toContain("alarm/hall not-allowed 1");
    const late = await as(ALL);
    late.on("message", (topic) => received.push(`late ${topic}`));
    await late.subscribeAsync("alarm/#", { qos: 1 });
    await late.publishAsync("alarm/yard", "open", { qos: 1 });
    await eventually("the update", () => received.some((topic) => topic.startsWith("late")));
    expect(received).not.toContain("late alarm/hall");
  });

  test("subscribes to its topics only", async () => {
    const gates = await as(GATES);
    const granted = async (filter: string): Promise<boolean> => {
      try {
        const [grant] = await gates.subscribeAsync(filter, { qos: 1 });
        return grant !== undefined && grant.qos < 128;
      } catch {
        return false;
      }
    };
    expect(await granted(TOPIC)).toBe(true);
    expect(await granted("zigbee2mqtt/+")).toBe(true);
    for (const filter of ["#", "zigbee2mqtt/#", "alarm/hall", "$SYS/#"])
      expect(await granted(filter)).toBe(false);
    expect(refused()).toContain("# subscription-not-allowed 1");
  });

  test("has client ids of its own: no other account ends its connection or empties its queue", async () => {
    const shared = { clientId: "shared", clean: false, reconnectPeriod: 0 };
    const asOwner = { ...shared, username: ALL.username, password: ALL.password };
    const asOther = { ...shared, username: GATES.username, password: GATES.password };
    const owner = await sensor(asOwner);
    await owner.subscribeAsync(["alarm/hall", TOPIC], { qos: 1 });
    const other = await sensor(asOther);
    await other.subscribeAsync(TOPIC, { qos: 1 });
    expect(owner.connected).toBe(true);
    await owner.endAsync();
    await other.endAsync();
    const publisher = await as(ALL);
    await publisher.publishAsync("alarm/hall", "open", { qos: 1 });
    await publisher.publishAsync(TOPIC, gate(true), { qos: 1 });
    const port = brokerPort(site);
    const received = (client: MqttClient): string[] => {
      const topics: string[] = [];
      client.on("message", (topic) => topics.push(topic));
      return topics;
    };
    for (const [session, expected] of [
      [asOther, [TOPIC]],
      [asOwner, ["alarm/hall", TOPIC]],
    ] as const) {
      const client = connectLater(`mqtt://127.0.0.1:${port}`, session);
      sensors.push(client);
      const topics = received(client);
      await eventually("the waiting messages", () => topics.length >= expected.length);
      expect(topics).toEqual(expected);
    }
  });

  test("rejects clients without a password once there is an account", async () => {
    await expect(sensor({ reconnectPeriod: 0 })).rejects.toThrow(/[Nn]ot authorized/);
    await expect(as({ ...ALL, password: "a guess" })).rejects.toThrow(/[Nn]ot authorized/);
  });
});
