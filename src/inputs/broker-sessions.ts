import type { Subscription } from "aedes";
import type { BrokerMemory, Holder } from "./broker-memory.ts";
import {
  methodsOf,
  type ClientName,
  type Numbered,
  type OtherBrokersWills,
  type Persistence,
} from "./broker-persistence.ts";

/** Overhead of a map or list entry without its text, measured in V8's heap on 64 bits, rounded up. */
const ENTRY_BYTES = 512;
/** Cost of one filter level in both of the tries in which aedes looks up filters. */
const LEVEL_BYTES = 512;
/**
 * A message that matches a thousand wildcard filters blocks the event loop. Few clients have more than ten, so each
 * may cost this much of the memory limit.
 */
const WILDCARD_BYTES = 128 * 1024;
/** Limited because aedes searches this list from its start for each message. */
const OUTGOING_MAX = 10_000;
/** Unreleased QoS 2 messages. MQTT 3.1.1 has no flow control for them; no known client needs more. */
const INCOMING_MAX = 1_000;
const EMPTY = Buffer.alloc(0);

interface Session {
  readonly holder: Holder;
  /** Bytes of each filter. */
  readonly filters: Map<string, number>;
  /** Bytes of each message that has a packet id. */
  readonly outgoing: Map<number, number>;
  waiting: number;
  incoming: number;
}

/**
 * Measures what aedes stores for each client, and reduces it: for an unreleased QoS 2 message only the packet id is
 * stored, and a denied filter is not stored at all.
 */
export class BrokerSessions {
  readonly #memory: BrokerMemory;
  readonly #tooMany: (clientId: string, what: string) => void;
  readonly #sessions = new Map<string, Session>();
  #persistence: Persistence | undefined;

  /** @param tooMany ends a client that has too many messages, whatever their size */
  constructor(memory: BrokerMemory, tooMany: (clientId: string, what: string) => void) {
    this.#memory = memory;
    this.#tooMany = tooMany;
  }

  /** Wraps the persistence of aedes; to be called at its start. */
  watch(persistence: Persistence & OtherBrokersWills): void {
    const original = methodsOf(persistence);
    this.#persistence = original;
    Object.assign(persistence, this.#outgoingOf(original), this.#incomingOf(original), {
      // Each filter is stored once it is granted, below; aedes would pass all filters of a packet for each of them.
      addSubscriptions: async () => {},
      removeSubscriptions: (client, topics) => {
        this.unsubscribed(client.id, topics);
        return original.removeSubscriptions(client, topics);
      },
      cleanSubscriptions: (client) => {
        this.unsubscribedFromAll(client.id);
        return original.cleanSubscriptions(client);
      },
      // It is alone. aedes tells by the wall clock which brokers have ended: after that was set forward, it would publish the wills of
      // all connected sensors.
      streamWill: async function* () {},
      // Only for such brokers. The client has its own, which is counted with its connection.
      putWill: async () => {},
      delWill: async () => {},
    } satisfies Partial<Persistence> & OtherBrokersWills);
  }

  /**
   * Stores a granted filter.
   * @param isLasting whether the client's session outlives its connection
   * @returns whether there is memory for it
   */
  subscribed(clientId: string, subscription: Subscription, isLasting: boolean): boolean {
    const { topic } = subscription;
    const session = this.#of(clientId);
    if (!session.filters.has(topic)) {
      const cost = costOfFilter(topic) + Buffer.byteLength(clientId);
      session.filters.set(topic, cost);
      this.#memory.change(session.holder, "subscriptions", cost);
      // Over the limit: the whole session was dropped.
      if (!session.filters.has(topic)) return false;
    }
    if (isLasting) void this.#persistence?.addSubscriptions({ id: clientId }, [subscription]);
    return true;
  }

  unsubscribed(clientId: string, topics: readonly string[]): void {
    const session = this.#sessions.get(clientId);
    if (!session) return;
    let freed = 0;
    for (const topic of topics) {
      freed += session.filters.get(topic) ?? 0;
      session.filters.delete(topic);
    }
    this.#change(session, "subscriptions", -freed);
  }

  unsubscribedFromAll(clientId: string): void {
    const session = this.#sessions.get(clientId);
    if (session) this.unsubscribed(clientId, [...session.filters.keys()]);
  }

  /** Drops everything stored for a client. */
  forget(clientId: string): void {
    const client = { id: clientId };
    const original = this.#persistence;
    const session = this.#sessions.get(clientId);
    if (!original || !session) return;
    void original.cleanSubscriptions(client);
    void original.cleanIncoming(client);
    void this.#emptyQueue(client, original);
    this.#sessions.delete(clientId);
    session.filters.clear();
    const { bytes } = session.holder;
    for (const memoryUse of ["subscriptions", "incoming", "outgoing"] as const)
      this.#memory.change(session.holder, memoryUse, -bytes[memoryUse]);
  }

  async #emptyQueue(client: ClientName, original: Persistence): Promise<void> {
    // outgoingStream iterates over a copy, so entries can be removed in the loop.
    for await (const { messageId } of original.outgoingStream(client))
      await original.outgoingClearMessageId(client, { messageId } as Numbered);
  }

  #outgoingOf(original: Persistence): Partial<Persistence> {
    return {
      outgoingEnqueue: async (subscriber, packet) => {
        if (this.#enqueued(subscriber.clientId, packet)) await original.outgoingEnqueue(subscriber, packet);
      },
      outgoingEnqueueCombi: async (subscribers, packet) => {
        const accepting = subscribers.filter(({ clientId }) => this.#enqueued(clientId, packet));
        await original.outgoingEnqueueCombi(accepting, packet);
      },
      // For a client without a queue aedes would create one at each acknowledgement, also unsolicited, and keep it.
      outgoingUpdate: async (client, packet) => {
        const session = this.#sessions.get(client.id);
        if (!session || session.waiting === 0) throw new Error("no such packet");
        // A PUBREL replaces the message under its packet id, but the message's size is still counted.
        if (packet.messageId !== undefined && packet.payload !== undefined)
          session.outgoing.set(packet.messageId, costOfMessage(packet));
        await original.outgoingUpdate(client, packet);
      },
      outgoingClearMessageId: async (client, packet) => {
        const session = this.#sessions.get(client.id);
        if (!session || session.waiting === 0) return undefined;
        const cleared = await original.outgoingClearMessageId(client, packet);
        if (!cleared) return cleared;
        const id = packet.messageId ?? 0;
        const cost = session.outgoing.get(id) ?? costOfMessage(cleared);
        session.outgoing.delete(id);
        session.waiting -= 1;
        this.#change(session, "outgoing", -cost);
        return cleared;
      },
    };
  }

  /** @returns whether there is memory for it */
  #enqueued(clientId: string, packet: Numbered): boolean {
    const session = this.#of(clientId);
    session.waiting += 1;
    if (session.waiting > OUTGOING_MAX)
      this.#tooMany(clientId, `${OUTGOING_MAX} messages that it has not acknowledged`);
    else this.#memory.change(session.holder, "outgoing", costOfMessage(packet));
    return this.#sessions.get(clientId) === session;
  }

  #incomingOf(original: Persistence): Partial<Persistence> {
    return {
      incomingStorePacket: async (client, packet) => {
        const session = this.#of(client.id);
        session.incoming += 1;
        if (session.incoming > INCOMING_MAX)
          this.#tooMany(client.id, `${INCOMING_MAX} QoS 2 messages that it has not released`);
        else this.#memory.change(session.holder, "incoming", ENTRY_BYTES);
        if (this.#sessions.get(client.id) !== session) throw new Error("the client was disconnected");
        await original.incomingStorePacket(client, { ...packet, topic: "", payload: EMPTY });
      },
      incomingDelPacket: async (client, packet) => {
        await original.incomingDelPacket(client, packet);
        const session = this.#sessions.get(client.id);
        if (!session) return;
        session.incoming -= 1;
        this.#change(session, "incoming", -ENTRY_BYTES);
        if (session.incoming === 0) await original.cleanIncoming(client);
      },
      cleanIncoming: (client) => {
        const session = this.#sessions.get(client.id);
        if (session) {
          session.incoming = 0;
          this.#change(session, "incoming", -session.holder.bytes.incoming);
        }
        return original.cleanIncoming(client);
      },
    };
  }

  #of(clientId: string): Session {
    const known = this.#sessions.get(clientId);
    if (known) return known;
    const holder = this.#memory.client(clientId);
    const added = { holder, filters: new Map(), outgoing: new Map(), waiting: 0, incoming: 0 };
    this.#sessions.set(clientId, added);
    return added;
  }

  /** Changes the counted bytes and removes a session that is empty. */
  #change(session: Session, memoryUse: "subscriptions" | "outgoing" | "incoming", by: number): void {
    this.#memory.change(session.holder, memoryUse, by);
    const { bytes, clientId = "" } = session.holder;
    if (bytes.subscriptions + bytes.outgoing + bytes.incoming === 0) this.#sessions.delete(clientId);
  }
}

function costOfFilter(filter: string): number {
  const levels = filter.split("/").length;
  const wildcard = /[+#]/.test(filter) ? WILDCARD_BYTES : 0;
  return ENTRY_BYTES + 2 * Buffer.byteLength(filter) + levels * LEVEL_BYTES + wildcard;
}

/** Bytes of a message that is held for a client. */
export function costOfMessage({ topic, payload }: Numbered): number {
  return ENTRY_BYTES + Buffer.byteLength(topic ?? "") + Buffer.byteLength(payload ?? "");
}
