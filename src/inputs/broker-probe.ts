import type { IClientOptions, MqttClient } from "mqtt";
import type { Clock } from "../domain/clock.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import { reasonOf } from "./connection-error.ts";

export interface BrokerAddress {
  readonly url: string;
  readonly credentials?: { readonly username: string; readonly password: string };
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

export interface BrokerProbeOptions {
  readonly broker: BrokerAddress;
  readonly clock: Clock;
  /** Names the session of the trial and its topic; random, so that it meets nobody. */
  readonly name: string;
}

/** What a broker did with the messages for a session whose client was away. */
export interface BrokerProbeResult {
  readonly keepsSession: boolean;
  readonly keepsQos1: boolean;
  readonly keepsQos0: boolean;
  /** How many of `QUEUED` messages with QoS 1 it kept. */
  readonly kept: number;
}

/** One more than Mosquitto keeps by itself, and some. */
export const QUEUED = 1_100;
const CONNECT_TIMEOUT_MS = 10_000;
/** A broker that has said nothing for so long has said everything. */
const QUIET_MS = 2_000;

/**
 * Tries out what a broker does with messages for a client that is away: a session of its own subscribes and leaves, the
 * messages are published, and the session comes back to see what was kept. Nothing of it stays at the broker.
 * @throws AppError `unavailable` when the broker cannot be reached, or does not let this account try
 */
export async function probeBroker({ broker, clock, name }: BrokerProbeOptions): Promise<BrokerProbeResult> {
  const topic = `santinela/probe/${name}`;
  const session = { clientId: `santinela-probe-${name}`, clean: false };
  const writer = await connected(broker, {});
  try {
    const before = await connected(broker, session);
    await seesItself(before, writer, topic, clock);
    await before.endAsync();
    await writer.publishAsync(topic, "qos 0", { qos: 0 });
    await writer.publishAsync(topic, "qos 1", { qos: 1 });
    for (let sent = 0; sent < QUEUED; sent += 100)
      await Promise.all(
        Array.from({ length: 100 }, () => writer.publishAsync(topic, "one of many", { qos: 1 })),
      );
    const { client, sessionPresent, payloads } = await comeBack(broker, session, clock);
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
 * Ends what a broker has kept for a client: a clean session under the same name takes its place.
 * @throws AppError `unavailable` when the broker cannot be reached
 */
export async function deleteSession(broker: BrokerAddress, clientId: string): Promise<void> {
  const last = await connected(broker, { clientId, clean: true });
  await last.endAsync();
}

/**
 * Listens to topics as the daemon would, with a session that leaves nothing behind.
 * @param take is given each message with the QoS that its sender chose
 * @throws AppError `unavailable` when the broker cannot be reached
 */
export async function listenTo(
  broker: BrokerAddress,
  filters: readonly string[],
  clock: Clock,
  forMs: number,
  take: (message: { topic: string; payload: Buffer; qos: number; isRetained: boolean }) => void,
): Promise<void> {
  const client = await connected(broker, {});
  try {
    client.on("message", (topic, payload, { qos, retain }) =>
      take({ topic, payload, qos, isRetained: retain }),
    );
    // Nobody publishes above QoS 2, so every message comes as it was sent.
    await client.subscribeAsync([...filters], { qos: 2 }).catch((error: unknown) => {
      throw new AppError("unavailable", `the broker lets this account not read: ${messageOf(error)}`);
    });
    await pass(clock, forMs);
  } finally {
    await client.endAsync(true);
  }
}

async function connected(broker: BrokerAddress, options: IClientOptions): Promise<MqttClient> {
  const { connectAsync } = await import("mqtt");
  try {
    return await connectAsync(broker.url, { ...optionsOf(broker), ...options }, false);
  } catch (cause) {
    throw new AppError("unavailable", `the MQTT broker cannot be reached: ${reasonOf(cause)}`, {
      hint: "Check that it runs and that mqtt.url, username, passwordFile and tls are right.",
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

/** Makes sure that what is missing later was not forbidden in the first place. */
async function seesItself(
  client: MqttClient,
  writer: MqttClient,
  topic: string,
  clock: Clock,
): Promise<void> {
  const refused = new AppError("unavailable", `the broker lets this account not use ${topic}`, {
    hint: "Allow it to read and write santinela/probe/#, or it cannot be tried out whether a trip would be lost.",
  });
  const heard = new Promise<true>((resolve) => client.once("message", () => resolve(true)));
  await client.subscribeAsync(topic, { qos: 1 }).catch(() => {
    throw refused;
  });
  await writer.publishAsync(topic, "hello", { qos: 1 });
  if ((await Promise.race([heard, pass(clock, QUIET_MS)])) !== true) throw refused;
}

async function comeBack(
  broker: BrokerAddress,
  session: IClientOptions,
  clock: Clock,
): Promise<{ client: MqttClient; sessionPresent: boolean; payloads: string[] }> {
  const { default: mqtt } = await import("mqtt");
  const client = mqtt.connect(broker.url, { ...optionsOf(broker), ...session, manualConnect: true });
  const payloads: string[] = [];
  const welcome = new Promise<boolean>((resolve, reject) => {
    client.on("message", (_topic, payload) => payloads.push(payload.toString("latin1")));
    client.once("connect", (packet) => resolve(packet.sessionPresent));
    client.once("error", reject);
    client.once("close", () => reject(new AppError("unavailable", "the broker has ended the connection")));
  });
  client.connect();
  const sessionPresent = await welcome;
  for (let seen = -1; payloads.length > seen;) {
    seen = payloads.length;
    await pass(clock, QUIET_MS);
  }
  return { client, sessionPresent, payloads };
}

function pass(clock: Clock, delayMs: number): Promise<undefined> {
  return new Promise((resolve) => clock.after(delayMs, () => resolve(undefined)));
}
