import { connect, createServer, type Server, type Socket } from "node:net";
import { close, listen } from "./loopback.ts";

/**
 * What the line does to a connection.
 * - `carry`: nothing.
 * - `refuse`: closes it at once, before a byte is carried.
 * - `swallow`: takes everything and answers nothing.
 * - `cut-answer`: carries the request, and cuts the connection when the answer begins.
 * - `lose-answers`: carries what the near end says, and from now on nothing of what the far end does.
 * - `lose-requests`: the other way round.
 */
export type LineMode = "carry" | "refuse" | "swallow" | "cut-answer" | "lose-answers" | "lose-requests";

/** A loopback TCP proxy that fails on demand. */
export class TcpProxy {
  mode: LineMode = "carry";
  /** Number of accepted connections. */
  connections = 0;
  /** Number of bytes read in both directions. */
  bytes = 0;
  readonly #targetPort: number;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer((near) => this.#join(near));
  }

  async start(): Promise<string> {
    return `http://127.0.0.1:${await listen(this.#server)}`;
  }

  /** Closes every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    await close(this.#server);
  }

  #join(near: Socket): void {
    this.connections += 1;
    this.#keep(near);
    near.on("error", () => near.destroy());
    if (this.mode === "refuse") {
      near.resetAndDestroy();
      return;
    }
    if (this.mode === "swallow") {
      near.resume();
      return;
    }
    const mode = this.mode;
    const far = connect(this.#targetPort, "127.0.0.1");
    this.#keep(far);
    far.on("error", () => near.destroy());
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    near.on("data", (chunk) => this.mode === "lose-requests" || far.write(chunk));
    near.on("end", () => far.end());
    for (const end of [near, far]) end.on("data", (chunk: Buffer) => (this.bytes += chunk.length));
    if (mode === "cut-answer") far.once("data", () => near.resetAndDestroy());
    else {
      far.on("data", (chunk) => this.mode === "lose-answers" || near.write(chunk));
      far.on("end", () => near.end());
    }
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
  }
}
