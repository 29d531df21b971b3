import type { IClientOptions, MqttClient, Packet } from "mqtt";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import type { Log } from "../domain/log.ts";
import type { BrokerCountStore } from "../store/broker-counts.ts";
import { reasonOf } from "./connection-error.ts";
import { BrokerMessages } from "./message-intake.ts";
import { DroppedMessages, DROPPED_TOPIC } from "./dropped-messages.ts";
import { BrokerSubscriptions } from "./broker-subscriptions.ts";
import { SessionTakeovers } from "./session-takeovers.ts";
import type { MqttZones } from "./mqtt-zones.ts";

export interface MqttReadingsOptions {
  readonly url: string;
  /** Fixed for the life of the installation: the broker keeps the session, and the messages in it, under this name. */
  readonly clientId: string;
  readonly credentials?: { readonly username: string; readonly password: string };
  readonly tls?: BrokerTls;
  readonly zones: MqttZones;
  readonly brokerCounts: BrokerCountStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

/** PEM texts: whom to believe that it is the broker, and by what the broker knows us. */
export interface BrokerTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** After a failed journal write the connection is broken so much later, doubling, so that a full disk is no storm. */
const REDELIVERY_DELAY_MS = 1_000;
/** Below the keepalive: until the connection is broken nothing reads the broker's answers to our pings. */
const REDELIVERY_DELAY_MS_MAX = 20_000;
const RECONNECT_MS = 2_000;
/** Whoever shares our name is left alone for so long; the broker keeps our messages meanwhile. */
const TAKEOVER_PAUSE_MS = 300_000;
/** A connection that holds for so long shares its name with nobody. */
const STABLE_CONNECTION_MS = 60_000;
const NO_REASON = "the connection ended";

/**
 * The readings of an external broker, over one persistent session with QoS 1.
 *
 * A message is acknowledged only after its trip is committed: it is taken in mqtt.js's `handleMessage`, which sends no
 * PUBACK before its callback is called. The `message` event would be too late: by then nobody waits for us any more.
 */
export class MqttReadings {
  readonly #options: MqttReadingsOptions;
  #client: MqttClient | undefined;
  #cancelRedelivery: CancelTimer | undefined;
  /** Journal writes that failed in a row. */
  #failures = 0;
  /** Why there is no connection, as far as anything has said so since there last was one. */
  #reason = NO_REASON;
  /** What has come on the connection that there is. */
  #messages: BrokerMessages | undefined;
  readonly #takeovers: SessionTakeovers;
  readonly #drops: DroppedMessages;
  readonly #subscriptions: BrokerSubscriptions;
  #isCountOffered = true;
  /** Whether the broker has accepted the connection that there is. */
  #isAccepted = false;
  #cancelPause: CancelTimer | undefined;
  #cancelUndisturbed: CancelTimer | undefined;

  constructor(options: MqttReadingsOptions) {
    this.#options = options;
    this.#takeovers = new SessionTakeovers(options.clock);
    this.#subscriptions = new BrokerSubscriptions(options);
    this.#drops = new DroppedMessages({ ...options, broker: brokerName(options.url) });
  }

  /** Starts connecting; a broker that is not there is a condition and is tried again for ever. */
  async start(): Promise<void> {
    const { default: mqtt } = await import("mqtt");
    this.#open(mqtt.connect);
  }

  /**
   * Has the broker send that as well, and what it keeps there once more; without a connection the next one does it.
   * @returns once the broker has answered, or after a few seconds
   */
  async listen(topics: readonly string[]): Promise<void> {
    if (this.#client?.connected === true) await this.#subscriptions.listen(this.#client, topics);
  }

  /** Has the broker send that no more. @returns as `listen` */
  leave(topics: readonly string[]): Promise<void> {
    return this.#subscriptions.leave(this.#client, topics);
  }

  async stop(): Promise<void> {
    this.#cancelRedelivery?.();
    this.#cancelPause?.();
    this.#cancelUndisturbed?.();
    this.#drops.stop();
    const client = this.#client;
    this.#client = undefined;
    const ended = this.#messages?.ended();
    if (client) await endForGood(client);
    await ended;
  }

  #open(connect: Connect): void {
    const { url, credentials, tls } = this.#options;
    const client = connect(url, {
      ...this.#sessionOptions(),
      ...credentials,
      ...tls,
      manualConnect: true,
    });
    this.#client = client;
    // All of this stands before the connection: a queued message arrives in the same packet as its welcome.
    client.handleMessage = (packet, next) => this.#take(client, packet, next);
    client.on("connect", ({ sessionPresent }) => this.#connected(client, sessionPresent));
    client.on("packetreceive", () => this.#options.zones.taken.onActivity(this.#options.clientId));
    client.on("close", () => this.#closed(client, connect));
    client.on("error", (error) => {
      this.#reason = reasonOf(error);
      this.#isAccepted = false;
      this.#takeovers.forget();
      this.#onDisconnected();
    });
    client.on("offline", () => {
      // A connection that was broken on purpose says nothing about the broker.
      if (this.#failures === 0) this.#onDisconnected();
    });
    client.connect();
  }

  #closed(client: MqttClient, connect: Connect): void {
    this.#messages = undefined;
    this.#cancelUndisturbed?.();
    const isKickOut = this.#isAccepted && this.#failures === 0 && client === this.#client;
    this.#isAccepted = false;
    if (!isKickOut || !this.#takeovers.count()) return;
    const { conditions, clock, clientId } = this.#options;
    conditions.raise("mqtt-session-taken-over", { clientId, minutes: TAKEOVER_PAUSE_MS / 60_000 });
    conditions.clear("mqtt-unreachable");
    void endForGood(client);
    this.#takeovers.forget();
    this.#cancelPause = clock.after(TAKEOVER_PAUSE_MS, () => this.#open(connect));
  }

  #sessionOptions(): IClientOptions {
    // 3.1.1: overlapping filters are delivered once, and the retain flag means what it says.
    return {
      clientId: this.#options.clientId,
      clean: false,
      protocolVersion: 4,
      reconnectPeriod: RECONNECT_MS,
      // A refused sign-in may be a broker that is still starting, or a password that is mended there.
      reconnectOnConnackError: true,
      keepalive: 30,
      resubscribe: false,
      queueQoSZero: false,
    };
  }

  #take(client: MqttClient, packet: Packet, next: (error?: Error) => void): void {
    if (packet.cmd !== "publish") next();
    else if (packet.topic === DROPPED_TOPIC) {
      this.#drops.read(Buffer.from(packet.payload as Uint8Array));
      next();
    } else {
      this.#messages ??= this.#messagesOf(client);
      this.#messages.take(packet, next);
    }
  }

  #messagesOf({ stream }: MqttClient): BrokerMessages {
    const { zones, clientId, log } = this.#options;
    return new BrokerMessages({
      zones,
      session: clientId,
      stream,
      onRecorded: () => (this.#failures = 0),
      onFailed: (topic, error) => {
        log.error("mqtt-message-write-failed", { topic, error });
        this.#redeliverLater(stream);
      },
    });
  }

  /** The broker keeps what is not acknowledged, and sends it again once the connection was broken and made anew. */
  #redeliverLater(stream: MqttClient["stream"]): void {
    const delayMs = Math.min(REDELIVERY_DELAY_MS_MAX, REDELIVERY_DELAY_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#cancelRedelivery?.();
    this.#cancelRedelivery = this.#options.clock.after(delayMs, () => stream.destroy());
  }

  #connected(client: MqttClient, sessionPresent: boolean): void {
    const { conditions, clock, log, zones, url, clientId } = this.#options;
    this.#reason = NO_REASON;
    this.#isAccepted = true;
    this.#cancelUndisturbed = clock.after(STABLE_CONNECTION_MS, () =>
      conditions.clear("mqtt-session-taken-over"),
    );
    zones.taken.connected(clientId, sessionPresent);
    conditions.clear("mqtt-unreachable");
    log.info("mqtt-connected", { url: brokerName(url), sessionPresent });
    if (this.#isCountOffered) this.#readCount(client);
    // On every connection, also where the broker still knows the subscriptions: it then sends the retained values once
    // more, and only they tell what a sensor with QoS 0 has said in the meantime. A value that is no news is no edge.
    this.#subscriptions.connected(client, zones.filters);
  }

  /** A broker may keep its count to itself, or end the connection for the question; then it is not asked again. */
  #readCount(client: MqttClient): void {
    client.subscribe(DROPPED_TOPIC, { qos: 0 }, (error) => {
      if (!error) return;
      this.#isCountOffered = false;
      this.#options.log.debug("mqtt-drop-count-unavailable", { reason: error.message });
    });
  }

  #onDisconnected(): void {
    const { conditions, url } = this.#options;
    const values = { broker: brokerName(url), reason: this.#reason, seconds: RECONNECT_MS / 1000 };
    conditions.raise("mqtt-unreachable", values);
  }
}

/**
 * Ends a client and its reconnection. mqtt.js forgets that it was ended when that happens during an attempt to connect
 * (`manualConnect`): the close of that attempt would start the next one, under the name that the next daemon uses.
 */
async function endForGood(client: MqttClient): Promise<void> {
  client.options.reconnectPeriod = 0;
  await client.endAsync(true).catch(() => "what cannot be ended is over");
}

type Connect = (url: string, options: IClientOptions) => MqttClient;

/** The broker by host and port alone: its address may hold no password, and nothing else is worth a log line. */
function brokerName(url: string): string {
  return url.split("/")[2] ?? "";
}
