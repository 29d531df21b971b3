import type { Socket } from "node:net";
import type { Clock } from "../domain/clock.ts";
import { networkOf, plainAddress } from "../domain/client-network.ts";
import type { BrokerLimits } from "./broker-limits.ts";
import type { BrokerMemory, Holder } from "./broker-memory.ts";
import { MESSAGE_BYTES_MAX, PACKET_BYTES_MAX, PacketSizeLimit } from "./packet-size-limit.ts";
import { endSockets } from "./socket-ends.ts";

const CONNECTIONS_MAX = 256;
/** Per address, so that one faulty machine cannot use all connections. */
const CONNECTIONS_MAX_OF_ADDRESS = 64;
/** Overhead of Node.js for each chunk read or queued for writing, rounded up. */
const CHUNK_BYTES = 256;
/** A connection with its parser and timers, rounded up. */
const CONNECTION_BYTES = 16 * 1024;

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** What counts as one client in the limit per address. */
  readonly network: string;
  holder: Holder;
  sending: number;
  arriving: number;
  will: number;
  /** Whether its CONNECT was read and has no answer yet. */
  isSigningIn: boolean;
}

/** The connections of the built-in broker: their number, their addresses and the bytes buffered for them. */
export class BrokerConnections {
  readonly #limits: BrokerLimits;
  readonly #memory: BrokerMemory;
  readonly #onRead: (bytes: number) => void;
  /** In order of arrival. */
  readonly #connections = new Map<Socket, Connection>();
  /** Connections that have not signed in yet, oldest first. */
  readonly #unauthenticated = new Set<Socket>();
  /** Connections with data that is not read yet, because earlier messages are being processed. */
  readonly #unread = new Set<Connection>();

  /** @param onRead called with the size of everything that is read */
  constructor(limits: BrokerLimits, memory: BrokerMemory, onRead: (bytes: number) => void = () => {}) {
    this.#limits = limits;
    this.#memory = memory;
    this.#onRead = onRead;
  }

  /**
   * Accepts or ends a connection. When all connections are in use, the oldest one that has not signed in is dropped.
   * So a program that only opens connections cannot block sensors.
   */
  admit(socket: Socket): boolean {
    // aedes removes its listeners when it closes a client; a connection reset can follow.
    socket.on("error", () => {});
    const address = socket.remoteAddress ?? "";
    const network = networkOf(address);
    if (!isLoopback(address) && this.#countOf(network) >= CONNECTIONS_MAX_OF_ADDRESS) {
      this.#limits.reached(
        "connections",
        { address: network },
        `${network} has ${CONNECTIONS_MAX_OF_ADDRESS} connections to the built-in broker, which is the limit per address. Check what that machine does; a site with more sensors behind one address needs a separate broker (mqtt.url).`,
      );
      socket.destroy();
      return false;
    }
    if (this.#connections.size >= CONNECTIONS_MAX && !this.#dropUnauthenticated(address)) {
      socket.destroy();
      return false;
    }
    const holder = this.#memory.addUnknown(address);
    const connection = {
      socket,
      address,
      network,
      holder,
      sending: 0,
      arriving: 0,
      will: 0,
      isSigningIn: false,
    };
    this.#connections.set(socket, connection);
    this.#unauthenticated.add(socket);
    socket.on("close", () => this.#forget(connection));
    this.#memory.change(connection.holder, "connection", CONNECTION_BYTES);
    if (!this.#connections.has(socket)) return false;
    this.#measureIncoming(connection);
    this.#measureOutgoing(connection);
    return true;
  }

  /** Moves the memory of a connection to its client, whose id is now known. @param willBytes of its last will */
  signedIn(socket: unknown, clientId: string, willBytes: number): void {
    const connection = this.#connections.get(socket as Socket);
    if (!connection) return;
    this.#unauthenticated.delete(connection.socket);
    connection.isSigningIn = false;
    const { sending, arriving, address } = connection;
    this.#count(connection, "sending", 0);
    this.#count(connection, "arriving", 0);
    this.#memory.change(connection.holder, "connection", -CONNECTION_BYTES);
    connection.holder = this.#memory.client(clientId, address);
    this.#memory.change(connection.holder, "connection", CONNECTION_BYTES);
    this.#count(connection, "sending", sending);
    this.#count(connection, "arriving", arriving);
    this.#count(connection, "will", willBytes);
  }

  /** Ends the connections of one client and releases their memory. */
  end(holder: Holder): void {
    for (const connection of this.#connections.values()) {
      if (connection.holder !== holder) continue;
      this.#forget(connection);
      connection.socket.destroy();
    }
  }

  /** Reads from the connections for which there is room again, those that have waited longest first. */
  readOn(): void {
    for (const connection of this.#unread)
      if (this.#memory.hasRoomToProcess(connection.holder)) {
        this.#unread.delete(connection);
        connection.socket.emit("readable");
      }
  }

  /** Ends all connections, so that what is queued for them is sent first; destroys those that have not ended in time. */
  async endAll(clock: Pick<Clock, "after">): Promise<void> {
    await endSockets([...this.#connections.keys()], clock);
  }

  #forget(connection: Connection): void {
    if (!this.#connections.delete(connection.socket)) return;
    this.#unread.delete(connection);
    this.#unauthenticated.delete(connection.socket);
    this.#memory.change(connection.holder, "connection", -CONNECTION_BYTES);
    for (const memoryUse of ["sending", "arriving", "will"] as const)
      this.#memory.change(connection.holder, memoryUse, -connection[memoryUse]);
  }

  /** Counts nothing for a connection that the memory limit has ended, even while it signs in: nothing would release it. */
  #count(connection: Connection, memoryUse: "sending" | "arriving" | "will", bytes: number): void {
    if (!this.#connections.has(connection.socket)) return;
    const addedBytes = bytes - connection[memoryUse];
    connection[memoryUse] = bytes;
    this.#memory.change(connection.holder, memoryUse, addedBytes);
  }

  #countOf(network: string): number {
    return [...this.#connections.values()].filter((connection) => connection.network === network).length;
  }

  #dropUnauthenticated(newAddress: string): boolean {
    const [oldest] = this.#unauthenticated;
    this.#limits.reached(
      "connections",
      { address: oldest?.remoteAddress ?? newAddress },
      `all ${CONNECTIONS_MAX} connections of the built-in broker are in use; ${oldest ? `connections without a sign-in are dropped, such as one from ${oldest.remoteAddress}` : `further sensors are rejected, such as one at ${newAddress}`}. Find the program that opens so many, or run a separate broker (mqtt.url).`,
    );
    const connection = oldest && this.#connections.get(oldest);
    if (!connection) return false;
    this.#forget(connection);
    oldest.destroy();
    return true;
  }

  /**
   * aedes assembles packets of any size, so everything it reads passes the size limit first. It also reads on before it has
   * processed what it has read: it gets nothing more while there is no room for it. Nor while a CONNECT has no answer,
   * and nothing at all after a rejection, because it would process packets of a client that has not signed in.
   */
  #measureIncoming(connection: Connection): void {
    const { socket } = connection;
    const sizeLimit = new PacketSizeLimit();
    const read = socket.read.bind(socket);
    socket.read = (sizeBytes?: number): unknown => {
      if (connection.isSigningIn) return null;
      if (!this.#memory.hasRoomToProcess(connection.holder)) {
        this.#unread.add(connection);
        return null;
      }
      this.#unread.delete(connection);
      const chunk: unknown = read(sizeBytes);
      if (!(chunk instanceof Uint8Array)) return chunk;
      this.#onRead(chunk.byteLength);
      const messageBytesMax = this.#unauthenticated.has(socket) ? PACKET_BYTES_MAX : MESSAGE_BYTES_MAX;
      if (!sizeLimit.accepts(chunk, messageBytesMax)) {
        this.#limits.reached(
          "packet",
          { address: connection.address },
          `a client at ${connection.address} announced an MQTT packet of more than ${PACKET_BYTES_MAX / 1024} KiB, or a message of more than ${MESSAGE_BYTES_MAX / 1024} KiB, and was disconnected. Use a separate broker for such messages (mqtt.url).`,
        );
        socket.destroy();
        return null;
      }
      connection.isSigningIn = sizeLimit.hasEndedPacket && this.#unauthenticated.has(socket);
      // A packet that arrives byte by byte takes as many chunks in memory, from the one in which it began.
      const earlier = sizeLimit.hasEndedPacket ? 0 : connection.arriving;
      const arriving = sizeLimit.isWithinPacket ? earlier + chunk.byteLength + CHUNK_BYTES : 0;
      this.#count(connection, "arriving", arriving);
      return socket.destroyed ? null : chunk;
    };
  }

  /**
   * Counts bytes queued for writing. Each write is reported as accepted at once: aedes makes the publisher wait until
   * every subscriber has read, so one that does not read would hold up the sensors. The memory limit applies instead.
   */
  #measureOutgoing(connection: Connection): void {
    const { socket } = connection;
    const write = socket.write.bind(socket) as (
      chunk: string | Uint8Array,
      encoding: BufferEncoding,
      written: () => void,
    ) => boolean;
    const measured = (chunk: string | Uint8Array, encoding?: unknown, written?: unknown): boolean => {
      const cost = Buffer.byteLength(chunk) + CHUNK_BYTES;
      const callback = typeof encoding === "function" ? encoding : written;
      const isAccepted = write(
        chunk,
        typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8",
        () => {
          this.#count(connection, "sending", connection.sending - cost);
          if (typeof callback === "function") callback();
        },
      );
      this.#count(connection, "sending", connection.sending + cost);
      return isAccepted || !socket.destroyed;
    };
    socket.write = measured;
  }
}

/** All clients on this machine share one address, so the limit per address does not apply. */
function isLoopback(address: string): boolean {
  return address === "::1" || plainAddress(address).startsWith("127.");
}
