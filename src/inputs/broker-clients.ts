import type { Socket } from "node:net";
import type { Subscription } from "aedes";
import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import { BrokerConnections } from "./broker-connections.ts";
import { describeClient, shortName, type BrokerLimits, type LimitedClient } from "./broker-limits.ts";
import { BrokerMemory, MEMORY_USE_TEXTS, type MemoryExcess } from "./broker-memory.ts";
import type { Numbered, OtherBrokersWills, Persistence } from "./broker-persistence.ts";
import { BrokerSessions, costOfMessage } from "./broker-sessions.ts";

/** The properties of an aedes client that are used here. */
interface BrokerClient {
  readonly id: string;
  /** Whether the session ends with the connection. */
  readonly clean: boolean;
  readonly conn: unknown;
  /** Its last will; the types of aedes leave it out. */
  readonly _will?: Numbered | null;
}

/** A message or subscription that is being processed, without its text: measured in V8's heap, rounded up. */
const PROCESSING_BYTES = 2048;

/** The clients of the built-in broker and the memory held for them. A client over the limit is disconnected. */
export class BrokerClients {
  readonly #limits: BrokerLimits;
  readonly #log: Log;
  readonly #memory: BrokerMemory;
  readonly #connections: BrokerConnections;
  readonly #sessions: BrokerSessions;
  /** The connection that currently uses a client id. */
  readonly #current = new Map<string, unknown>();

  constructor(
    limits: BrokerLimits,
    { log, onRead }: { readonly log: Log; readonly onRead?: (bytes: number) => void },
  ) {
    this.#limits = limits;
    this.#log = log;
    this.#memory = new BrokerMemory((excess) => this.#disconnect(excess));
    this.#connections = new BrokerConnections(limits, this.#memory, onRead);
    this.#sessions = new BrokerSessions(this.#memory, (clientId, what) => this.#tooMany(clientId, what));
  }

  /** Bytes held for all clients, and those of the retained messages. */
  get heldBytes(): number {
    return this.#memory.bytes;
  }

  /** Wraps the persistence of aedes to measure what it stores. */
  watch(persistence: Persistence & OtherBrokersWills): void {
    this.#sessions.watch(persistence);
  }

  /** @returns whether the connection is accepted */
  admit(socket: Socket): boolean {
    return this.#connections.admit(socket);
  }

  signedIn({ id, clean, conn, _will: will }: BrokerClient): void {
    this.#connections.signedIn(conn, id, will ? costOfMessage(will) : 0);
    this.#current.set(id, conn);
    (conn as Socket).once("close", () => {
      if (this.#current.get(id) !== conn) return;
      this.#current.delete(id);
      if (clean) this.#sessions.unsubscribedFromAll(id);
    });
  }

  /** @returns whether there is memory for the filter */
  subscribed({ id, clean }: BrokerClient, subscription: Subscription): boolean {
    return this.#sessions.subscribed(id, subscription, !clean);
  }

  unsubscribed({ id }: BrokerClient, topics: readonly string[]): void {
    this.#sessions.unsubscribed(id, topics);
  }

  /**
   * Counts a message or a filter of a client until it is processed, also beyond the end of its connection: otherwise a client
   * that connects again and again would have no limit.
   * @param work processes it
   */
  async processing<T>(
    { id }: { readonly id: string },
    { topic, payload = "" }: { readonly topic: string; readonly payload?: string | Uint8Array },
    work: () => Promise<T>,
  ): Promise<T> {
    const holder = this.#memory.client(id);
    const bytes = PROCESSING_BYTES + Buffer.byteLength(topic) + Buffer.byteLength(payload);
    this.#memory.process(holder, bytes);
    try {
      return await work();
    } finally {
      this.#memory.process(holder, -bytes);
      this.#connections.readOn();
    }
  }

  /** Adds bytes of retained messages to the total. */
  retain(by: number): void {
    this.#memory.retain(by);
  }

  /** Name and address of a client, also when its connection has ended. */
  describe({ id }: { readonly id: string }): LimitedClient {
    return { address: this.#memory.client(id).address, clientId: id };
  }

  /** Ends all connections; what is queued for them is sent first. */
  endAll(clock: Pick<Clock, "after">): Promise<void> {
    return this.#connections.endAll(clock);
  }

  #disconnect({ holder, memoryUse, bytes, isOfAll }: MemoryExcess): void {
    const { clientId, address } = holder;
    const mebibytes = Math.max(1, Math.round(bytes / 1024 / 1024));
    const share = isOfAll ? "the largest share of the total limit" : "more than the limit per client";
    this.#report(
      clientId,
      address,
      `held ${mebibytes} MiB for it, ${share}: mostly ${MEMORY_USE_TEXTS[memoryUse]}`,
    );
    this.#connections.end(holder);
    if (clientId !== undefined) this.#sessions.forget(clientId);
  }

  #tooMany(clientId: string, what: string): void {
    const holder = this.#memory.client(clientId);
    this.#report(clientId, holder.address, `held ${what} for it`);
    this.#connections.end(holder);
    this.#sessions.forget(clientId);
  }

  #report(clientId: string | undefined, address: string, held: string): void {
    const name = clientId === undefined ? `a client at ${address}` : describeClient({ address, clientId });
    const client = clientId === undefined ? null : shortName(clientId);
    this.#log.warn("mqtt-client-cut-off", { client, address, held });
    this.#limits.reached(
      "memory",
      { address, clientId },
      `${name} was disconnected and its session dropped: the built-in broker ${held}. Correct or stop that program, or run a separate broker (mqtt.url). Zones are not affected.`,
    );
  }
}
