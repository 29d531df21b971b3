import { networkOf } from "../domain/client-network.ts";

/** What the built-in broker uses memory for, as words of a condition. */
export const MEMORY_USE_TEXTS = {
  connection: "connections",
  subscriptions: "subscriptions",
  /** Only their packet ids. */
  incoming: "QoS 2 messages that it does not release",
  outgoing: "messages that it does not collect or acknowledge",
  /** Bytes queued for writing to the connection. */
  sending: "messages that it does not read",
  arriving: "a packet that it does not finish",
  will: "a last will",
} as const;

type MemoryUse = keyof typeof MEMORY_USE_TEXTS;

/** One client: its connection and its session. */
export interface Holder {
  /** Undefined until the client has signed in. */
  readonly clientId: string | undefined;
  address: string;
  readonly bytes: Record<MemoryUse, number>;
  /** Bytes of its messages that are not processed yet. */
  processing: number;
}

/** The client to disconnect, and why. */
export interface MemoryExcess {
  readonly holder: Holder;
  /** What uses most of its memory. */
  readonly memoryUse: MemoryUse;
  /** Bytes of this client. */
  readonly bytes: number;
  /** Whether the total limit was exceeded, with this client as the largest. */
  readonly isOfAll: boolean;
}

/**
 * Per client. All retained messages (16 MiB) must fit in its queue, plus half as much for messages that arrive in the
 * meantime.
 */
export const CLIENT_BYTES_MAX = 24 * 1024 * 1024;
/**
 * Total of all clients and the retained messages (16 MiB): two clients at least can get all retained messages at the same time.
 * Not more, because at MemoryMax of the unit the kernel ends the daemon, and with it the monitoring of the GPIO lines.
 */
export const ALL_BYTES_MAX = 48 * 1024 * 1024;
/**
 * Messages of one client that are not processed yet: as many as the sensing thread accepts at one time. Beyond it the broker
 * does not read from the client, whose next messages wait in the network.
 */
const PROCESSING_CLIENT_BYTES = 4 * 1024 * 1024;
/** Total; beyond it the broker reads only from clients without such messages, so that a flood does not hold up a sensor. */
const PROCESSING_ALL_BYTES = 8 * 1024 * 1024;
/** Total beyond which it reads from no client: only very many clients at once reach it. */
export const PROCESSING_BYTES_MAX = 16 * 1024 * 1024;
/** Memory is freed down to this share of the total, because finding the largest client is expensive. */
const FREE_TO_SHARE = 0.9;

/**
 * Memory limit of the built-in broker, per client and in total. A client that exceeds it is disconnected; other clients
 * and GPIO lines are not affected. A client that sends faster than its messages are processed is read more slowly instead.
 */
export class BrokerMemory {
  readonly #disconnect: (excess: MemoryExcess) => void;
  readonly #holders = new Set<Holder>();
  readonly #byClientId = new Map<string, Holder>();
  /** Bytes of all clients. */
  #all = 0;
  #retained = 0;
  #processing = 0;

  /** @param disconnect ends the client's connection and session and releases their memory before it returns */
  constructor(disconnect: (excess: MemoryExcess) => void) {
    this.#disconnect = disconnect;
  }

  /** Bytes of all clients and the retained messages. */
  get bytes(): number {
    return this.#all + this.#retained + this.#processing;
  }

  /** A connection whose client id is not known yet. */
  addUnknown(address: string): Holder {
    return this.#keep({ clientId: undefined, address, bytes: zeroBytes(), processing: 0 });
  }

  /** The client with that id, which may have an earlier session. */
  client(clientId: string, address?: string): Holder {
    const known = this.#byClientId.get(clientId);
    if (known) {
      if (address !== undefined) known.address = address;
      return known;
    }
    return this.#keep({ clientId, address: address ?? "", bytes: zeroBytes(), processing: 0 });
  }

  /** Whether there is room for further messages of a client. */
  hasRoomToProcess({ processing }: Holder): boolean {
    if (processing === 0) return this.#processing < PROCESSING_BYTES_MAX;
    return processing < PROCESSING_CLIENT_BYTES && this.#processing < PROCESSING_ALL_BYTES;
  }

  /** Adds bytes of messages that are not processed yet; a negative number once they are. */
  process(holder: Holder, by: number): void {
    holder.processing += by;
    this.#processing += by;
    if (isEmpty(holder)) this.#forget(holder);
    else this.#keep(holder);
  }

  /** Adds bytes to what is held for a client; a negative number releases them. */
  change(holder: Holder, memoryUse: MemoryUse, by: number): void {
    const before = sizeOf(holder);
    holder.bytes[memoryUse] += by;
    const after = sizeOf(holder);
    this.#all += after - before;
    // An empty holder is removed, and added again when bytes are held for it.
    if (isEmpty(holder)) this.#forget(holder);
    else if (by > 0) this.#keep(holder);
    if (by <= 0) return;
    if (after > CLIENT_BYTES_MAX) this.#end(holder, false);
    else this.#freeMemory();
  }

  /**
   * Adds bytes of retained messages, which have a limit of their own. A sensor's state is kept rather than what a client does not
   * collect.
   */
  retain(by: number): void {
    this.#retained += by;
    if (by > 0) this.#freeMemory();
  }

  #freeMemory(): void {
    if (this.#all + this.#retained <= ALL_BYTES_MAX) return;
    while (this.#all + this.#retained > ALL_BYTES_MAX * FREE_TO_SHARE) {
      const before = this.#all;
      const largest = this.#largest();
      if (largest) this.#end(largest, true);
      if (this.#all >= before) return;
    }
  }

  /** Chosen from the client with the most bytes in all: so many small sessions of one machine cannot evict a large one elsewhere. */
  #largest(): Holder | undefined {
    const ofNetwork = new Map<string, number>();
    const sized = [...this.#holders].map((holder) => {
      const network = networkOf(holder.address);
      const bytes = sizeOf(holder);
      ofNetwork.set(network, (ofNetwork.get(network) ?? 0) + bytes);
      return { holder, network, bytes };
    });
    const [network] = [...ofNetwork].reduce((most, next) => (next[1] > most[1] ? next : most), ["", 0]);
    const [largest] = sized.filter((each) => each.network === network).toSorted((a, b) => b.bytes - a.bytes);
    return largest?.holder;
  }

  #end(holder: Holder, isOfAll: boolean): void {
    const [memoryUse] = (Object.entries(holder.bytes) as [MemoryUse, number][]).reduce((most, next) =>
      next[1] > most[1] ? next : most,
    );
    this.#disconnect({ holder, memoryUse, bytes: sizeOf(holder), isOfAll });
  }

  #keep(holder: Holder): Holder {
    this.#holders.add(holder);
    if (holder.clientId !== undefined) this.#byClientId.set(holder.clientId, holder);
    return holder;
  }

  #forget(holder: Holder): void {
    this.#holders.delete(holder);
    if (holder.clientId !== undefined && this.#byClientId.get(holder.clientId) === holder)
      this.#byClientId.delete(holder.clientId);
  }
}

/** A queued QoS 1 message is in the outgoing queue and in the connection's buffer, but in memory once. */
function sizeOf({ bytes }: Holder): number {
  const { connection, subscriptions, incoming, outgoing, sending, arriving, will } = bytes;
  return connection + subscriptions + incoming + Math.max(outgoing, sending) + arriving + will;
}

function isEmpty({ bytes, processing }: Holder): boolean {
  return processing === 0 && Object.values(bytes).every((count) => count === 0);
}

function zeroBytes(): Record<MemoryUse, number> {
  return { connection: 0, subscriptions: 0, incoming: 0, outgoing: 0, sending: 0, arriving: 0, will: 0 };
}
