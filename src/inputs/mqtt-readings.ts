import type { IClientOptions, MqttClient, Packet } from "mqtt";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { brokerName, type BrokerAddress } from "../domain/mqtt-broker.ts";
import type { BrokerCountStore } from "../store/messages.ts";
import { clientOf, disconnect, endWithoutReconnect, type Connect } from "./broker-client.ts";
import { MessageIntake } from "./message-intake.ts";
import { DroppedMessages, DROPPED_TOPIC } from "./dropped-messages.ts";
import { BrokerAbsence, BrokerSubscriptions, SessionTakeovers, type FilterStore } from "./mqtt-session.ts";
import type { MqttZones } from "./mqtt-zones.ts";
import { OptionalSubscription } from "./optional-subscription.ts";
import { StaleRetained } from "./stale-retained.ts";
import { SessionEnds, type FormerSessions } from "./session-ends.ts";

export interface MqttReadingsOptions extends BrokerAddress {
  /** Fixed for the life of the installation: the broker stores the session and its messages under this id. */
  readonly clientId: string;
  /** Whether the client id is of this run only, because none can be stored. */
  readonly isTemporary?: boolean;
  /** Sessions to end at the broker; none by default. */
  readonly formerSessions?: FormerSessions;
  readonly filterStore?: FilterStore;
  readonly zones: MqttZones;
  readonly brokerCounts: BrokerCountStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

/** Delay before the connection is closed after a failed journal write; doubles, to limit redeliveries on a full disk. */
const REDELIVERY_DELAY_MS = 1_000;
/** Below the keepalive: until the connection is closed, responses to pings are not read. */
const REDELIVERY_DELAY_MS_MAX = 20_000;
const RECONNECT_MS = 2_000;
/** Time without a connection attempt after session takeovers; the broker queues messages in the meantime. */
const TAKEOVER_PAUSE_MS = 300_000;
/** A connection that lasts this long is not affected by session takeovers. */
const STABLE_CONNECTION_MS = 60_000;
const NO_REASON = "the connection ended";

/**
 * The readings of an external broker, over one persistent session with QoS 1.
 *
 * A message is acknowledged only after its trip is committed. It is processed in `handleMessage` of mqtt.js, which sends
 * no PUBACK before its callback is called; the `message` event would be too late.
 */
export class MqttReadings {
  readonly #options: MqttReadingsOptions;
  #client: MqttClient | undefined;
  #cancelRedelivery: CancelTimer | undefined;
  /** Consecutive failed journal writes. */
  #failures = 0;
  /** Why there is no connection, as far as known since the last one. */
  #reason = NO_REASON;
  /** Messages of the current connection. */
  #intake: MessageIntake | undefined;
  readonly #takeovers: SessionTakeovers;
  readonly #absence: BrokerAbsence;
  readonly #drops: DroppedMessages;
  readonly #subscriptions: BrokerSubscriptions;
  readonly #ends: SessionEnds;
  readonly #count: OptionalSubscription;
  readonly #staleRetained: StaleRetained;
  /** Whether the broker has accepted the current connection. */
  #isAccepted = false;
  #cancelPause: CancelTimer | undefined;
  #cancelStable: CancelTimer | undefined;

  constructor(options: MqttReadingsOptions) {
    this.#options = options;
    this.#takeovers = new SessionTakeovers(options.clock);
    this.#absence = new BrokerAbsence(options.clock, () => options.zones.loseGates());
    this.#subscriptions = new BrokerSubscriptions(options);
    this.#ends = new SessionEnds(options);
    this.#staleRetained = new StaleRetained({
      ...options,
      filters: () => options.zones.filters,
      readAgain: (filter) =>
        this.#client?.subscribe(filter, { qos: 1 }, () => "the next connection tries again"),
    });
    this.#count = new OptionalSubscription((reason) =>
      options.log.debug("mqtt-drop-count-unavailable", { reason }),
    );
    this.#drops = new DroppedMessages({ ...options, broker: brokerName(options.url) });
  }

  /** Starts connecting; an unreachable broker raises a condition and is retried indefinitely. */
  async start(): Promise<void> {
    const { default: mqtt } = await import("mqtt");
    this.#open(mqtt.connect);
  }

  /**
   * Subscribes to topics, and the broker sends their retained messages again; without a connection, the next one does it.
   * @returns once the broker has responded, or after a few seconds
   */
  async listen(topics: readonly string[]): Promise<void> {
    if (this.#client?.connected === true) await this.#subscriptions.listen(this.#client, topics);
  }

  /** Unsubscribes from topics. @returns as `listen` */
  leave(topics: readonly string[]): Promise<void> {
    return this.#subscriptions.leave(this.#client, topics);
  }

  async stop(): Promise<void> {
    this.#cancelRedelivery?.();
    this.#cancelPause?.();
    this.#cancelStable?.();
    this.#staleRetained.closed();
    this.#drops.stop();
    this.#absence.end();
    const client = this.#client;
    this.#client = undefined;
    if (client) client.options.reconnectPeriod = 0;
    // What is committed is acknowledged first: the broker would send it again to the next daemon.
    await this.#intake?.close();
    const isConnected = client?.connected === true;
    if (isConnected) await disconnect(client, this.#options.clock);
    if (client) await endWithoutReconnect(client);
    if (isConnected) await this.#ends.endOwn();
  }

  #open(connect: Connect): void {
    const { url, credentials, tls } = this.#options;
    const client = clientOf(connect, url, { ...this.#sessionOptions(), ...credentials, ...tls });
    this.#client = client;
    // Handlers are set before connecting: a queued message can arrive in the same packet as the CONNACK.
    client.handleMessage = (packet, next) => this.#onPacket(client, packet, next);
    client.on("connect", ({ sessionPresent }) => this.#connected(client, sessionPresent));
    client.on("packetreceive", () => this.#options.zones.deduplication.onActivity(this.#options.clientId));
    client.on("close", () => this.#closed(client, connect));
    client.on("error", (error) => {
      this.#reason = messageOf(error);
      this.#isAccepted = false;
      this.#takeovers.reset();
      this.#onDisconnected();
    });
    client.on("offline", () => {
      // A connection closed by the daemon does not mean that the broker is unreachable.
      if (this.#failures === 0) this.#onDisconnected();
    });
    client.connect();
  }

  #closed(client: MqttClient, connect: Connect): void {
    this.#intake = undefined;
    this.#cancelStable?.();
    this.#staleRetained.closed();
    if (client === this.#client) this.#absence.begin();
    const isTakeover = this.#isAccepted && this.#failures === 0 && client === this.#client;
    this.#isAccepted = false;
    if (!isTakeover || !this.#takeovers.count()) return;
    const { conditions, clock, clientId } = this.#options;
    conditions.raise("mqtt-session-taken-over", { clientId, minutes: TAKEOVER_PAUSE_MS / 60_000 });
    conditions.clear("mqtt-unreachable");
    void endWithoutReconnect(client);
    this.#takeovers.reset();
    this.#cancelPause = clock.after(TAKEOVER_PAUSE_MS, () => this.#open(connect));
  }

  #sessionOptions(): IClientOptions {
    // With MQTT 3.1.1, overlapping filters are delivered once, and the retain flag is reliable.
    return {
      clientId: this.#options.clientId,
      clean: this.#ends.isWithConnection,
      protocolVersion: 4,
      reconnectPeriod: RECONNECT_MS,
      // A rejected sign-in may be a broker that is still starting, or a password that is corrected there.
      reconnectOnConnackError: true,
      keepalive: 30,
      resubscribe: false,
      queueQoSZero: false,
    };
  }

  #onPacket(client: MqttClient, packet: Packet, next: (error?: Error) => void): void {
    if (packet.cmd !== "publish") next();
    else if (packet.topic === DROPPED_TOPIC) {
      this.#drops.read(Buffer.from(packet.payload as Uint8Array));
      next();
    } else {
      this.#intake ??= this.#openIntake(client);
      this.#intake.take(packet, next);
    }
  }

  #openIntake({ stream }: MqttClient): MessageIntake {
    const { zones, clientId, log } = this.#options;
    return new MessageIntake({
      zones,
      staleRetained: this.#staleRetained,
      session: clientId,
      stream,
      onRecorded: () => (this.#failures = 0),
      onFailed: (topic, error) => {
        log.error("mqtt-message-write-failed", { topic, error });
        this.#redeliverLater(stream);
      },
    });
  }

  /** The broker keeps unacknowledged messages, and sends them again on the next connection. */
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
    this.#absence.end();
    this.#cancelStable = clock.after(STABLE_CONNECTION_MS, () => {
      conditions.clear("mqtt-session-taken-over");
      this.#count.retry();
      this.#staleRetained.stable();
      this.#subscriptions.retryOptional();
    });
    zones.deduplication.connected(clientId, sessionPresent);
    this.#staleRetained.connected();
    conditions.clear("mqtt-unreachable");
    log.info("mqtt-connected", { url: brokerName(url), sessionPresent });
    this.#count.subscribe(client, [DROPPED_TOPIC], 0);
    void this.#ends.endFormer();
    // On every connection, even if the broker kept the subscriptions: it then sends the retained messages again, which
    // is the only source for changes of sensors with QoS 0 in the meantime. An unchanged value is not an edge.
    this.#subscriptions.connected(client, [...zones.filters, ...zones.deviceLists]);
  }

  #onDisconnected(): void {
    const { conditions, url } = this.#options;
    const values = { broker: brokerName(url), reason: this.#reason, seconds: RECONNECT_MS / 1000 };
    conditions.raise("mqtt-unreachable", values);
  }
}
