/** What the built-in broker holds memory for. */
export type HeldFor =
  /** The connection itself. */
  | "connection"
  /** Filters that the client listens to. */
  | "subscriptions"
  /** Packet ids of QoS 2 messages that the client has not released. */
  | "incoming"
  /** Messages that the client has not collected or acknowledged. */
  | "outgoing"
  /** Bytes that are to be written to the client's connection. */
  | "sending"
  /** The part of a packet that has arrived. */
  | "arriving"
  /** The last will. */
  | "will";

/** One client: its connection, and what is kept for it between connections. */
export interface Holder {
  /** Undefined until it has signed in. */
  readonly clientId: string | undefined;
  readonly address: string;
  readonly bytes: Readonly<Record<HeldFor, number>>;
}

/** Who is cut off, and why. */
export interface Excess {
  readonly holder: Holder;
  /** What most of its memory is held for. */
  readonly heldFor: HeldFor;
  /** Bytes of this client alone. */
  readonly bytes: number;
  /** Whether all clients together had too much and this one the most of it. */
  readonly isOfAll: boolean;
}

/**
 * Of one client. All retained messages at once, 16 MiB, have to fit on their way to a subscriber, and half as much of what
 * comes meanwhile.
 */
export const CLIENT_BYTES_MAX = 24 * 1024 * 1024;
/** Of all clients: an eighth of the memory of the smallest supported board, a Pi with 512 MB. */
export const ALL_BYTES_MAX = 64 * 1024 * 1024;
/** Once all clients have too much, room is made for more than the next byte: looking for the largest costs time. */
const ROOM_SHARE = 0.9;

interface Mutable extends Holder {
  clientId: string | undefined;
  address: string;
  readonly bytes: Record<HeldFor, number>;
}

/**
 * One budget of bytes over everything that the built-in broker keeps for its clients, per client and in all. The client
 * that exceeds it is cut off; the others, and the sensors on wires, do not notice.
 */
export class BrokerMemory {
  readonly #cutOff: (excess: Excess) => void;
  readonly #holders = new Set<Mutable>();
  readonly #byClientId = new Map<string, Mutable>();
  #all = 0;

  /** @param cutOff ends the client's connection and session, and with them what is held for it, before it returns */
  constructor(cutOff: (excess: Excess) => void) {
    this.#cutOff = cutOff;
  }

  /** Bytes of all clients. */
  get bytes(): number {
    return this.#all;
  }

  /** A connection whose client is not known yet. */
  stranger(address: string): Holder {
    return this.#add({ clientId: undefined, address, bytes: nothing() });
  }

  /** The client of that name, which may have a session from before. */
  client(clientId: string, address?: string): Holder {
    const known = this.#byClientId.get(clientId);
    if (known) {
      if (address !== undefined) known.address = address;
      return known;
    }
    const made = this.#add({ clientId, address: address ?? "", bytes: nothing() });
    this.#byClientId.set(clientId, made);
    return made;
  }

  /** Counts bytes that are held from now on, or with a negative number no longer. */
  change(holder: Holder, heldFor: HeldFor, by: number): void {
    const counted = holder as Mutable;
    const before = sizeOf(counted);
    counted.bytes[heldFor] += by;
    const after = sizeOf(counted);
    this.#all += after - before;
    // Forgotten once it is empty, and known again when something is held for it.
    if (isEmpty(counted)) this.#forget(counted);
    else if (by > 0) this.#keep(counted);
    if (by <= 0) return;
    if (after > CLIENT_BYTES_MAX) this.#end(counted, false);
    else if (this.#all > ALL_BYTES_MAX) this.#makeRoom();
  }

  #makeRoom(): void {
    while (this.#all > ALL_BYTES_MAX * ROOM_SHARE) {
      const before = this.#all;
      const largest = this.#largest();
      if (largest) this.#end(largest, true);
      if (this.#all >= before) return;
    }
  }

  /** Of the machine that has the most: many small sessions of one must not push out the large one of another. */
  #largest(): Mutable | undefined {
    const ofAddress = new Map<string, number>();
    for (const holder of this.#holders) {
      const { address } = holder;
      ofAddress.set(address, (ofAddress.get(address) ?? 0) + sizeOf(holder));
    }
    const [address] = [...ofAddress].reduce((most, next) => (next[1] > most[1] ? next : most), ["", 0]);
    let largest: Mutable | undefined;
    for (const holder of this.#holders)
      if (holder.address === address && sizeOf(holder) > (largest ? sizeOf(largest) : 0)) largest = holder;
    return largest;
  }

  #end(holder: Mutable, isOfAll: boolean): void {
    const [heldFor] = (Object.entries(holder.bytes) as [HeldFor, number][]).reduce((most, next) =>
      next[1] > most[1] ? next : most,
    );
    this.#cutOff({ holder, heldFor, bytes: sizeOf(holder), isOfAll });
  }

  #add(holder: Mutable): Mutable {
    this.#holders.add(holder);
    return holder;
  }

  #keep(holder: Mutable): void {
    this.#holders.add(holder);
    if (holder.clientId !== undefined) this.#byClientId.set(holder.clientId, holder);
  }

  #forget(holder: Mutable): void {
    this.#holders.delete(holder);
    if (holder.clientId !== undefined && this.#byClientId.get(holder.clientId) === holder)
      this.#byClientId.delete(holder.clientId);
  }
}

/** A message with QoS 1 on its way stands in the queue and in the buffer of the connection, and is there once. */
function sizeOf({ bytes }: Holder): number {
  const { connection, subscriptions, incoming, outgoing, sending, arriving, will } = bytes;
  return connection + subscriptions + incoming + Math.max(outgoing, sending) + arriving + will;
}

function isEmpty({ bytes }: Holder): boolean {
  return Object.values(bytes).every((count) => count === 0);
}

function nothing(): Record<HeldFor, number> {
  return { connection: 0, subscriptions: 0, incoming: 0, outgoing: 0, sending: 0, arriving: 0, will: 0 };
}
