import { connect, createServer, type Server, type Socket } from "node:net";
import { close, listen } from "../support/loopback.ts";

/** A load balancer of TCP connections on the loopback: each goes to the next process that accepts it. */
export class Balancer {
  readonly #ports: readonly number[];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #next = 0;

  constructor(ports: readonly number[]) {
    this.#ports = ports;
    this.#server = createServer((near) => this.#join(near, this.#ports.length));
  }

  /** @returns its port */
  start(): Promise<number> {
    return listen(this.#server);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await close(this.#server);
  }

  #join(near: Socket, attempts: number): void {
    this.#keep(near);
    if (attempts === 0) {
      near.resetAndDestroy();
      return;
    }
    const far = connect(this.#ports[this.#next] ?? 0, "127.0.0.1");
    this.#next = (this.#next + 1) % this.#ports.length;
    this.#keep(far);
    far.once("error", () => (far.connecting ? this.#join(near, attempts - 1) : near.destroy()));
    far.once("connect", () => {
      far.removeAllListeners("error").on("error", () => near.destroy());
      near.on("error", () => far.destroy());
      near.once("close", () => far.destroy());
      far.once("close", () => near.destroy());
      near.pipe(far).pipe(near);
    });
  }

  #keep(socket: Socket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => this.#sockets.delete(socket));
  }
}
