import { connect as connectLater, connectAsync, type MqttClient } from "mqtt";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { MqttReadings, MqttReadingsOptions } from "../../src/inputs/mqtt-readings.ts";
import { startScriptedBroker, type ScriptedBroker } from "../support/scripted-broker.ts";
import { TestAuthority } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithMosquitto, startMosquitto, type Mosquitto } from "../support/mosquitto.ts";
import { CLIENT_ID, readingsOf } from "../support/mqtt-readings.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

const DOOR = zoneOf({ input: { mqtt: "door", open: ["ON"], normal: ["OFF"] } });

let site: MonitoredZones;
let readings: MqttReadings;
beforeEach(() => {
  site = MonitoredZones.forTest([DOOR]);
});
afterEach(() => readings.stop());

async function start(url: string, more: Partial<MqttReadingsOptions> = {}): Promise<void> {
  readings = readingsOf(site, url, more);
  await readings.start();
}

function subscribed(times = 1): Promise<unknown> {
  return eventually("the subscription", () => site.logged("mqtt-subscribed").length >= times);
}

describe("a broker that rejects the sign-in for a time", () => {
  let broker: ScriptedBroker;
  let isOpen = false;

  beforeEach(async () => {
    isOpen = false;
    broker = await startScriptedBroker({
      authenticate: (_client, _name, _password, done) => done(null, isOpen),
    });
  });
  afterEach(() => broker.stop());

  test("delivers readings as soon as it accepts the sign-in", async () => {
    await start(broker.url);
    await eventually("the condition", () => site.conditions.includes("mqtt-unreachable"));
    isOpen = true;
    await subscribed();
    expect(site.conditions).toEqual([]);
  });
});

describe("a broker that disconnects clients that subscribe to its statistics", () => {
  /** How many connections still end at it. */
  let ends = 0;
  let granted = 0;
  let broker: ScriptedBroker;

  beforeEach(async () => {
    granted = 0;
    broker = await startScriptedBroker({
      authorizeSubscribe: (_client, subscription, done) => {
        if (!subscription.topic.startsWith("$SYS/")) return done(null, subscription);
        ends -= 1;
        if (ends < 0) granted += 1;
        return done(ends < 0 ? null : new Error("not allowed"), subscription);
      },
    });
  });
  afterEach(async () => {
    await readings.stop();
    await broker.stop();
  });

  test("is asked until three connections have ended at it, and again once one has lasted a minute", async () => {
    ends = 1_000;
    await start(broker.url);
    await subscribed();
    expect(site.logged("mqtt-drop-count-unavailable")).toHaveLength(3);
    site.clock.advance(60_000);
    ends = 0;
    await broker.stop();
    await eventually("the end", () => site.conditions.includes("mqtt-unreachable"));
    await broker.startAgain();
    await eventually("the subscription", () => granted === 1);
  });

  test("for a time is asked again on the next connection", async () => {
    ends = 1;
    await start(broker.url);
    await subscribed();
    await eventually("the subscription", () => granted === 1);
  });
});

describeWithMosquitto("two daemons under one client id", () => {
  let broker: Mosquitto;
  let other: MqttClient;

  beforeEach(async () => {
    broker = await startMosquitto();
  });
  afterEach(async () => {
    await other.endAsync(true);
    await broker.stop();
  });

  test("two clients with one id do not replace each other indefinitely: the daemon steps back, reports the reason, and retries later", async () => {
    await start(broker.url);
    await subscribed();
    other = await connectAsync(broker.url, { clientId: CLIENT_ID, reconnectPeriod: 50 });
    other.on("error", () => "pushed out");
    await eventually("the condition", () => site.conditions.includes("mqtt-session-taken-over"));
    expect(site.conditions).not.toContain("mqtt-unreachable");
    expect(site.health.list()[0]?.text).toContain(CLIENT_ID);
    const connections = site.logged("mqtt-connected").length;

    await eventually("the other to be connected", () => other.connected);
    await other.endAsync(true);
    expect(site.logged("mqtt-connected")).toHaveLength(connections);
    site.clock.advance(300_000);
    await subscribed(connections + 1);
    site.clock.advance(60_000);
    expect(site.conditions).toEqual([]);
    // Messages that the other client received meanwhile are lost for ours.
    expect(site.events.map(({ subject }) => subject)).toContain("mqtt-session-taken-over");
  });
});

describeWithMosquitto("a broker with full queues", () => {
  let broker: Mosquitto;
  let sensor: MqttClient;

  beforeEach(async () => {
    broker = await startMosquitto(["sys_interval 1", "max_queued_messages 1"]);
    sensor = await connectAsync(broker.url);
  });
  afterEach(async () => {
    await sensor.endAsync(true);
    await broker.stop();
  });

  test("that drops messages is a condition, for a day", async () => {
    const absent = await connectAsync(broker.url, { clientId: "absent", clean: false });
    await absent.subscribeAsync("door", { qos: 1 });
    await absent.endAsync();
    await start(broker.url);
    await subscribed();
    // Without a first count new drops cannot be detected.
    const publish = (): Promise<unknown> => sensor.publishAsync("door", "OFF", { qos: 1 });
    await eventually("the condition", async () => {
      await publish();
      return site.conditions.includes("mqtt-broker-drops-messages");
    });
    expect(site.health.list()[0]?.text).toContain("max_queued_messages");
    site.clock.advance(86_400_000);
    expect(site.conditions).not.toContain("mqtt-broker-drops-messages");
  });

  test("that drops messages while the daemon is offline is a condition when it is back", async () => {
    await start(broker.url);
    await subscribed();
    await eventually("the first count", () => site.journal.brokerCounts.find(new URL(broker.url).host) === 0);
    await readings.stop();
    site.restart();
    for (let time = 0; time < 3; time += 1) await sensor.publishAsync("door", "OFF", { qos: 1 });
    await start(broker.url);
    await eventually("the condition", () => site.conditions.includes("mqtt-broker-drops-messages"));
  });
});

describeWithMosquitto("an encrypted broker", () => {
  let authority: TestAuthority;
  let broker: Mosquitto;

  beforeEach(async () => {
    authority = await TestAuthority.make();
    const server = await authority.sign("127.0.0.1");
    broker = await startMosquitto([
      `cafile ${authority.file("ca.pem", authority.ca)}`,
      `certfile ${authority.file("server.pem", server.cert)}`,
      `keyfile ${authority.file("server.key", server.key)}`,
      "require_certificate true",
      "use_identity_as_username true",
    ]);
  });
  afterEach(async () => {
    await broker.stop();
    authority.remove();
  });

  test("authenticates the daemon by certificate and is verified by its own", async () => {
    const { ca } = authority;
    await start(broker.url.replace("mqtt:", "mqtts:"), { tls: { ca, ...(await authority.sign("edge")) } });
    await subscribed();
    expect(site.conditions).toEqual([]);
  });

  test("that another authority has signed is rejected", async () => {
    const stranger = await TestAuthority.make();
    const tls = { ca: stranger.ca, ...(await authority.sign("edge")) };
    stranger.remove();
    await start(broker.url.replace("mqtt:", "mqtts:"), { tls });
    await eventually("the reason", () => /signature|certificate/.test(site.health.list()[0]?.text ?? ""));
  });
});

describeWithMosquitto("a topic that leaves the configuration while the daemon is stopped", () => {
  const GATE = zoneOf({ id: "gate", input: { mqtt: "gate", open: ["ON"], normal: ["OFF"] } });
  let broker: Mosquitto;
  beforeEach(async () => {
    broker = await startMosquitto();
  });
  afterEach(() => broker.stop());

  test("is unsubscribed after the next start", async () => {
    let stored: readonly string[] = [];
    const filterStore = { list: () => stored, save: (filters: readonly string[]) => void (stored = filters) };
    site.restart([DOOR, GATE]);
    await start(broker.url, { filterStore });
    await subscribed();
    expect(stored).toEqual(["door", "gate"]);
    await readings.stop();
    site.restart([DOOR]);
    await start(broker.url, { filterStore });
    await eventually("the end of the subscription", () => stored.length === 1);
    await readings.stop();
    const sensor = await connectAsync(broker.url);
    for (const topic of ["gate", "door"]) await sensor.publishAsync(topic, "OFF", { qos: 1 });
    await sensor.endAsync();
    const received: string[] = [];
    const same = connectLater(broker.url, { clientId: CLIENT_ID, clean: false, reconnectPeriod: 0 });
    same.on("message", (topic) => received.push(topic));
    await eventually("what the broker has queued", () => received.includes("door"));
    expect(received).toEqual(["door"]);
    await same.endAsync(true);
  });
});
