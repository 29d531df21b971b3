import type { EventEmitter } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { Aedes, Client, PublishPacket } from "aedes";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { NewEvent } from "../domain/event.ts";
import type { Log } from "../domain/log.ts";
import type { BrokerAccount } from "./broker-accounts.ts";
import { BrokerAdmission } from "./broker-admission.ts";
import { BrokerClients } from "./broker-clients.ts";
import { BrokerLimits } from "./broker-limits.ts";
import type { Persistence } from "./broker-persistence.ts";
import type { MqttZones } from "./mqtt-zones.ts";
import { RetainedMessages } from "./retained-messages.ts";
import { deliveryOf } from "./message-deduplication.ts";

export interface BuiltInBrokerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Who may sign in, and which topics each may use; without any, every client may use every topic. */
  readonly accounts?: readonly BrokerAccount[];
  readonly zones: MqttZones;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Takes an entry for the event log. */
  readonly record: (event: NewEvent) => void;
}

/** What the built-in broker has met and holds. */
export interface BrokerUse {
  readonly limits: readonly { readonly limit: string; readonly count: number }[];
  readonly heldBytes: number;
}

const LISTEN_AGAIN_MS = 5_000;
const LISTEN_AGAIN_MS_MAX = 60_000;
/** A sensor's CONNECT follows its connection at once, over slow radio links within seconds. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * A broker in this process, so that a first run and a small site need nothing else. It gives each message to the zones
 * before it acknowledges it; sessions and retained messages live in memory only.
 */
export class BuiltInBroker {
  readonly #options: BuiltInBrokerOptions;
  readonly #limits: BrokerLimits;
  readonly #clients: BrokerClients;
  readonly #retained: RetainedMessages;
  readonly #admission: BrokerAdmission;
  #aedes: Aedes | undefined;
  #server: Server | undefined;
  #cancelRetry: CancelTimer | undefined;
  #listenAgainMs = LISTEN_AGAIN_MS;
  #isStopping = false;
  /** The topics that something has come on since what is kept was begun to be read, for each time that it is read. */
  readonly #newer = new Set<Set<string>>();
  /** Done when the last message is. */
  #reading: Promise<void> = Promise.resolve();

  constructor(options: BuiltInBrokerOptions) {
    this.#options = options;
    this.#limits = new BrokerLimits(options);
    this.#clients = new BrokerClients(this.#limits, options.log);
    this.#retained = new RetainedMessages(this.#limits);
    const parts = { limits: this.#limits, clients: this.#clients, counts: options.zones.counts };
    this.#admission = new BrokerAdmission({ ...options, ...parts });
  }

  /** Starts listening; a port that is taken is a condition and is tried again. */
  async start(): Promise<void> {
    const { Aedes } = await import("aedes");
    const { log } = this.#options;
    const aedes = await Aedes.createBroker({
      connectTimeout: CONNECT_TIMEOUT_MS,
      // Counted with everything else that is held for a client.
      maxInflightInbound: 0,
      // A refused client gets return code 5, not authorized (MQTT 3.1.1, 3.2.2.3).
      authenticate: (client, username, password, done) =>
        done(null, this.#admission.admits(client, username, password)),
      authorizeSubscribe: (client, subscription, done) =>
        done(null, this.#admission.allowsFilter(client, subscription) ? subscription : null),
      // aedes asks this before it acknowledges a message of any QoS: an error ends the connection without a PUBACK,
      // and the sensor sends the message again.
      authorizePublish: (client, packet, done) => {
        this.#reading = this.#answer(packet, client, done);
      },
      authorizeForward: (_client, packet) => (this.#admission.isForwarded(packet) ? packet : null),
    });
    // aedes declares its types without it.
    this.#clients.watch((aedes as unknown as { readonly persistence: Persistence }).persistence);
    aedes.on("client", ({ id }) => this.#options.zones.taken.connected(id, true));
    aedes.on("unsubscribe", (topics, client) => this.#clients.unsubscribed(client, topics));
    aedes.on("ping", (_packet, { id }) => this.#options.zones.taken.onActivity(id));
    aedes.on("clientError", (_client, error) => log.debug("mqtt-client-error", { error: error.message }));
    // What aedes does by itself, such as sending the wills of clients that are gone; nobody waits for its outcome.
    (aedes as EventEmitter).on("error", (error: Error) => log.error("mqtt-broker-failed", { error }));
    aedes.on("connectionError", (_client, error) =>
      log.debug("mqtt-connection-error", { error: error.message }),
    );
    this.#aedes = aedes;
    await this.#listen();
  }

  /** How often each limit was reached since the start, and the bytes that are held for clients. */
  get use(): BrokerUse {
    const limits = [...this.#limits.counts].map(([limit, count]) => ({ limit, count }));
    return { limits, heldBytes: this.#clients.heldBytes };
  }

  /** Everything that is published comes here; what zones that are new listen to needs no asking. */
  async listen(topics: readonly string[]): Promise<void> {
    const aedes = this.#aedes;
    if (!aedes || topics.length === 0) return;
    const { zones, log } = this.#options;
    const newer = new Set<string>();
    this.#newer.add(newer);
    try {
      // aedes declares its types without it.
      const { persistence } = aedes as unknown as { readonly persistence: RetainedStore };
      const kept = persistence.createRetainedStreamCombi([...topics]);
      for await (const { topic, payload } of kept)
        // What has come meanwhile is newer than what was kept.
        if (!newer.has(topic))
          await zones.deliver({ topic, payload: Buffer.from(payload), isRetained: true });
    } catch (error) {
      log.error("mqtt-retained-not-read", { error });
    } finally {
      this.#newer.delete(newer);
    }
  }

  /** There is nothing to be left: what no zone listens to is only passed on. */
  async leave(): Promise<void> {
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    // Ending a connection lets its client's last will out. It would say that a sensor has failed, and it is we who go.
    this.#isStopping = true;
    this.#cancelRetry?.();
    this.#server?.close();
    this.#clients.endAll();
    this.#limits.stop();
    const aedes = this.#aedes;
    this.#aedes = undefined;
    if (aedes) await new Promise<void>((resolve) => aedes.close(() => resolve()));
    await this.#reading;
  }

  /** Publishes something of our own and keeps it for whoever subscribes later. */
  publish(topic: string, payload: string): void {
    const { log } = this.#options;
    const packet = { cmd: "publish", topic, payload, qos: 1, retain: true, dup: false } as const;
    this.#aedes?.publish(packet, (error) => {
      if (error) log.debug("mqtt-publisher-error", { reason: error.message });
    });
  }

  async #answer(
    packet: PublishPacket,
    client: Client | null,
    answer: (refusal: Error | null) => void,
  ): Promise<void> {
    if (!this.#admission.allowsMessage(client, packet)) answer(null);
    else answer(await this.#take(packet, client?.id));
  }

  /** Reads a message for the zones. @returns why it is not taken, or null */
  async #take(packet: PublishPacket, clientId: string | undefined): Promise<Error | null> {
    if (this.#isStopping) return new Error("the broker is stopping");
    if (packet.topic.startsWith("$SYS/")) return new Error("$SYS is the broker's own");
    const { zones, log } = this.#options;
    const payload = ownCopy(packet.payload);
    // What is kept of a message must not keep all that has arrived with it.
    packet.payload = payload;
    if (clientId !== undefined) zones.taken.onActivity(clientId);
    for (const topics of this.#newer) topics.add(packet.topic);
    try {
      const { topic } = packet;
      await zones.deliver({ topic, payload, isRetained: false, ...deliveryOf(packet, clientId) });
    } catch (error) {
      log.error("mqtt-message-write-failed", { topic: packet.topic, error });
      return error instanceof Error ? error : new Error(messageOf(error));
    }
    if (packet.retain && !this.#retained.keeps(packet.topic, payload)) packet.retain = false;
    return null;
  }

  async #listen(): Promise<void> {
    const { host, port, clock, conditions, log } = this.#options;
    const server = createServer((socket) => this.#accept(socket));
    try {
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, host, resolve);
      });
    } catch (error) {
      const remedy =
        (error as NodeJS.ErrnoException).code === "EADDRINUSE"
          ? "another program has it: end that one, set mqtt.listen.port, or if it is a broker set mqtt.url"
          : messageOf(error);
      conditions.raise("mqtt-broker-not-listening", `cannot listen on ${host} port ${port}: ${remedy}`);
      this.#cancelRetry = clock.after(this.#listenAgainMs, () => void this.#listen());
      this.#listenAgainMs = Math.min(LISTEN_AGAIN_MS_MAX, this.#listenAgainMs * 2);
      return;
    }
    // Stopped while the port was being taken.
    if (!this.#aedes) {
      server.close();
      return;
    }
    server.on("error", (error) => log.error("mqtt-broker-accept-failed", { error }));
    this.#server = server;
    conditions.clear("mqtt-broker-not-listening");
    const { port: actualPort } = server.address() as AddressInfo;
    log.info("mqtt-broker-listening", {
      host,
      port: actualPort,
      sessions: "in memory only: nothing is kept over a restart",
    });
  }

  #accept(socket: Socket): void {
    if (!this.#aedes) socket.destroy();
    else if (this.#clients.admit(socket)) this.#aedes.handle(socket);
  }
}

/** What of aedes' memory is read here. */
interface RetainedStore {
  createRetainedStreamCombi(patterns: string[]): AsyncIterable<PublishPacket>;
}

/** A copy in memory of its own; Node.js would take it from a larger piece. */
function ownCopy(payload: string | Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(Buffer.byteLength(payload));
  copy.set(Buffer.from(payload));
  return copy;
}
