import type { Subscription } from "aedes";
import type { BrokerMemory, Holder } from "./broker-memory.ts";
import { methodsOf, type ClientName, type Numbered, type Persistence } from "./broker-persistence.ts";

/** What an entry of a map or a list costs beside its text, measured with V8's heap on 64 bits, rounded up. */
const ENTRY_BYTES = 512;
/** What a level of a filter costs in each of the two trees in which aedes looks filters up. */
const LEVEL_BYTES = 512;
/**
 * A filter with a wildcard can take in any message beside all others that do: one message to a thousand of them holds the
 * event loop up. So few clients have more than ten that each may cost this much of the budget.
 */
const WILDCARD_BYTES = 128 * 1024;
/** aedes searches this list from its beginning for each message. */
const OUTGOING_MAX = 10_000;
/** Of QoS 2, not released. MQTT 3.1.1 has no way to tell a client how many it may have under way; none needs more. */
const INCOMING_MAX = 1_000;
const EMPTY = Buffer.alloc(0);

interface Session {
  readonly holder: Holder;
  /** What each filter costs. */
  readonly filters: Map<string, number>;
  /** What each message that has got a packet id costs. */
  readonly outgoing: Map<number, number>;
  waiting: number;
  incoming: number;
  will: number;
}

/**
 * Counts what aedes keeps for each client as it is kept, and keeps less of it: of a QoS 2 message that waits for its
 * release the packet id is enough, and a filter that may not be used is not kept at all.
 */
export class BrokerSessions {
  readonly #memory: BrokerMemory;
  readonly #tooMany: (clientId: string, what: string) => void;
  readonly #sessions = new Map<string, Session>();
  #kept: Persistence | undefined;

  /** @param tooMany ends a client that has too many of something, whatever its size */
  constructor(memory: BrokerMemory, tooMany: (clientId: string, what: string) => void) {
    this.#memory = memory;
    this.#tooMany = tooMany;
  }

  /** Stands between aedes and what it keeps, from its start on. */
  watch(persistence: Persistence): void {
    const kept = methodsOf(persistence);
    this.#kept = kept;
    Object.assign(persistence, this.#outgoingOf(kept), this.#incomingOf(kept), {
      // Each filter is kept once it is granted, below; aedes would give all of a packet for each of them.
      addSubscriptions: async () => {},
      removeSubscriptions: (client, topics) => {
        this.unsubscribed(client.id, topics);
        return kept.removeSubscriptions(client, topics);
      },
      cleanSubscriptions: (client) => {
        this.unsubscribedFromAll(client.id);
        return kept.cleanSubscriptions(client);
      },
    } satisfies Partial<Persistence>);
  }

  /**
   * Keeps a filter that a client may use.
   * @param isLasting whether the client's session outlives its connection
   * @returns whether there is room for it
   */
  subscribed(clientId: string, subscription: Subscription, isLasting: boolean): boolean {
    const { topic } = subscription;
    const session = this.#of(clientId);
    if (!session.filters.has(topic)) {
      const cost = costOfFilter(topic);
      session.filters.set(topic, cost);
      this.#memory.change(session.holder, "subscriptions", cost);
      // It was too much, and the whole session is gone.
      if (!session.filters.has(topic)) return false;
    }
    if (isLasting) void this.#kept?.addSubscriptions({ id: clientId }, [subscription]);
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

  /** Drops everything that is kept for a client. */
  forget(clientId: string): void {
    const client = { id: clientId };
    const kept = this.#kept;
    const session = this.#sessions.get(clientId);
    if (!kept || !session) return;
    void kept.cleanSubscriptions(client);
    void kept.cleanIncoming(client);
    void kept.delWill(client);
    void this.#emptyQueue(client, kept);
    this.#sessions.delete(clientId);
    session.filters.clear();
    const { bytes } = session.holder;
    for (const heldFor of ["subscriptions", "incoming", "outgoing", "will"] as const)
      this.#memory.change(session.holder, heldFor, -bytes[heldFor]);
  }

  async #emptyQueue(client: ClientName, kept: Persistence): Promise<void> {
    // A list of its own: each one that is taken away moves the others up.
    for await (const { messageId } of kept.outgoingStream(client))
      await kept.outgoingClearMessageId(client, { messageId } as Numbered);
  }

  #outgoingOf(kept: Persistence): Partial<Persistence> {
    return {
      outgoingEnqueue: async (subscriber, packet) => {
        if (this.#enqueued(subscriber.clientId, packet)) await kept.outgoingEnqueue(subscriber, packet);
      },
      outgoingEnqueueCombi: async (subscribers, packet) => {
        const taking = subscribers.filter(({ clientId }) => this.#enqueued(clientId, packet));
        await kept.outgoingEnqueueCombi(taking, packet);
      },
      outgoingUpdate: (client, packet) => {
        const session = this.#sessions.get(client.id);
        // A PUBREL takes the message's place and has its packet id, but not its size.
        if (session && packet.messageId !== undefined && packet.payload !== undefined)
          session.outgoing.set(packet.messageId, costOfMessage(packet));
        return kept.outgoingUpdate(client, packet);
      },
      outgoingClearMessageId: async (client, packet) => {
        const cleared = await kept.outgoingClearMessageId(client, packet);
        const session = this.#sessions.get(client.id);
        if (!session || !cleared) return cleared;
        const id = packet.messageId ?? 0;
        const cost = session.outgoing.get(id) ?? costOfMessage(cleared);
        session.outgoing.delete(id);
        session.waiting -= 1;
        this.#change(session, "outgoing", -cost);
        return cleared;
      },
    };
  }

  /** @returns whether there is room for it */
  #enqueued(clientId: string, packet: Numbered): boolean {
    const session = this.#of(clientId);
    session.waiting += 1;
    if (session.waiting > OUTGOING_MAX)
      this.#tooMany(clientId, `${OUTGOING_MAX} messages that it has not acknowledged`);
    else this.#memory.change(session.holder, "outgoing", costOfMessage(packet));
    return this.#sessions.get(clientId) === session;
  }

  #incomingOf(kept: Persistence): Partial<Persistence> {
    return {
      incomingStorePacket: async (client, packet) => {
        const session = this.#of(client.id);
        session.incoming += 1;
        if (session.incoming > INCOMING_MAX)
          this.#tooMany(client.id, `${INCOMING_MAX} messages with QoS 2 that it has not released`);
        else this.#memory.change(session.holder, "incoming", ENTRY_BYTES);
        if (this.#sessions.get(client.id) !== session) throw new Error("the client was cut off");
        await kept.incomingStorePacket(client, { ...packet, topic: "", payload: EMPTY });
      },
      incomingDelPacket: async (client, packet) => {
        await kept.incomingDelPacket(client, packet);
        const session = this.#sessions.get(client.id);
        if (!session) return;
        session.incoming -= 1;
        this.#change(session, "incoming", -ENTRY_BYTES);
      },
      cleanIncoming: (client) => {
        const session = this.#sessions.get(client.id);
        if (session) {
          session.incoming = 0;
          this.#change(session, "incoming", -session.holder.bytes.incoming);
        }
        return kept.cleanIncoming(client);
      },
      putWill: (client, will) => {
        const session = this.#of(client.id);
        const cost = costOfMessage(will);
        this.#memory.change(session.holder, "will", cost - session.will);
        session.will = cost;
        return kept.putWill(client, will);
      },
      delWill: (client) => {
        const session = this.#sessions.get(client.id);
        if (session) {
          const { will } = session;
          session.will = 0;
          this.#change(session, "will", -will);
        }
        return kept.delWill(client);
      },
    };
  }

  #of(clientId: string): Session {
    const known = this.#sessions.get(clientId);
    if (known) return known;
    const holder = this.#memory.client(clientId);
    const made = { holder, filters: new Map(), outgoing: new Map(), waiting: 0, incoming: 0, will: 0 };
    this.#sessions.set(clientId, made);
    return made;
  }

  /** Of a session that is empty nothing is left. */
  #change(session: Session, heldFor: "subscriptions" | "outgoing" | "incoming" | "will", by: number): void {
    this.#memory.change(session.holder, heldFor, by);
    const { bytes, clientId = "" } = session.holder;
    if (bytes.subscriptions + bytes.outgoing + bytes.incoming + bytes.will === 0)
      this.#sessions.delete(clientId);
  }
}

function costOfFilter(filter: string): number {
  const levels = filter.split("/").length;
  const wildcard = /[+#]/.test(filter) ? WILDCARD_BYTES : 0;
  return ENTRY_BYTES + 2 * Buffer.byteLength(filter) + levels * LEVEL_BYTES + wildcard;
}

function costOfMessage({ topic, payload }: Numbered): number {
  return ENTRY_BYTES + Buffer.byteLength(topic ?? "") + Buffer.byteLength(payload ?? "");
}
