import type { Socket } from "node:net";
import type { Subscription } from "aedes";
import type { Log } from "../domain/log.ts";
import { BrokerConnections } from "./broker-connections.ts";
import type { BrokerLimits } from "./broker-limits.ts";
import { BrokerMemory, type Excess, type HeldFor } from "./broker-memory.ts";
import type { Persistence } from "./broker-persistence.ts";
import { BrokerSessions } from "./broker-sessions.ts";

/** A client of aedes, as far as it is looked at here. */
export interface BrokerClient {
  readonly id: string;
  /** Whether its session ends with its connection. */
  readonly clean: boolean;
  readonly conn: unknown;
}

const WORDS: Readonly<Record<HeldFor, string>> = {
  connection: "connections",
  subscriptions: "subscriptions",
  incoming: "messages with QoS 2 that it does not release",
  outgoing: "messages that it does not collect or acknowledge",
  sending: "messages that it does not read",
  arriving: "a packet that it does not finish",
  will: "a last will",
};

/** The clients of the built-in broker with everything that it holds for them; one that takes too much is cut off. */
export class BrokerClients {
  readonly #limits: BrokerLimits;
  readonly #log: Log;
  readonly #memory: BrokerMemory;
  readonly #connections: BrokerConnections;
  readonly #sessions: BrokerSessions;
  /** The connection that has a client's name now. */
  readonly #current = new Map<string, unknown>();

  constructor(limits: BrokerLimits, log: Log) {
    this.#limits = limits;
    this.#log = log;
    this.#memory = new BrokerMemory((excess) => this.#cutOff(excess));
    this.#connections = new BrokerConnections(limits, this.#memory);
    this.#sessions = new BrokerSessions(this.#memory, (clientId, what) => this.#tooMany(clientId, what));
  }

  /** Bytes that are held for all of them. */
  get heldBytes(): number {
    return this.#memory.bytes;
  }

  /** Stands between aedes and what it keeps. */
  watch(persistence: Persistence): void {
    this.#sessions.watch(persistence);
  }

  /** @returns whether there is room for the connection */
  admit(socket: Socket): boolean {
    return this.#connections.admit(socket);
  }

  signedIn({ id, clean, conn }: BrokerClient): void {
    this.#connections.signedIn(conn, id);
    this.#current.set(id, conn);
    (conn as Socket).once("close", () => {
      if (this.#current.get(id) !== conn) return;
      this.#current.delete(id);
      if (clean) this.#sessions.unsubscribedFromAll(id);
    });
  }

  /** @returns whether there is room for the filter */
  subscribed({ id, clean }: BrokerClient, subscription: Subscription): boolean {
    return this.#sessions.subscribed(id, subscription, !clean);
  }

  unsubscribed({ id }: BrokerClient, topics: readonly string[]): void {
    this.#sessions.unsubscribed(id, topics);
  }

  endAll(): void {
    this.#connections.endAll();
  }

  #cutOff({ holder, heldFor, bytes, isOfAll }: Excess): void {
    const { clientId, address } = holder;
    const mebibytes = Math.max(1, Math.round(bytes / 1024 / 1024));
    const share = isOfAll ? "the largest part of all that it may hold" : "more than it may";
    this.#tellOf(clientId, address, `held ${mebibytes} MiB for it, ${share}: mostly ${WORDS[heldFor]}`);
    this.#connections.end(holder);
    if (clientId !== undefined) this.#sessions.forget(clientId);
  }

  #tooMany(clientId: string, what: string): void {
    const holder = this.#memory.client(clientId);
    this.#tellOf(clientId, holder.address, `held ${what} for it`);
    this.#connections.end(holder);
    this.#sessions.forget(clientId);
  }

  #tellOf(clientId: string | undefined, address: string, held: string): void {
    // A client id may have 64 KiB.
    const name = clientId === undefined ? "a client" : `the client ${JSON.stringify(clientId.slice(0, 100))}`;
    this.#log.warn("mqtt-client-cut-off", { client: clientId?.slice(0, 100) ?? null, address, held });
    this.#limits.reached(
      "memory",
      `${name} at ${address} was disconnected and its session dropped: the built-in broker ${held}. Correct or stop that program, or run a broker of its own (mqtt.url). Zones are not affected.`,
    );
  }
}
