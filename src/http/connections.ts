import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import { isSignedIn } from "./authenticate.ts";
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

/** Addresses from which someone has signed in; the oldest is forgotten beyond it. */
const KNOWN_ADDRESSES_MAX = 1_000;

/** What is known of an open connection. */
interface OpenConnection {
  readonly socket: Socket;
  /** Requests whose answers have not left yet. */
  readonly requests: Set<IncomingMessage>;
  /** Whether a valid token has come over it. */
  isSignedIn: boolean;
}

/**
 * Keeps what one client can hold of this machine's memory and sockets within bounds. When every place is taken, a
 * newcomer gets that of the oldest stranger that says nothing; one from an address that has signed in before gets that of
 * any stranger. A connection over which a person is signed in stays.
 */
export class Connections {
  /** By address and port of the client, in the order in which they came. */
  readonly #open = new Map<string, OpenConnection>();
  readonly #knownAddresses = new Set<string>();
  /** How many answers each connection still owes its client. */
  readonly #unanswered = new Map<Socket, number>();

  /** Watches a server's connections. */
  watch(server: Server | TlsServer): void {
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
      const connection = this.#open.get(keyOf(socket));
      connection?.requests.add(request);
      response.once("close", () => {
        connection?.requests.delete(request);
        if (isSignedIn(request)) this.#signedIn(connection, socket);
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
    for (const { socket: other } of this.#open.values()) if (other.remoteAddress === remoteAddress) same += 1;
    const isOneTooMany = same >= PER_ADDRESS_MAX && !isThisMachine(remoteAddress);
    if (isOneTooMany || (this.#open.size >= ALTOGETHER_MAX && !this.#makeRoom(remoteAddress))) {
      socket.destroy();
      return;
    }
    const key = keyOf(socket);
    const connection = { socket, requests: new Set<IncomingMessage>(), isSignedIn: false };
    this.#open.set(key, connection);
    socket.once("close", () => {
      if (this.#open.get(key) === connection) this.#open.delete(key);
    });
  }

  /** @returns whether a place is free now */
  #makeRoom(newcomer: string | undefined): boolean {
    const strangers = [...this.#open].filter(
      ([, { socket, isSignedIn: hasToken }]) => !hasToken && !this.#isKnown(socket.remoteAddress),
    );
    // A request that does not come to its end is silence, too.
    const silent = strangers.find(([, { requests }]) => ![...requests].some(({ complete }) => complete));
    const [key, loser] = silent ?? (this.#isKnown(newcomer) ? strangers[0] : undefined) ?? [];
    if (key === undefined) return false;
    this.#open.delete(key);
    loser?.socket.destroy();
    return true;
  }

  #isKnown(address: string | undefined): boolean {
    return this.#knownAddresses.has(address ?? "");
  }

  #signedIn(connection: OpenConnection | undefined, { remoteAddress }: Socket): void {
    if (connection) connection.isSignedIn = true;
    if (remoteAddress === undefined) return;
    this.#knownAddresses.delete(remoteAddress);
    this.#knownAddresses.add(remoteAddress);
    const [oldest] = this.#knownAddresses;
    if (this.#knownAddresses.size > KNOWN_ADDRESSES_MAX && oldest !== undefined)
      this.#knownAddresses.delete(oldest);
  }

  #unsentBytes(): number {
    let bytes = 0;
    for (const socket of this.#unanswered.keys()) bytes += socket.writableLength;
    return bytes;
  }
}

/** The same for a TLS socket and the one under it. */
function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
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
