import type { Socket } from "node:net";
import type { BrokerLimits } from "./broker-limits.ts";
import { PACKET_BYTES_MAX, PacketMeter } from "./packet-meter.ts";

const CONNECTIONS_MAX = 256;
/** Of one address, so that a single machine in trouble cannot take every place. */
const CONNECTIONS_MAX_OF_ADDRESS = 64;

/** The connections of the built-in broker: how many there may be, from whom, and how large their packets. */
export class BrokerConnections {
  readonly #limits: BrokerLimits;
  /** In the order in which they came. */
  readonly #sockets = new Set<Socket>();
  /** Those that have not signed in yet. */
  readonly #strangers = new Set<Socket>();

  constructor(limits: BrokerLimits) {
    this.#limits = limits;
  }

  /**
   * Takes a connection in, or ends it. When every place is taken, the one that has been silent for longest without
   * signing in makes room: whoever opens connections and says nothing keeps no sensor out.
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
    if (this.#sockets.size >= CONNECTIONS_MAX && !this.#makeRoom()) {
      socket.destroy();
      return false;
    }
    this.#sockets.add(socket);
    this.#strangers.add(socket);
    socket.on("close", () => {
      this.#sockets.delete(socket);
      this.#strangers.delete(socket);
    });
    this.#measure(socket);
    return true;
  }

  /** The client behind a connection has signed in. */
  signedIn(socket: unknown): void {
    this.#strangers.delete(socket as Socket);
  }

  endAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #countOf(address: string): number {
    return [...this.#sockets].filter(({ remoteAddress }) => remoteAddress === address).length;
  }

  #makeRoom(): boolean {
    const [oldest] = this.#strangers;
    this.#limits.reached(
      "connections",
      `all ${CONNECTIONS_MAX} connections of the built-in broker are taken; ${oldest ? `those that do not sign in are dropped, such as one from ${oldest.remoteAddress}` : "more sensors get none"}. Look for what opens so many, or run a broker of its own (mqtt.url).`,
    );
    if (!oldest) return false;
    this.#sockets.delete(oldest);
    this.#strangers.delete(oldest);
    oldest.destroy();
    return true;
  }

  /** aedes puts a packet of any size together; what it gets to read goes past the meter first. */
  #measure(socket: Socket): void {
    const meter = new PacketMeter();
    const read = socket.read.bind(socket);
    socket.read = (sizeBytes?: number): unknown => {
      const chunk: unknown = read(sizeBytes);
      if (!(chunk instanceof Uint8Array) || meter.takes(chunk)) return chunk;
      this.#limits.reached(
        "packet",
        `a client at ${socket.remoteAddress} announced an MQTT packet of more than ${PACKET_BYTES_MAX / 1024} KiB and was disconnected. Such messages belong on a broker of their own (mqtt.url).`,
      );
      socket.destroy();
      return null;
    };
  }
}

/** Every client of this machine has the same address. */
function isThisMachine(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127\./.test(address);
}
