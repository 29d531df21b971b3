import { timingSafeEqual } from "node:crypto";
import type { EventEmitter } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { Aedes, PublishPacket } from "aedes";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { BrokerConnections } from "./broker-connections.ts";
import { BrokerLimits } from "./broker-limits.ts";
import type { MqttZones } from "./mqtt-zones.ts";
import { RetainedMessages } from "./retained-messages.ts";
import { deliveryOf } from "./taken-messages.ts";

export interface BuiltInBrokerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly credentials?: { readonly username: string; readonly password: string };
  readonly zones: MqttZones;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

const LISTEN_AGAIN_MS = 5_000;
const LISTEN_AGAIN_MS_MAX = 60_000;
/** A sensor's CONNECT follows its connection at once, over slow radio links within seconds. */
const CONNECT_WITHIN_MS = 10_000;

/**
 * A broker in this process, so that a first run and a small site need nothing else. It gives each message to the zones
 * before it acknowledges it; sessions and retained messages live in memory only.
 */
export class BuiltInBroker {
  readonly #options: BuiltInBrokerOptions;
  readonly #limits: BrokerLimits;
  readonly #connections: BrokerConnections;
  readonly #retained: RetainedMessages;
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
    this.#connections = new BrokerConnections(this.#limits);
    this.#retained = new RetainedMessages(this.#limits);
  }

  /** Starts listening; a port that is taken is a condition and is tried again. */
  async start(): Promise<void> {
    const { Aedes } = await import("aedes");
    const { log, credentials } = this.#options;
    const aedes = await Aedes.createBroker({
      connectTimeout: CONNECT_WITHIN_MS,
      authenticate: (_client, username, password, done) => {
        // A refused one gets return code 5, not authorized (MQTT 3.1.1, 3.2.2.3).
        done(null, credentials === undefined || isSame(credentials, username, password));
      },
      // aedes asks this before it acknowledges a message of any QoS: an error ends the connection without a PUBACK,
      // and the sensor sends the message again.
      authorizePublish: (client, packet, done) => {
        this.#reading = this.#answer(packet, client?.id, done);
      },
    });
    aedes.on("client", ({ conn, id }) => {
      this.#connections.signedIn(conn);
      this.#options.zones.taken.connected(id, true);
    });
    aedes.on("ping", (_packet, { id }) => this.#options.zones.taken.heard(id));
    aedes.on("clientError", (_client, error) => log.debug("mqtt-client-error", { error: error.message }));
    // What aedes does by itself, such as sending the wills of clients that are gone; nobody waits for its outcome.
    (aedes as EventEmitter).on("error", (error: Error) => log.error("mqtt-broker-failed", { error }));
    aedes.on("connectionError", (_client, error) =>
      log.debug("mqtt-connection-error", { error: error.message }),
    );
    this.#aedes = aedes;
    await this.#listen();
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
    this.#connections.endAll();
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
    clientId: string | undefined,
    answer: (refusal: Error | null) => void,
  ): Promise<void> {
    answer(await this.#take(packet, clientId));
  }

  /** Reads a message for the zones. @returns why it is not taken, or null */
  async #take(packet: PublishPacket, clientId: string | undefined): Promise<Error | null> {
    if (this.#isStopping) return new Error("the broker is stopping");
    if (packet.topic.startsWith("$SYS/")) return new Error("$SYS is the broker's own");
    const { zones, log } = this.#options;
    const payload = Buffer.from(packet.payload);
    if (clientId !== undefined) zones.taken.heard(clientId);
    for (const topics of this.#newer) topics.add(packet.topic);
    try {
      const { topic } = packet;
      await zones.deliver({ topic, payload, isRetained: false, ...deliveryOf(packet, clientId) });
    } catch (error) {
      log.error("mqtt-message-not-recorded", { topic: packet.topic, error });
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
    else if (this.#connections.admit(socket)) this.#aedes.handle(socket);
  }
}

/** What of aedes' memory is read here. */
interface RetainedStore {
  createRetainedStreamCombi(patterns: string[]): AsyncIterable<PublishPacket>;
}

function isSame(
  wanted: { username: string; password: string },
  username: string | undefined,
  password: Uint8Array | undefined,
): boolean {
  const given = Buffer.from(password ?? "");
  const expected = Buffer.from(wanted.password);
  return username === wanted.username && given.length === expected.length && timingSafeEqual(given, expected);
}
