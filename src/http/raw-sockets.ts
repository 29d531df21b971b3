import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "../domain/clock.ts";
import { EARLY_HEADERS, errorBody, METHODS, sendError } from "./errors.ts";

/** Maximum refused connections that get a response at one time; further ones are closed without. About 0.5 MB of sockets. */
const REFUSALS_MAX = 64;
/** Seconds; idle connections end within five. */
const RETRY_AFTER_S = 5;

/** Time to deliver a last response before the connection is closed: several round trips of a slow radio link. */
const LINGER_MS = 2_000;

/**
 * Handles sockets that leave HTTP, for example after CONNECT. Node.js removes its listeners from them: a reset would then
 * be an unhandled error that ends the process, and a half-open socket would stay open without limit. Each socket gets an
 * error listener, and sockets that leave HTTP get one last response.
 */
export class RawSockets {
  readonly #clock: Clock;
  readonly #open = new Set<Socket>();
  /** Responses that are not sent completely, or whose request has not arrived completely, by connection. */
  readonly #pending = new WeakMap<Duplex, Set<ServerResponse>>();
  #refusals = 0;
  #failedHandshakes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Handles a server's sockets and responds to requests that do not reach the application. */
  watch<S extends Server | TlsServer>(server: S): S {
    // With TLS there are two sockets; either may report the error.
    server.on("connection", (socket: Socket) => {
      socket.on("error", ignored);
      this.#open.add(socket);
      socket.once("close", () => this.#open.delete(socket));
    });
    server.on("tlsClientError", () => (this.#failedHandshakes += 1));
    server.on("timeout", (socket: Socket) => this.#endIfSilent(socket));
    server.on("secureConnection", (socket: Socket) => socket.on("error", ignored));
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
      socket.on("error", ignored);
      this.#respondToInvalidRequest(error, socket as Socket);
    });
    server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
      this.#notePending(response);
      sendError(response, 417, "only Expect: 100-continue is supported", {});
    });
    server.on("request", (_request: IncomingMessage, response: ServerResponse) =>
      this.#notePending(response),
    );
    server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
      this.#respondAndClose(
        socket,
        rawResponse(405, "proxy requests are not supported", `Allow: ${METHODS}\r\n`),
      );
    });
    return server;
  }

  /** TLS handshakes that failed or were not finished. */
  get failedHandshakes(): number {
    return this.#failedHandshakes;
  }

  /**
   * Ends a connection at the limit of connections with a response that tells when to come back: without one, a client takes
   * the daemon for defective. Limited, because each response holds its socket for up to two seconds.
   */
  refuse(socket: Socket): void {
    if (this.#refusals >= REFUSALS_MAX) {
      socket.destroy();
      return;
    }
    this.#refusals += 1;
    socket.once("close", () => (this.#refusals -= 1));
    const message = "too many connections; try again later";
    this.#respondAndClose(socket, rawResponse(503, message, `Retry-After: ${RETRY_AFTER_S}\r\n`));
  }

  /** Closes all connections immediately, including those that Node.js no longer tracks. */
  endAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  /**
   * Ends a connection that was idle for too long, unless bytes of it have arrived meanwhile. Node.js checks its timers before it
   * reads: with thousands of busy connections, or after a long turn of the event loop, it would reset connections whose next
   * request is already here.
   */
  #endIfSilent(socket: Socket): void {
    const { bytesRead } = socket;
    this.#clock.afterEventLoopTurn(() => {
      if (socket.bytesRead === bytesRead) socket.destroy();
    });
  }

  #notePending(response: ServerResponse): void {
    const { req } = response;
    const pending = this.#pending.get(req.socket) ?? new Set();
    this.#pending.set(req.socket, pending.add(response));
    const forget = (): void => {
      if (isOver(response)) pending.delete(response);
    };
    response.once("close", forget);
    // After an early response, the rest of the request is still to come.
    req.once("end", forget);
  }

  /** Responds to a request that the parser of Node.js rejects. */
  #respondToInvalidRequest(error: NodeJS.ErrnoException, socket: Socket): void {
    const code = error.code ?? "";
    // No HTTP response to anything but HTTP: after a slow TLS handshake, a client would take it as the response to a
    // request that never arrived.
    if (!HTTP_ERROR.test(code) || !socket.writable || !this.#isNextResponse(socket)) {
      socket.destroy();
      return;
    }
    const status = STATUS_OF_PARSER[code] ?? 400;
    const message = MESSAGE_OF_PARSER[code] ?? MESSAGE_OF_STATUS[status] ?? "malformed HTTP request";
    this.#respondAndClose(socket, rawResponse(status, message));
  }

  /**
   * Whether the client takes the next response for that of the request that is arriving: not if a complete one before it has no
   * response yet, or if the response has begun or ended.
   */
  #isNextResponse(socket: Socket): boolean {
    return [...(this.#pending.get(socket) ?? [])].every(
      (response) => isOver(response) || (!response.req.complete && !response.headersSent),
    );
  }

  #respondAndClose(socket: Duplex, response: string): void {
    // Unread bytes would reset the connection on close and lose the response.
    socket.resume();
    socket.end(response);
    const cancel = this.#clock.after(LINGER_MS, () => socket.destroy());
    socket.once("close", cancel);
  }
}

/** Whether a request has arrived completely, and its response is sent. */
function isOver({ req, closed }: ServerResponse): boolean {
  return req.complete && closed;
}

/** Error codes of the parser and the timeouts of Node.js. */
const HTTP_ERROR = /^(?:HPE|ERR_HTTP)_/;
const STATUS_OF_PARSER: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
const MESSAGE_OF_PARSER: Readonly<Record<string, string>> = {
  HPE_INVALID_URL:
    "the address of the request is invalid; letters such as Ș must be percent-encoded as UTF-8 (%C8%98)",
};
/** What happened, where the request itself may have been correct. */
const MESSAGE_OF_STATUS: Readonly<Record<number, string>> = {
  408: "request timed out: it did not arrive completely in time",
  431: "the request headers are too large",
};

/** The client has disconnected; "close" follows and cleans up. */
function ignored(): void {}

function rawResponse(status: number, message: string, headers = ""): string {
  const body = JSON.stringify(errorBody(status, message));
  const early = Object.entries(EARLY_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
    `${early.join("")}${headers}` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  );
}
