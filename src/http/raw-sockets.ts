import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "../domain/clock.ts";
import { errorBody } from "./errors.ts";

/** Time for a client to take a last answer before its connection ends: several times a slow radio link's round trip. */
const LINGER_MS = 2_000;

/**
 * The sockets under a server's requests. Node takes its listeners off a socket that leaves HTTP, such as that of a
 * CONNECT; a reset would then be an error without a listener, which ends the process, and a client that keeps its half
 * open would hold the socket without limit. So each socket has a listener of ours for as long as it lives, and whatever
 * leaves HTTP gets one last answer and an end.
 */
export class RawSockets {
  readonly #clock: Clock;
  readonly #open = new Set<Socket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Watches a server's sockets and answers in the interface's shape what never reaches the application. */
  watch<S extends Server | TlsServer>(server: S): S {
    // With TLS there are two sockets on top of each other; either may report the error.
    server.on("connection", (socket: Socket) => {
      socket.on("error", ignored);
      this.#open.add(socket);
      socket.once("close", () => this.#open.delete(socket));
    });
    server.on("secureConnection", (socket: Socket) => socket.on("error", ignored));
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
      socket.on("error", ignored);
      this.#answerBrokenRequest(error, socket as Socket);
    });
    server.on("checkExpectation", refuseExpectation);
    server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
      this.#answerLast(socket, rawAnswer(405, "this is not a proxy", `Allow: ${METHODS}\r\n`));
    });
    return server;
  }

  /** Ends every connection at once, also those that Node no longer counts among a server's. */
  endAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  /** What Node's parser refuses never reaches the application; it still gets the interface's error shape. */
  #answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
    // What is not HTTP gets no answer in HTTP: a client whose TLS handshake was too slow would read it as that of its
    // request, which has never arrived.
    if (!HTTP_ERROR.test(error.code ?? "") || !socket.writable || socket.bytesWritten > 0) {
      socket.destroy();
      return;
    }
    const status = STATUS_OF_PARSER[error.code ?? ""] ?? 400;
    this.#answerLast(socket, rawAnswer(status, "the request cannot be read as HTTP"));
  }

  #answerLast(socket: Duplex, answer: string): void {
    // Read on: a connection that is closed with unread bytes is reset, and the answer is lost with it.
    socket.resume();
    socket.end(answer);
    const cancel = this.#clock.after(LINGER_MS, () => socket.destroy());
    socket.once("close", cancel);
  }
}

const JSON_TYPE = "application/json; charset=utf-8";
const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/** Codes of Node's parser and of its limits of time. */
const HTTP_ERROR = /^(?:HPE|ERR_HTTP)_/;
const STATUS_OF_PARSER: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The client has gone, which is no trouble of ours; "close" follows and cleans up. */
function ignored(): void {}

function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const body = JSON.stringify(errorBody(417, "only Expect: 100-continue is understood"));
  response.writeHead(417, { "Content-Type": JSON_TYPE, "Content-Length": Buffer.byteLength(body) });
  response.end(body);
}

function rawAnswer(status: number, message: string, headers = ""): string {
  const body = JSON.stringify(errorBody(status, message));
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: ${JSON_TYPE}\r\n${headers}` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  );
}
