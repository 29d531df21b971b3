/** What the built-in broker uses memory for. */
export type HeldFor =
  /** The connection itself. */
  | "connection"
  /** Filters that the client has subscribed to. */
  | "subscriptions"
  /** Packet ids of QoS 2 messages that the client has not released. */
  | "incoming"
  /** Messages that the client has not collected or acknowledged. */
  | "outgoing"
  /** Bytes queued for writing to the connection. */
  | "sending"
  /** The received part of an incomplete packet. */
  | "arriving"
  /** The last will. */
  | "will";

/** One client: its connection and its session. */
export interface Holder {
  /** Undefined until the client has signed in. */
  readonly clientId: string | undefined;
  readonly address: string;
  readonly bytes: Readonly<Record<HeldFor, number>>;
}

/** The client to disconnect, and why. */
export interface Excess {
  readonly holder: Holder;
  /** What uses most of its memory. */
  readonly heldFor: HeldFor;
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
/** Total: an eighth of the memory of the smallest supported board, a Pi with 512 MB. */
export const ALL_BYTES_MAX = 64 * 1024 * 1024;
/** Memory is freed down to this share of the total, because finding the largest client is expensive. */
const FREE_TO_SHARE = 0.9;

interface MutableHolder extends Holder {
  clientId: string | undefined;
  address: string;
  readonly bytes: Record<HeldFor, number>;
}

/**
 * Memory limit of the built-in broker, per client and in total. A client that exceeds it is disconnected; other clients
 * and GPIO lines are not affected.
 */
export class BrokerMemory {
  readonly #disconnect: (excess: Excess) => void;
  readonly #holders = new Set<MutableHolder>();
  readonly #byClientId = new Map<string, MutableHolder>();
  #all = 0;

  /** @param cutOff ends the client's connection and session and releases their memory before it returns */
  constructor(disconnect: (excess: Excess) => void) {
    this.#disconnect = disconnect;
  }

  /** Bytes of all clients. */
  get bytes(): number {
    return this.#all;
  }

  /** A connection whose client id is not known yet. */
  addUnknown(address: string): Holder {
    return this.#add({ clientId: undefined, address, bytes: zeroBytes() });
  }

  /** The client with that id, which may have an earlier session. */
  client(clientId: string, address?: string): Holder {
    const known = this.#byClientId.get(clientId);
    if (known) {
      if (address !== undefined) known.address = address;
      return known;
    }
    const added = this.#add({ clientId, address: address ?? "", bytes: zeroBytes() });
    this.#byClientId.set(clientId, added);
    return added;
  }

  /** Adds bytes to what is held for a client; a negative number releases them. */
  change(holder: Holder, heldFor: HeldFor, by: number): void {
    const counted = holder as MutableHolder;
    const before = sizeOf(counted);
    counted.bytes[heldFor] += by;
    const after = sizeOf(counted);
    this.#all += after - before;
    // An empty holder is removed, and added again when bytes are held for it.
    if (isEmpty(counted)) this.#forget(counted);
    else if (by > 0) this.#keep(counted);
    if (by <= 0) return;
    if (after > CLIENT_BYTES_MAX) this.#end(counted, false);
    else if (this.#all > ALL_BYTES_MAX) this.#freeMemory();
  }

  #freeMemory(): void {
    while (this.#all > ALL_BYTES_MAX * FREE_TO_SHARE) {
      const before = this.#all;
      const largest = this.#largest();
      if (largest) this.#end(largest, true);
      if (this.#all >= before) return;
    }
  }

  /** Chosen from the address with the most bytes: so many small sessions of one machine cannot evict a large one elsewhere. */
  #largest(): MutableHolder | undefined {
    const ofAddress = new Map<string, number>();
    for (const holder of this.#holders) {
      const { address } = holder;
      ofAddress.set(address, (ofAddress.get(address) ?? 0) + sizeOf(holder));
    }
    const [address] = [...ofAddress].reduce((most, next) => (next[1] > most[1] ? next : most), ["", 0]);
    let largest: MutableHolder | undefined;
    for (const holder of this.#holders)
      if (holder.address === address && sizeOf(holder) > (largest ? sizeOf(largest) : 0)) largest = holder;
    return largest;
  }

  #end(holder: MutableHolder, isOfAll: boolean): void {
    const [heldFor] = (Object.entries(holder.bytes) as [HeldFor, number][]).reduce((most, next) =>
      next[1] > most[1] ? next : most,
    );
    this.#disconnect({ holder, heldFor, bytes: sizeOf(holder), isOfAll });
  }

  #add(holder: MutableHolder): MutableHolder {
    this.#holders.add(holder);
    return holder;
  }

  #keep(holder: MutableHolder): void {
    this.#holders.add(holder);
    if (holder.clientId !== undefined) this.#byClientId.set(holder.clientId, holder);
  }

  #forget(holder: MutableHolder): void {
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

function isEmpty({ bytes }: Holder): boolean {
  return Object.values(bytes).every((count) => count === 0);
}

function zeroBytes(): Record<HeldFor, number> {
  return { connection: 0, subscriptions: 0, incoming: 0, outgoing: 0, sending: 0, arriving: 0, will: 0 };
}
