import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import { isSignedIn } from "./auth-guards.ts";
import { errorBody } from "./errors.ts";

/** How many connections may be open. */
export interface ConnectionLimits {
  /** Altogether. */
  readonly connectionsMax: number;
  /** From one address of the network; this machine's own programs are not counted. */
  readonly connectionsPerAddressMax: number;
}

/** Requests on one connection whose answers have not left yet: nobody pipelines more, and each answer may be 16 MB. */
const PIPELINED_REQUESTS_MAX = 4;
/** Answers that clients do not take: beyond it nothing is answered that would add to them. */
const UNSENT_BYTES_MAX = 48 * 1024 * 1024;
/** A client that neither sends nor takes anything for so long is gone. Streams say something every 15 s. */
const IDLE_MS = 45_000;

/** What is done to whole databases takes a slow card minutes, in which there is nothing to be said to the client. */
const LONG_RESPONSE_TIMEOUT_MS = 600_000;

/** Keeps the connection of one answer that takes long; the next request on it is as any other. */
export function disableIdleTimeout(response: ServerResponse): void {
  response.setTimeout(LONG_RESPONSE_TIMEOUT_MS);
}

/** What has taken long is there: from now on its taker has to take it. */
export function restoreIdleTimeout(response: ServerResponse): void {
  response.setTimeout(IDLE_MS);
}

/** Addresses from which an account has signed in; the oldest is forgotten beyond it, or beyond the number of connections. */
const KNOWN_ADDRESSES_MAX = 1_000;

/** What is known of an open connection. */
interface OpenConnection {
  readonly socket: Socket;
  /** The client's, as it was when it came: a closed socket has none. */
  readonly address: string;
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
  readonly #limits: ConnectionLimits;
  /** By address and port of the client, in the order in which they came. */
  readonly #open = new Map<string, OpenConnection>();
  readonly #countByAddress = new Map<string, number>();
  readonly #knownAddresses = new Set<string>();
  /** How many answers each connection still owes its client. */
  readonly #unanswered = new Map<Socket, number>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

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
      if (owed > PIPELINED_REQUESTS_MAX) {
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
    const { connectionsMax, connectionsPerAddressMax } = this.#limits;
    const same = this.#countByAddress.get(remoteAddress ?? "") ?? 0;
    const isOneTooMany = same >= connectionsPerAddressMax && !isThisMachine(remoteAddress);
    if (isOneTooMany || (this.#open.size >= connectionsMax && !this.#makeRoom(remoteAddress))) {
      socket.destroy();
      return;
    }
    const key = keyOf(socket);
    const connection = {
      socket,
      address: remoteAddress ?? "",
      requests: new Set<IncomingMessage>(),
      isSignedIn: false,
    };
    this.#open.set(key, connection);
    this.#countByAddress.set(connection.address, same + 1);
    socket.once("close", () => this.#forget(key, connection));
  }

  #forget(key: string, connection: OpenConnection): void {
    // A port may be another connection's by now.
    if (this.#open.get(key) !== connection) return;
    this.#open.delete(key);
    const left = (this.#countByAddress.get(connection.address) ?? 1) - 1;
    if (left > 0) this.#countByAddress.set(connection.address, left);
    else this.#countByAddress.delete(connection.address);
  }

  /** @returns whether a place is free now */
  #makeRoom(newcomer: string | undefined): boolean {
    const [key, loser] = this.#loser(this.#isKnown(newcomer)) ?? [];
    if (key === undefined || !loser) return false;
    this.#forget(key, loser);
    loser.socket.destroy();
    return true;
  }

  /** @param mayBeAny whether the oldest stranger may be taken where none is silent */
  #loser(mayBeAny: boolean): [string, OpenConnection] | undefined {
    let oldest: [string, OpenConnection] | undefined;
    for (const entry of this.#open) {
      const [, { requests, address, isSignedIn: hasToken }] = entry;
      if (hasToken || this.#isKnown(address)) continue;
      oldest ??= entry;
      // A request that does not come to its end is silence, too.
      if (![...requests].some(({ complete }) => complete)) return entry;
    }
    return mayBeAny ? oldest : undefined;
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
    const keptMax = Math.max(KNOWN_ADDRESSES_MAX, this.#limits.connectionsMax);
    if (this.#knownAddresses.size > keptMax && oldest !== undefined) this.#knownAddresses.delete(oldest);
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
