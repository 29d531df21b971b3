import type { IClientOptions, MqttClient } from "mqtt";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { DiscoveredDevice, DiscoveryOptions, Query } from "../domain/discovery/device.ts";
import { LeftOutList, type LeftOut } from "../domain/discovery/left-out.ts";
import { discoveredDevices, queriesAfter, SOURCE_FILTERS } from "../domain/discovery/sources.ts";
import { messageOf } from "../domain/errors.ts";
import { clientOf, endWithoutReconnect } from "./broker-client.ts";
import type { BrokerAddress } from "../domain/mqtt-broker.ts";
import { leftOutBytes } from "./oversized-payloads.ts";
import { PACKET_BYTES_MAX, ReceivedMessages } from "./received-messages.ts";

interface DiscoverySessionOptions {
  readonly broker: BrokerAddress;
  readonly clock: Clock;
  readonly discovery: DiscoveryOptions;
  /** Called for every message, before it is kept. */
  readonly onMessage?: (message: ReceivedMessage) => void;
}

/** A message with its payload as the broker sent it. */
export interface ReceivedMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly isRetained: boolean;
  /** Wall clock, milliseconds since 1970. */
  readonly atMs: number;
}

/** State of the session: `denied` if the broker does not allow this account to read any topic. */
export interface SessionState {
  readonly state: "starting" | "listening" | "unreachable" | "denied";
  /** Why it does not listen; null if it does. */
  readonly reason: string | null;
}

const CONNECT_TIMEOUT_MS = 10_000;
const RECONNECT_MS = 5_000;
/** A device answers with several messages; they are looked at together. */
const ASK_AFTER_MS = 200;
/** Return codes from this one on deny a subscription (MQTT 3.1.1, 3.9.3). */
const SUBACK_FAILURE = 0x80;
/** Queries on one connection; a site with 200 Shelly devices gets 601. */
const QUERIES_MAX = 2_000;

/**
 * Listens to everything at a broker, and asks the devices that say what they have only when asked. A session of its own that
 * leaves nothing behind, with QoS 0 in both directions: it takes no message from the session of the zones.
 */
export class DiscoverySession {
  readonly messages: ReceivedMessages;
  readonly #options: DiscoverySessionOptions;
  readonly #asked = new Set<string>();
  readonly #queriedTopics = new Set<string>();
  #client: MqttClient | undefined;
  #state: SessionState = { state: "starting", reason: null };
  #cancelAsk: CancelTimer | undefined;
  #isStopped = false;
  #hasUnsentQueries = false;

  constructor(options: DiscoverySessionOptions) {
    this.#options = options;
    this.messages = new ReceivedMessages(options.discovery);
  }

  /** The devices found so far, and what is missing among them because of a limit. */
  found(): { readonly devices: DiscoveredDevice[]; readonly leftOut: LeftOut[] } {
    const list = new LeftOutList();
    const { unreadAnnouncements } = this.messages;
    if (unreadAnnouncements > 0) list.add("announcements", unreadAnnouncements);
    if (this.#hasUnsentQueries) list.add("queries", QUERIES_MAX);
    const options = { ...this.#options.discovery, onLeftOut: list.add };
    const devices = discoveredDevices(this.messages.all(), options);
    return { devices, leftOut: list.list() };
  }

  /** Whether this session has asked on a topic, so that a message there may be its own. */
  hasAskedOn(topic: string): boolean {
    return this.#queriedTopics.has(topic);
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Connects, and again whenever the connection ends. */
  async start(): Promise<void> {
    const { default: mqtt } = await import("mqtt");
    if (this.#isStopped) return;
    const { url, credentials, tls } = this.#options.broker;
    const options: IClientOptions = {
      ...credentials,
      ...tls,
      protocolVersion: 4,
      clean: true,
      resubscribe: false,
      queueQoSZero: false,
      reconnectPeriod: RECONNECT_MS,
      connectTimeout: CONNECT_TIMEOUT_MS,
    };
    const client = clientOf(mqtt.connect, url, options, PACKET_BYTES_MAX);
    this.#client = client;
    client.on("connect", () => this.#onConnected(client));
    client.on("error", (error) => {
      this.#state = { state: "unreachable", reason: messageOf(error) };
    });
    client.on("close", () => {
      this.#cancelAsk?.();
      this.#cancelAsk = undefined;
      if (this.#state.state !== "unreachable")
        this.#state = { state: "unreachable", reason: "the broker closed the connection" };
    });
    client.on("message", (topic, payload, { retain }) => {
      if (leftOutBytes(payload) !== undefined) return this.messages.leave(topic);
      const atMs = this.#options.clock.wallMs();
      this.#options.onMessage?.({ topic, payload, isRetained: retain, atMs });
      if (this.messages.take(topic, payload, retain, atMs)) this.#askSoon();
    });
    client.connect();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelAsk?.();
    const client = this.#client;
    if (client) await endWithoutReconnect(client);
  }

  #onConnected(client: MqttClient): void {
    this.#asked.clear();
    this.#hasUnsentQueries = false;
    this.#subscribe(client, ["#"], () => {
      const { replyTo, prefix } = this.#options.discovery;
      // An account with access rules may read what devices say, and not everything else.
      const filters = [...SOURCE_FILTERS, `${prefix}/#`, `${replyTo}/#`];
      this.#subscribe(client, [...new Set(filters)], () => {
        this.#state = { state: "denied", reason: "the broker does not allow this account to read any topic" };
      });
    });
  }

  #subscribe(client: MqttClient, filters: string[], onDenied: () => void): void {
    client.subscribe(filters, { qos: 0 }, (error, _granted, answer) => {
      const codes = answer?.granted ?? [];
      const isDenied = codes.length > 0 && codes.every((code) => Number(code) >= SUBACK_FAILURE);
      if (isDenied) onDenied();
      else if (!error) {
        this.#state = { state: "listening", reason: null };
        this.#askSoon();
      }
    });
  }

  #askSoon(): void {
    this.#cancelAsk ??= this.#options.clock.after(ASK_AFTER_MS, () => {
      this.#cancelAsk = undefined;
      this.#ask();
    });
  }

  #ask(): void {
    const client = this.#client;
    if (!client?.connected) return;
    for (const query of queriesAfter(this.messages.all(), this.#options.discovery)) {
      const key = keyOf(query);
      if (this.#asked.has(key)) continue;
      if (this.#asked.size >= QUERIES_MAX) {
        this.#hasUnsentQueries = true;
        break;
      }
      this.#asked.add(key);
      this.#queriedTopics.add(query.topic);
      client.publish(query.topic, query.payload, { qos: 0 });
    }
  }
}

function keyOf({ topic, payload }: Query): string {
  return `${topic} ${payload}`;
}
