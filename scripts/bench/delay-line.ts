import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** Beyond it the sender waits: a line holds what is on its way, not a whole queue. */
const HELD_BYTES_MAX = 4 * 1024 * 1024;
const CONNECTIONS_MAX = 256;

/**
 * A TCP line on the loopback of a given length: each byte arrives half a round trip after it was sent, and a
 * new connection costs the round trip of its handshake before its first byte leaves. It changes no byte, so TLS passes
 * through it and pays for its own round trips.
 */
export class DelayLine {
  /** Connections that came in so far. */
  connections = 0;
  readonly #targetPort: number;
  readonly #roundTripMs: number;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  constructor(targetPort: number, roundTripMs: number) {
    this.#targetPort = targetPort;
    this.#roundTripMs = roundTripMs;
    this.#server = createServer({ noDelay: true, allowHalfOpen: true }, (near) => this.#join(near));
    this.#server.maxConnections = CONNECTIONS_MAX;
  }

  /** @returns the port to talk to */
  async start(): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#sockets.size / 2;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  #join(near: Socket): void {
    this.connections += 1;
    const far = connect({ port: this.#targetPort, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    // Over the loopback the handshake takes no time, so what the near end says at once has not left yet.
    const opensAtMs = performance.now() + this.#roundTripMs;
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    }
    this.#carry(near, far, opensAtMs);
    this.#carry(far, near, 0);
  }

  /** Brings everything that one end says to the other, and its end. */
  #carry(from: Socket, to: Socket, notBeforeMs: number): void {
    let heldBytes = 0;
    let lastMs = 0;
    const later = (action: () => void): void => {
      const nowMs = performance.now();
      // Never before what was sent earlier, whatever the timers do.
      lastMs = Math.max(lastMs, Math.max(nowMs, notBeforeMs) + this.#roundTripMs / 2);
      setTimeout(action, lastMs - nowMs);
    };
    from.on("data", (chunk: Buffer) => {
      heldBytes += chunk.length;
      if (heldBytes > HELD_BYTES_MAX) from.pause();
      later(() => {
        heldBytes -= chunk.length;
        if (from.isPaused() && heldBytes <= HELD_BYTES_MAX) from.resume();
        if (to.writable) to.write(chunk);
      });
    });
    from.on("end", () => later(() => void to.end()));
    from.on("error", () => later(() => void to.destroy()));
    from.on("close", () => later(() => void to.destroy()));
  }
}
