import type { MqttClient } from "mqtt";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { clientOf } from "./broker-client.ts";
import type { BrokerAddress } from "../domain/mqtt-broker.ts";
import type { Broker } from "./broker.ts";
import type { MqttSource } from "./mqtt-source.ts";

/** Publishes retained messages at a broker; on each connection all of them are published again. */
export interface RetainedPublisher {
  /**
   * @param onConnected called on each connection
   * @param availability topic whose last will is `offline`; undefined for none
   */
  start(onConnected: () => void, availability: string | undefined): Promise<void>;
  publish(topic: string, payload: string): void;
  stop(): Promise<void>;
}

const RECONNECT_MS = 5_000;

/**
 * Publishes at an external broker, over a separate connection that cannot delay readings. Messages are not queued while
 * the broker is unreachable; the caller publishes everything again on each connection.
 */
export class ExternalPublisher implements RetainedPublisher {
  readonly #broker: BrokerAddress;
  readonly #clientId: string;
  readonly #log: Log;
  #client: MqttClient | undefined;

  constructor({ broker, clientId, log }: { broker: BrokerAddress; clientId: string; log: Log }) {
    this.#broker = broker;
    this.#clientId = clientId;
    this.#log = log;
  }

  async start(onConnected: () => void, availability: string | undefined): Promise<void> {
    const { default: mqtt } = await import("mqtt");
    const { url, credentials, tls } = this.#broker;
    const client = clientOf(mqtt.connect, url, {
      ...credentials,
      ...tls,
      clientId: this.#clientId,
      protocolVersion: 4,
      clean: true,
      reconnectPeriod: RECONNECT_MS,
      reconnectOnConnackError: true,
      ...(availability === undefined ? {} : { will: willAt(availability) }),
    });
    this.#client = client;
    client.on("connect", onConnected);
    // An unreachable broker is reported by the readings.
    client.on("error", (error) => this.#log.debug("mqtt-publisher-error", { reason: messageOf(error) }));
    client.connect();
  }

  publish(topic: string, payload: string): void {
    if (this.#client?.connected)
      this.#client.publish(topic, payload, { qos: 1, retain: true }, this.#onPublished);
  }

  /**
   * Publishes, and resolves once the broker has it. At the limit the message is given up: the client would keep it, one more
   * with each repetition at a broker that never acknowledges, and send all of them again on the next connection.
   * @throws Error without a connection, and at the limit
   */
  async deliver(topic: string, payload: string, limit: AbortSignal): Promise<void> {
    const client = this.#client;
    if (!client?.connected) throw new Error("the broker is not connected");
    const delivered = client.publishAsync(topic, payload, { qos: 1, retain: true });
    const id = client.getLastMessageId();
    const giveUp = (): void => void client.removeOutgoingMessage(id);
    limit.addEventListener("abort", giveUp, { once: true });
    try {
      await delivered;
    } finally {
      limit.removeEventListener("abort", giveUp);
    }
  }

  async stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    // Closed without DISCONNECT, so that the broker publishes the last will.
    if (client) await client.endAsync(true).catch(() => "it has ended already");
  }

  readonly #onPublished = (error?: Error | null): void => {
    if (error) this.#log.debug("mqtt-publisher-error", { reason: error.message });
  };
}

function willAt(topic: string) {
  return { topic, payload: Buffer.from("offline"), qos: 1, retain: true } as const;
}

/** A broker that does not end a message in this time does not hold up the end of the daemon. */
const OFFLINE_MS_MAX = 1_000;

/** Publishes at the built-in broker. */
export class BuiltInPublisher implements RetainedPublisher {
  readonly #broker: Broker;
  readonly #log: Log;
  #availability: string | undefined;
  #isStarted = false;

  constructor(broker: Broker, log: Log) {
    this.#broker = broker;
    this.#log = log;
  }

  async start(onConnected: () => void, availability: string | undefined): Promise<void> {
    this.#isStarted = true;
    this.#availability = availability;
    const { onRestarted } = this.#broker;
    this.#broker.onRestarted = () => {
      onRestarted();
      if (this.#isStarted) onConnected();
    };
    onConnected();
    return Promise.resolve();
  }

  publish(topic: string, payload: string): void {
    if (!this.#isStarted) return;
    // After a restart of its thread everything is published again.
    this.#broker
      .publish(topic, payload)
      .catch((error: unknown) => this.#log.debug("mqtt-publisher-error", { reason: messageOf(error) }));
  }

  /** Publishes, and resolves once it is sent to the clients. @throws Error while the broker does not run */
  async deliver(topic: string, payload: string): Promise<void> {
    if (!this.#isStarted) throw new Error("the broker is not connected");
    await this.#broker.publish(topic, payload);
  }

  /** The broker has no last will of the daemon: it is published here. */
  async stop(): Promise<void> {
    const availability = this.#availability;
    this.#isStarted = false;
    if (availability === undefined) return;
    const limit = AbortSignal.timeout(OFFLINE_MS_MAX);
    const late = new Promise<void>((resolve) => {
      limit.addEventListener("abort", () => resolve(), { once: true });
    });
    const sent = this.#broker.publish(availability, "offline").catch(() => "the broker has ended already");
    await Promise.race([sent, late]);
  }
}

/** A publisher at the broker that the readings come from. @param suffix of its client id at an external broker */
export function publisherAt(
  builtIn: Broker | undefined,
  { mqtt, log }: { readonly mqtt: MqttSource; readonly log: Log },
  suffix: string,
): BuiltInPublisher | ExternalPublisher | undefined {
  if (builtIn) return new BuiltInPublisher(builtIn, log);
  if (mqtt.mode !== "external") return undefined;
  return new ExternalPublisher({ broker: mqtt, clientId: `${mqtt.clientId}-${suffix}`, log });
}
