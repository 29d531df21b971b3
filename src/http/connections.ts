import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import { errorBody } from "./errors.ts";

/** So many from one address of the network; a browser opens six. This machine's own programs are not counted. */
const PER_ADDRESS_MAX = 64;
const ALTOGETHER_MAX = 256;
/** Requests on one connection whose answers have not left yet: nobody pipelines more, and each answer may be 16 MB. */
const UNANSWERED_MAX = 4;
/** Answers that clients do not take: beyond it nothing is answered that would add to them. */
const UNSENT_BYTES_MAX = 48 * 1024 * 1024;
/** A client that neither sends nor takes anything for so long is gone. Streams say something every 15 s. */
const IDLE_MS = 45_000;

/** What is done to whole databases takes a slow card minutes, in which there is nothing to be said to the client. */
const PATIENCE_MS = 600_000;

/** Keeps the connection of one answer that takes long; the next request on it is as any other. */
export function patient(response: ServerResponse): void {
  response.setTimeout(PATIENCE_MS);
}

/** What has taken long is there: from now on its taker has to take it. */
export function impatient(response: ServerResponse): void {
  response.setTimeout(IDLE_MS);
}

/** Keeps what one client can hold of this machine's memory and sockets within bounds. */
export class Connections {
  readonly #open = new Set<Socket>();
  /** How many answers each connection still owes its client. */
  readonly #unanswered = new Map<Socket, number>();

  /** Watches a server's connections. */
  watch(server: Server | TlsServer): void {
    server.maxConnections = ALTOGETHER_MAX;
    server.timeout = IDLE_MS;
    server.on("connection", (socket: Socket) => this.#accept(socket));
  }

  /** The same application, asked only as long as its answers are taken. */
  guard(app: RequestListener): RequestListener {
    return (request, response) => {
      const { socket } = request;
      const owed = (this.#unanswered.get(socket) ?? 0) + 1;
      if (owed > UNANSWERED_MAX) {
        socket.destroy();
        return;
      }
      if (this.#unsentBytes() > UNSENT_BYTES_MAX) {
        refuse(request, response);
        return;
      }
      this.#unanswered.set(socket, owed);
      response.once("close", () => {
        const left = (this.#unanswered.get(socket) ?? 1) - 1;
        if (left > 0 && !socket.destroyed) this.#unanswered.set(socket, left);
        else this.#unanswered.delete(socket);
      });
      app(request, response);
    };
  }

  #accept(socket: Socket): void {
    const { remoteAddress } = socket;
    let same = 0;
    for (const other of this.#open) if (other.remoteAddress === remoteAddress) same += 1;
    if (same >= PER_ADDRESS_MAX && !isThisMachine(remoteAddress)) {
      socket.destroy();
      return;
    }
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
  }

  #unsentBytes(): number {
    let bytes = 0;
    for (const socket of this.#unanswered.keys()) bytes += socket.writableLength;
    return bytes;
  }
}

function isThisMachine(address: string | undefined): boolean {
  return address === undefined || address === "::1" || address.replace(/^::ffff:/, "").startsWith("127.");
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  const body = JSON.stringify(errorBody(503, "too many answers have not been taken yet; try again"));
  response.writeHead(503, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    "Retry-After": "5",
    Connection: "close",
  });
  response.end(request.method === "HEAD" ? undefined : body);
}
