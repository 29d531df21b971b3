import type { IClientOptions, MqttClient } from "mqtt";
import type { Clock } from "../domain/clock.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import type { BrokerAddress } from "../domain/mqtt-broker.ts";
import { clientOf } from "./broker-client.ts";
import { leftOutBytes } from "./oversized-payloads.ts";

interface BrokerProbeOptions {
  readonly broker: BrokerAddress;
  readonly clock: Clock;
  /** Part of the client id and the topic of the probe; random, so that it is unique at the broker. */
  readonly name: string;
}

/** What a broker kept for a session whose client was offline. */
export interface BrokerProbeResult {
  readonly keepsSession: boolean;
  readonly keepsQos1: boolean;
  readonly keepsQos0: boolean;
  /** Number of kept messages out of `QUEUED` with QoS 1. */
  readonly kept: number;
}

/** More than the 1,000 messages that Mosquitto queues by default. */
export const QUEUED = 1_100;
const CONNECT_TIMEOUT_MS = 10_000;
/** After this time without a message, no further ones are expected. */
const QUIET_MS = 2_000;

/**
 * Tests what a broker keeps for an offline client. A separate session subscribes and disconnects, messages are
 * published, and the session reconnects. The session is deleted at the end.
 * @throws AppError `unavailable` when the broker cannot be reached or denies this account access
 */
export async function probeBroker({ broker, clock, name }: BrokerProbeOptions): Promise<BrokerProbeResult> {
  const topic = `santinela/probe/${name}`;
  const session = { clientId: `santinela-probe-${name}`, clean: false };
  const writer = await connected(broker, {});
  try {
    const before = await connected(broker, session);
    await assertAccess(before, writer, topic, clock);
    await before.endAsync();
    await writer.publishAsync(topic, "qos 0", { qos: 0 });
    await writer.publishAsync(topic, "qos 1", { qos: 1 });
    for (let sent = 0; sent < QUEUED; sent += 100)
      await Promise.all(
        Array.from({ length: 100 }, () => writer.publishAsync(topic, "one of many", { qos: 1 })),
      );
    const { client, sessionPresent, payloads } = await reconnect(broker, session, clock);
    await client.endAsync(true);
    return {
      keepsSession: sessionPresent,
      keepsQos0: payloads.includes("qos 0"),
      keepsQos1: payloads.includes("qos 1"),
      kept: payloads.filter((payload) => payload === "one of many").length,
    };
  } finally {
    await writer.endAsync(true);
    await deleteSession(broker, session.clientId).catch(() => {});
  }
}

/**
 * Deletes a client's session at a broker by connecting with a clean session and the same client id.
 * @throws AppError `unavailable` when the broker cannot be reached
 */
export async function deleteSession(broker: BrokerAddress, clientId: string): Promise<void> {
  const last = await connected(broker, { clientId, clean: true });
  await last.endAsync();
}

/**
 * Subscribes to topics as the daemon does, with a session that leaves nothing behind.
 * @param take called with each message and the QoS of its publisher
 * @throws AppError `unavailable` when the broker cannot be reached or denies read access
 */
export async function listenTo(
  broker: BrokerAddress,
  filters: readonly string[],
  clock: Clock,
  forMs: number,
  take: (message: { topic: string; payload: Buffer; qos: number }) => void,
): Promise<void> {
  const client = await connected(broker, {});
  try {
    client.on("message", (topic, payload, { qos }) => {
      if (leftOutBytes(payload) === undefined) take({ topic, payload, qos });
    });
    // QoS 2 is the maximum, so every message arrives with the QoS of its publisher.
    await client.subscribeAsync([...filters], { qos: 2 }).catch((error: unknown) => {
      throw new AppError("unavailable", `the broker denies this account read access: ${messageOf(error)}`);
    });
    await wait(clock, forMs);
  } finally {
    await client.endAsync(true);
  }
}

async function connected(broker: BrokerAddress, options: IClientOptions): Promise<MqttClient> {
  const client = await clientAt(broker, options);
  try {
    await connection(client);
    return client;
  } catch (cause) {
    client.end(true);
    throw new AppError("unavailable", `the MQTT broker cannot be reached: ${messageOf(cause)}`, {
      hint: "Check that it runs and that mqtt.url, username, passwordFile and tls are correct.",
      cause,
    });
  }
}

function optionsOf({ credentials, tls }: BrokerAddress): IClientOptions {
  return {
    ...credentials,
    ...tls,
    protocolVersion: 4,
    reconnectPeriod: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    clean: true,
  };
}

/** Verifies access to the probe's topic, so that a missing message later means that the broker dropped it. */
async function assertAccess(
  client: MqttClient,
  writer: MqttClient,
  topic: string,
  clock: Clock,
): Promise<void> {
  const denied = new AppError("unavailable", `the broker denies this account access to ${topic}`, {
    hint: "Allow it to read and write santinela/probe/#; the probe needs this to test whether a trip can be lost.",
  });
  const received = new Promise<true>((resolve) => client.once("message", () => resolve(true)));
  await client.subscribeAsync(topic, { qos: 1 }).catch(() => {
    throw denied;
  });
  await writer.publishAsync(topic, "hello", { qos: 1 });
  if ((await Promise.race([received, wait(clock, QUIET_MS)])) !== true) throw denied;
}

async function reconnect(
  broker: BrokerAddress,
  session: IClientOptions,
  clock: Clock,
): Promise<{ client: MqttClient; sessionPresent: boolean; payloads: string[] }> {
  const client = await clientAt(broker, session);
  const payloads: string[] = [];
  client.on("message", (_topic, payload) => payloads.push(payload.toString("latin1")));
  const sessionPresent = await connection(client);
  for (let received = -1; payloads.length > received;) {
    received = payloads.length;
    await wait(clock, QUIET_MS);
  }
  return { client, sessionPresent, payloads };
}

async function clientAt(broker: BrokerAddress, options: IClientOptions): Promise<MqttClient> {
  const { default: mqtt } = await import("mqtt");
  return clientOf(mqtt.connect, broker.url, { ...optionsOf(broker), ...options });
}

/** Connects. @returns whether the broker kept the session */
function connection(client: MqttClient): Promise<boolean> {
  const accepted = new Promise<boolean>((resolve, reject) => {
    client.once("connect", ({ sessionPresent }) => resolve(sessionPresent));
    client.once("error", reject);
    client.once("close", () => reject(new AppError("unavailable", "the broker closed the connection")));
  });
  client.connect();
  return accepted;
}

function wait(clock: Clock, delayMs: number): Promise<undefined> {
  return new Promise((resolve) => clock.after(delayMs, () => resolve(undefined)));
}
