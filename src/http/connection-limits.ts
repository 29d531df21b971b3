import type { IncomingMessage, RequestListener, Server } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import { networkOf, plainAddress } from "../domain/client-network.ts";
import { isSignedIn } from "./auth-guards.ts";
import { markRequestBegun, IDLE_TIMEOUT_MS, waitsForReport } from "./idle-timeouts.ts";
import { KnownAddresses } from "./known-addresses.ts";
import { PendingResponses } from "./pending-responses.ts";

/** Maximum open connections. */
export interface ConnectionLimits {
  /** In total. */
  readonly connectionsMax: number;
  /** From one network address; loopback is not limited. */
  readonly connectionsPerAddressMax: number;
}

/** Open connections, and those that a limit has closed since the start. */
export interface ConnectionUse {
  readonly open: number;
  /** New ones that were refused at a limit. */
  readonly refused: number;
  /** Ones without a sign-in, or waiting for the next report, that were closed for a new one. */
  readonly replaced: number;
  /** Ones with the most unsent bytes that were ended for want of memory. */
  readonly ended: number;
}

/** State of an open connection. */
interface OpenConnection {
  readonly socket: Socket;
  /** Client address at the time of the connection; a closed socket has none. */
  readonly address: string;
  /** What counts as one client in the limit per address. */
  readonly network: string;
  /** Requests with a pending response. */
  readonly requests: Set<IncomingMessage>;
  /** Whether a request on it had a valid token. */
  isSignedIn: boolean;
  /** Whether it only waits for the next report of a site. */
  isWaitingForReport: boolean;
  /** Whether it no longer counts. */
  isForgotten: boolean;
}

/**
 * Limits the memory and sockets that clients can use. When all connections are in use, a new one replaces the oldest idle
 * connection without a sign-in; from a known address it may replace any connection without a sign-in. Connections with a
 * signed-in user are kept.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  /** By address and port of the client, oldest first. */
  readonly #open = new Map<string, OpenConnection>();
  readonly #countByNetwork = new Map<string, number>();
  readonly #knownAddresses: KnownAddresses;
  readonly #pending = new PendingResponses();
  #refused = 0;
  #replaced = 0;

  /** @param knownAddresses from which users have signed in before, the latest first */
  constructor(limits: ConnectionLimits, knownAddresses: readonly string[] = []) {
    this.#limits = limits;
    this.#knownAddresses = new KnownAddresses(limits.connectionsMax, knownAddresses);
  }

  /**
   * Limits a server's connections. Node.js gets only those that are accepted: a refused one costs neither a TLS state nor a
   * parser.
   * @param refuse ends a refused connection
   * @param idleMs without traffic, after which a connection is closed: also one whose client does not read its responses
   */
  watch(
    server: Server | TlsServer,
    refuse: (socket: Socket) => void = destroyed,
    idleMs: number = IDLE_TIMEOUT_MS,
  ): void {
    server.timeout = idleMs;
    const [serve] = server.listeners("connection") as ((socket: Socket) => void)[];
    if (!serve) throw new Error("Node.js takes connections in another way");
    server.off("connection", serve);
    server.on("connection", (socket: Socket) => {
      if (this.#isAccepted(socket)) serve.call(server, socket);
      else refuse(socket);
    });
  }

  get use(): ConnectionUse {
    const { ended } = this.#pending;
    return { open: this.#open.size, refused: this.#refused, replaced: this.#replaced, ended };
  }

  /** Wraps the application: ends connections on which, or for which, too many responses are pending. */
  guard(app: RequestListener): RequestListener {
    return (request, response) => {
      const { socket } = request;
      if (!this.#pending.add(response)) {
        socket.destroy();
        return;
      }
      const connection = this.#open.get(keyOf(socket));
      connection?.requests.add(request);
      if (connection) connection.isWaitingForReport = false;
      markRequestBegun(socket);
      response.once("close", () => {
        if (connection) connection.isWaitingForReport = waitsForReport(socket);
        connection?.requests.delete(request);
        if (isSignedIn(request)) this.#signedIn(connection, socket);
        this.#pending.remove(response);
      });
      app(request, response);
    };
  }

  #isAccepted(socket: Socket): boolean {
    const { remoteAddress } = socket;
    const { connectionsMax, connectionsPerAddressMax } = this.#limits;
    const network = networkOf(remoteAddress ?? "");
    const ofNetwork = (): number => this.#countByNetwork.get(network) ?? 0;
    const isNetworkFull = ofNetwork() >= connectionsPerAddressMax && !isLoopbackAddress(remoteAddress);
    const exceedsAddressLimit = isNetworkFull && !this.#makeRoomIn(network);
    if (exceedsAddressLimit || (this.#open.size >= connectionsMax && !this.#makeRoom(remoteAddress))) {
      this.#refused += 1;
      return false;
    }
    const key = keyOf(socket);
    const connection = {
      socket,
      address: remoteAddress ?? "",
      network,
      requests: new Set<IncomingMessage>(),
      isSignedIn: false,
      isWaitingForReport: false,
      isForgotten: false,
    };
    this.#open.set(key, connection);
    this.#countByNetwork.set(network, ofNetwork() + 1);
    socket.once("close", () => this.#forget(key, connection));
    return true;
  }

  #forget(key: string, connection: OpenConnection): void {
    if (connection.isForgotten) return;
    connection.isForgotten = true;
    // The port may already belong to a newer connection.
    if (this.#open.get(key) === connection) this.#open.delete(key);
    const left = (this.#countByNetwork.get(connection.network) ?? 1) - 1;
    if (left > 0) this.#countByNetwork.set(connection.network, left);
    else this.#countByNetwork.delete(connection.network);
  }

  /** As `makeRoom`, among the connections of one address: silent ones there must not shut out a user behind it. */
  #makeRoomIn(network: string): boolean {
    const isThere = (connection: OpenConnection): boolean => connection.network === network;
    return (
      this.#replace((one) => isThere(one) && isBetweenReports(one)) ||
      this.#replace((one) => isThere(one) && !one.isSignedIn && !isServed(one))
    );
  }

  /**
   * An active connection without a sign-in is replaced only by one from a known address, if none is idle.
   * @returns whether a connection is available now
   */
  #makeRoom(newAddress: string | undefined): boolean {
    const isStranger = (one: OpenConnection): boolean => !one.isSignedIn && !this.#isKnown(one.address);
    return (
      this.#replace(isBetweenReports) ||
      this.#replace((one) => isStranger(one) && !isServed(one)) ||
      (this.#isKnown(newAddress) && this.#replace(isStranger))
    );
  }

  /** Ends the oldest connection that may be replaced. @returns whether there was one */
  #replace(isReplaceable: (connection: OpenConnection) => boolean): boolean {
    for (const [key, connection] of this.#open) {
      if (!isReplaceable(connection)) continue;
      this.#replaced += 1;
      this.#forget(key, connection);
      connection.socket.destroy();
      return true;
    }
    return false;
  }

  #isKnown(address: string | undefined): boolean {
    return this.#knownAddresses.has(address ?? "");
  }

  #signedIn(connection: OpenConnection | undefined, { remoteAddress }: Socket): void {
    if (connection) connection.isSignedIn = true;
    if (remoteAddress !== undefined) this.#knownAddresses.add(remoteAddress);
  }
}

/** Whether it only waits for the next report: a report can open another one, an alarm must not wait. */
function isBetweenReports({ isWaitingForReport, requests }: OpenConnection): boolean {
  return isWaitingForReport && requests.size === 0;
}

/** Whether it waits for a response; an incomplete request counts as idle. */
function isServed({ requests }: OpenConnection): boolean {
  return [...requests].some(({ complete }) => complete);
}

function destroyed(socket: Socket): void {
  socket.destroy();
}

/** Equal for a TLS socket and its underlying socket. */
function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function isLoopbackAddress(address: string | undefined): boolean {
  return address === undefined || address === "::1" || plainAddress(address).startsWith("127.");
}
