import type { Socket } from "node:net";
import type { BrokerLimits } from "./broker-limits.ts";
import type { BrokerMemory, Holder } from "./broker-memory.ts";
import { PACKET_BYTES_MAX, PacketSizeLimit } from "./packet-size-limit.ts";

const CONNECTIONS_MAX = 256;
/** Of one address, so that a single machine in trouble cannot take every place. */
const CONNECTIONS_MAX_OF_ADDRESS = 64;
/** What Node.js keeps beside the bytes of each piece that it has read or is to write, rounded up. */
const PIECE_BYTES = 256;
/** A connection with its parser and its timers, rounded up. */
const CONNECTION_BYTES = 16 * 1024;

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  holder: Holder;
  sending: number;
  arriving: number;
}

/** The connections of the built-in broker: how many there may be, from whom, and how much is under way on them. */
export class BrokerConnections {
  readonly #limits: BrokerLimits;
  readonly #memory: BrokerMemory;
  /** In the order in which they came. */
  readonly #connections = new Map<Socket, Connection>();
  /** Those that have not signed in yet. */
  readonly #unauthenticated = new Set<Socket>();

  constructor(limits: BrokerLimits, memory: BrokerMemory) {
    this.#limits = limits;
    this.#memory = memory;
  }

  /**
   * Takes a connection in, or ends it. When every place is taken, the one that has been silent for longest without
   * signing in makes room: a program that opens connections and says nothing keeps no sensor out.
   */
  admit(socket: Socket): boolean {
    // aedes takes its own listeners off when it is done with a client; a reset may come after that.
    socket.on("error", () => {});
    const address = socket.remoteAddress ?? "";
    if (!isThisMachine(address) && this.#countOf(address) >= CONNECTIONS_MAX_OF_ADDRESS) {
      this.#limits.reached(
        "connections",
        `${address} has ${CONNECTIONS_MAX_OF_ADDRESS} connections to the built-in broker and gets no more. Look at what that machine does; a site with more sensors behind one address needs a broker of its own (mqtt.url).`,
      );
      socket.destroy();
      return false;
    }
    if (this.#connections.size >= CONNECTIONS_MAX && !this.#makeRoom()) {
      socket.destroy();
      return false;
    }
    const connection = { socket, address, holder: this.#memory.stranger(address), sending: 0, arriving: 0 };
    this.#connections.set(socket, connection);
    this.#memory.change(connection.holder, "connection", CONNECTION_BYTES);
    this.#unauthenticated.add(socket);
    socket.on("close", () => this.#forget(connection));
    this.#measureIncoming(connection);
    this.#measureOutgoing(connection);
    return true;
  }

  /** The client behind a connection has given its name and may use it. */
  signedIn(socket: unknown, clientId: string): void {
    const connection = this.#connections.get(socket as Socket);
    if (!connection) return;
    this.#unauthenticated.delete(connection.socket);
    const { sending, arriving, address } = connection;
    this.#count(connection, "sending", 0);
    this.#count(connection, "arriving", 0);
    this.#memory.change(connection.holder, "connection", -CONNECTION_BYTES);
    connection.holder = this.#memory.client(clientId, address);
    this.#memory.change(connection.holder, "connection", CONNECTION_BYTES);
    this.#count(connection, "sending", sending);
    this.#count(connection, "arriving", arriving);
  }

  /** Ends the connections of one client; nothing is held for them any longer. */
  end(holder: Holder): void {
    for (const connection of this.#connections.values()) {
      if (connection.holder !== holder) continue;
      this.#forget(connection);
      connection.socket.destroy();
    }
  }

  endAll(): void {
    for (const socket of this.#connections.keys()) socket.destroy();
  }

  #forget(connection: Connection): void {
    if (!this.#connections.delete(connection.socket)) return;
    this.#memory.change(connection.holder, "connection", -CONNECTION_BYTES);
    this.#unauthenticated.delete(connection.socket);
    this.#count(connection, "sending", 0);
    this.#count(connection, "arriving", 0);
  }

  #count(connection: Connection, heldFor: "sending" | "arriving", bytes: number): void {
    const more = bytes - connection[heldFor];
    connection[heldFor] = bytes;
    this.#memory.change(connection.holder, heldFor, more);
  }

  #countOf(address: string): number {
    return [...this.#connections.values()].filter((connection) => connection.address === address).length;
  }

  #makeRoom(): boolean {
    const [oldest] = this.#unauthenticated;
    this.#limits.reached(
      "connections",
      `all ${CONNECTIONS_MAX} connections of the built-in broker are taken; ${oldest ? `those that do not sign in are dropped, such as one from ${oldest.remoteAddress}` : "more sensors get none"}. Look for what opens so many, or run a broker of its own (mqtt.url).`,
    );
    const connection = oldest && this.#connections.get(oldest);
    if (!connection) return false;
    this.#forget(connection);
    oldest.destroy();
    return true;
  }

  /** aedes puts a packet of any size together; what it gets to read goes past the meter first. */
  #measureIncoming(connection: Connection): void {
    const { socket } = connection;
    const meter = new PacketSizeLimit();
    const read = socket.read.bind(socket);
    socket.read = (sizeBytes?: number): unknown => {
      const chunk: unknown = read(sizeBytes);
      if (!(chunk instanceof Uint8Array)) return chunk;
      if (!meter.takes(chunk)) {
        this.#limits.reached(
          "packet",
          `a client at ${connection.address} announced an MQTT packet of more than ${PACKET_BYTES_MAX / 1024} KiB and was disconnected. Such messages belong on a broker of their own (mqtt.url).`,
        );
        socket.destroy();
        return null;
      }
      // A packet that comes byte by byte is as many pieces in memory.
      const arriving = meter.isWithinPacket ? connection.arriving + chunk.byteLength + PIECE_BYTES : 0;
      if (this.#connections.has(socket)) this.#count(connection, "arriving", arriving);
      return socket.destroyed ? null : chunk;
    };
  }

  /**
   * Counts what waits to be written. Each write counts as taken at once, because aedes has the publisher wait until
   * every subscriber has read: one that reads nothing would hold up the sensors. The budget bounds it instead.
   */
  #measureOutgoing(connection: Connection): void {
    const { socket } = connection;
    const write = socket.write.bind(socket) as (
      chunk: string | Uint8Array,
      encoding: BufferEncoding,
      written: () => void,
    ) => boolean;
    const measured = (chunk: string | Uint8Array, encoding?: unknown, written?: unknown): boolean => {
      const cost = Buffer.byteLength(chunk) + PIECE_BYTES;
      const told = typeof encoding === "function" ? encoding : written;
      const taken = write(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8", () => {
        if (this.#connections.has(socket)) this.#count(connection, "sending", connection.sending - cost);
        if (typeof told === "function") told();
      });
      if (this.#connections.has(socket)) this.#count(connection, "sending", connection.sending + cost);
      return taken || !socket.destroyed;
    };
    socket.write = measured;
  }
}

/** Every client of this machine has the same address. */
function isThisMachine(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127\./.test(address);
}
