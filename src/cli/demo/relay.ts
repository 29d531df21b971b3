import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** The link between site and dispatch centre: a TCP relay on loopback that can be cut and restored. */
export class Relay {
  #targetPort: number;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #isCut = false;

  constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer((near) => this.#join(near));
  }

  /** @returns the port for the site */
  start(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(0, "127.0.0.1", () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  /** Drops open and new connections. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  reconnect(): void {
    this.#isCut = false;
  }

  /** Leads new connections to another port, as a load balancer does after a failure. */
  lead(port: number): void {
    this.#targetPort = port;
  }

  stop(): void {
    this.cut();
    this.#server.close();
  }

  #join(near: Socket): void {
    if (this.#isCut) {
      near.destroy();
      return;
    }
    const far = connect(this.#targetPort, "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
