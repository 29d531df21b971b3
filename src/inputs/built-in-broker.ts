import type { EventEmitter } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { Aedes, Client, PublishPacket, Subscription } from "aedes";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { NewEvent } from "../domain/event.ts";
import type { Log } from "../domain/log.ts";
import type { BrokerAccount } from "../domain/mqtt-broker.ts";
import { BrokerAdmission } from "./broker-admission.ts";
import { BrokerClients } from "./broker-clients.ts";
import { BrokerLimits } from "./broker-limits.ts";
import { persistenceOf, unpooledCopy } from "./broker-persistence.ts";
import type { Broker, BrokerUse, BrokerZones } from "./broker.ts";
import { requireUtf8 } from "./packet-texts.ts";
import { RetainedMessages } from "./retained-messages.ts";
import { deliveryOf } from "./message-deduplication.ts";

export interface BuiltInBrokerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Accounts with their topics; without any, every client may use every topic. */
  readonly accounts?: readonly BrokerAccount[];
  readonly zones: BrokerZones;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Adds an entry to the event log. */
  readonly record: (event: NewEvent) => void;
  /** Called with the size of everything that is read from a client. */
  readonly onRead?: (bytes: number) => void;
}

const LISTEN_RETRY_MS = 5_000;
const LISTEN_RETRY_MS_MAX = 60_000;
/** A sensor sends CONNECT right after it connects; over slow radio links within seconds. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Silence after which the system asks whether the other machine is still there. */
const KEEP_ALIVE_MS = 60_000;

/**
 * MQTT broker in the calling thread, so that a first run and a small site need no other software. It passes each message to
 * the zones before it acknowledges it. Sessions and retained messages are in memory only.
 */
export class BuiltInBroker implements Broker {
  /** Never called: it ends with its thread. */
  onRestarted = (): void => {};
  readonly #options: BuiltInBrokerOptions;
  readonly #limits: BrokerLimits;
  readonly #clients: BrokerClients;
  readonly #retained: RetainedMessages;
  readonly #admission: BrokerAdmission;
  #aedes: Aedes | undefined;
  #server: Server | undefined;
  #cancelRetry: CancelTimer | undefined;
  #listenRetryMs = LISTEN_RETRY_MS;
  #isStopping = false;
  /** For each running read of retained messages: the topics with a newer message since it began. */
  readonly #newerTopics = new Set<Set<string>>();
  /** Resolves after the last message. */
  #reading: Promise<void> = Promise.resolve();

  constructor(options: BuiltInBrokerOptions) {
    this.#options = options;
    this.#limits = new BrokerLimits(options);
    this.#clients = new BrokerClients(this.#limits, options);
    this.#retained = new RetainedMessages(this.#limits, options.clock, (by) => this.#clients.retain(by));
    const parts = { limits: this.#limits, clients: this.#clients, counts: options.zones.counts };
    this.#admission = new BrokerAdmission({ ...options, ...parts });
  }

  async start(): Promise<void> {
    const { Aedes } = await import("aedes");
    this.#limits.start();
    const { log } = this.#options;
    const aedes = await Aedes.createBroker({
      connectTimeout: CONNECT_TIMEOUT_MS,
      // Limited with everything else that is held for a client.
      maxInflightInbound: 0,
      preConnect: (client, packet, done) => {
        this.#admission.rejections.connecting(client, packet);
        done(null, true);
      },
      authenticate: (...signIn) => this.#admission.authenticate(...signIn),
      authorizeSubscribe: (client, subscription, done) =>
        void this.#authorizeFilter(client, subscription, done),
      // aedes calls this before it acknowledges a message of any QoS. An error ends the connection without a PUBACK, and
      // the sensor resends the message.
      authorizePublish: (client, packet, done) => {
        this.#reading = this.#authorize(packet, client, done);
      },
      authorizeForward: (_client, packet) => (this.#admission.isForwarded(packet) ? packet : null),
    });
    this.#clients.watch(persistenceOf(aedes));
    this.#retained.watch(persistenceOf(aedes));
    aedes.on("client", ({ id }) => this.#options.zones.deduplication.connected(id, true));
    aedes.on("unsubscribe", (topics, client) => this.#clients.unsubscribed(client, topics));
    aedes.on("ping", (_packet, { id }) => this.#options.zones.deduplication.onActivity(id));
    aedes.on("clientError", (_client, error) => log.debug("mqtt-client-error", { error: error.message }));
    // Errors of background work in aedes, such as sending last wills; no caller awaits them.
    (aedes as EventEmitter).on("error", (error: Error) => log.error("mqtt-broker-failed", { error }));
    aedes.on("connectionError", (_client, { message: error }) =>
      log.debug("mqtt-connection-error", { error }),
    );
    this.#aedes = aedes;
    await this.#listen();
  }

  /** Where it listens; undefined while it does not. */
  get port(): number | undefined {
    return (this.#server?.address() as AddressInfo | null | undefined)?.port;
  }

  get use(): BrokerUse {
    const limits = [...this.#limits.counts].map(([limit, count]) => ({ limit, count }));
    return { limits, heldBytes: this.#clients.heldBytes };
  }

  async listen(topics: readonly string[]): Promise<void> {
    const aedes = this.#aedes;
    if (!aedes || topics.length === 0) return;
    const { zones, log } = this.#options;
    const newerTopics = new Set<string>();
    this.#newerTopics.add(newerTopics);
    try {
      const retained = persistenceOf(aedes).createRetainedStreamCombi([...topics]);
      for await (const { topic, payload } of retained)
        // A message that arrived in the meantime is newer than the retained one.
        if (!newerTopics.has(topic))
          await zones.deliver({ topic, payload: Buffer.from(payload), isRetained: true });
    } catch (error) {
      log.error("mqtt-retained-read-failed", { error });
    } finally {
      this.#newerTopics.delete(newerTopics);
    }
  }

  async leave(): Promise<void> {
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    // The last wills of the connections would report failures of sensors, although only the daemon stops.
    this.#isStopping = true;
    this.#cancelRetry?.();
    this.#server?.close();
    const aedes = this.#aedes;
    this.#aedes = undefined;
    await this.#clients.endAll(this.#options.clock);
    this.#limits.stop();
    if (aedes) await new Promise<void>((resolve) => aedes.close(resolve));
    await this.#reading;
  }

  async publish(topic: string, payload: string): Promise<void> {
    const aedes = this.#aedes;
    if (!aedes) throw new Error("the built-in broker does not run");
    const packet = { cmd: "publish", topic, payload, qos: 1, retain: true, dup: false } as const;
    this.#retained.keeps(topic, Buffer.from(payload), undefined);
    await new Promise<void>((resolve, reject) =>
      aedes.publish(packet, (error) => (error ? reject(error) : resolve())),
    );
  }

  async #authorizeFilter(
    client: Client,
    subscription: Subscription,
    answer: (error: null, allowed: Subscription | null) => void,
  ): Promise<void> {
    const ask = (): Promise<boolean> => this.#admission.allowsFilter(client, subscription);
    const isAllowed = await this.#clients.processing(client, { topic: subscription.topic }, ask);
    answer(null, isAllowed ? subscription : null);
  }

  async #authorize(
    packet: PublishPacket,
    client: Client | null,
    answer: (refusal: Error | null) => void,
  ): Promise<void> {
    const deliver = async (): Promise<Error | null> =>
      (await this.#admission.allowsMessage(client, packet)) ? this.#deliver(packet, client) : null;
    answer(await (client ? this.#clients.processing(client, packet, deliver) : deliver()));
  }

  /** Passes a message to the zones. @returns the reason for rejecting it, or null */
  async #deliver(packet: PublishPacket, client: Client | null): Promise<Error | null> {
    if (this.#isStopping) return new Error("the broker is stopping");
    if (packet.topic.startsWith("$SYS/")) return new Error("$SYS topics are reserved for the broker");
    const { zones, log } = this.#options;
    const clientId = client?.id;
    const payload = unpooledCopy(packet.payload);
    // A stored message must not keep the whole network buffer in memory.
    packet.payload = payload;
    if (clientId !== undefined) zones.deduplication.onActivity(clientId);
    for (const topics of this.#newerTopics) topics.add(packet.topic);
    try {
      const { topic } = packet;
      await zones.deliver({ topic, payload, isRetained: false, ...deliveryOf(packet, clientId) });
    } catch (error) {
      log.error("mqtt-message-write-failed", { topic: packet.topic, error });
      return error instanceof Error ? error : new Error(messageOf(error));
    }
    const sender = client
      ? { ...this.#clients.describe(client), account: this.#admission.accountOf(client) }
      : { address: "another broker" };
    if (packet.retain && !this.#retained.keeps(packet.topic, payload, sender)) packet.retain = false;
    return null;
  }

  async #listen(): Promise<void> {
    const { host, port, clock, conditions, log } = this.#options;
    // A client without keep-alive that lost its power would keep its connection, and one of those that its address may have.
    const probes = { keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
    const server = createServer(probes, (socket) => this.#accept(socket));
    try {
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, host, resolve);
      });
    } catch (error) {
      const remedy =
        (error as NodeJS.ErrnoException).code === "EADDRINUSE"
          ? "port in use: stop the other program or set mqtt.listen.port; if it is a broker, set mqtt.url"
          : messageOf(error);
      conditions.raise("mqtt-broker-not-listening", `cannot listen on ${host} port ${port}: ${remedy}`);
      this.#cancelRetry = clock.after(this.#listenRetryMs, () => void this.#listen());
      this.#listenRetryMs = Math.min(LISTEN_RETRY_MS_MAX, this.#listenRetryMs * 2);
      return;
    }
    // Stopped in the meantime.
    if (!this.#aedes) return void server.close();
    server.on("error", (error) => log.error("mqtt-broker-accept-failed", { error }));
    this.#server = server;
    conditions.clear("mqtt-broker-not-listening");
    log.info("mqtt-broker-listening", {
      host,
      port: this.port,
      sessions: "in memory only; lost on a restart",
    });
  }

  #accept(socket: Socket): void {
    if (!this.#aedes) socket.destroy();
    else if (this.#clients.admit(socket)) requireUtf8(this.#aedes.handle(socket), this.#options);
  }
}
