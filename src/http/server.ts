import { chmodSync, rmSync } from "node:fs";
import { createServer, STATUS_CODES, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import { trustConnection } from "./authenticate.ts";
import { errorBody } from "./errors.ts";

export interface HttpServerOptions {
  readonly app: RequestListener;
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Certificate and key of the network side, PEM; undefined for plain HTTP. */
  readonly tls: KeyPair | undefined;
  /** Path of the control socket. */
  readonly controlSocket: string;
  readonly conditions: Conditions;
  readonly clock: Clock;
}

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** Serves the application on a TCP address, with TLS or without, and, without tokens, on the control socket. */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #network: Server | TlsServer;
  readonly #control: Server;
  /** Our own trips go over plain HTTP that never leaves this machine; without TLS the network side is that already. */
  readonly #loopback: Server | undefined;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const { app, tls } = options;
    this.#network = bounded(
      tls ? createTlsServer({ ...TIMEOUTS, ...TLS, ...tls }, app) : createServer(TIMEOUTS, app),
    );
    this.#loopback = tls ? bounded(createServer(TIMEOUTS, app)) : undefined;
    this.#control = bounded(createServer(TIMEOUTS, app));
    this.#control.on("connection", trustConnection);
  }

  /**
   * Listens on both. A control socket that cannot be made is a condition.
   * @throws AppError `busy` when the TCP port is taken, `configuration` when the address cannot be used
   */
  async start(): Promise<void> {
    const { host, port } = this.#options;
    try {
      await listening(this.#network, () => this.#network.listen(port, host));
    } catch (cause) {
      throw addressError(host, port, cause as NodeJS.ErrnoException);
    }
    const loopback = this.#loopback;
    if (loopback) await listening(loopback, () => loopback.listen(0, "127.0.0.1"));
    await this.#startControlSocket();
  }

  /** Shows new clients a renewed certificate. */
  useCertificate(pair: KeyPair): void {
    if ("setSecureContext" in this.#network) this.#network.setSecureContext({ ...TLS, ...pair });
  }

  /** Where the network side listens. */
  get address(): { host: string; port: number } {
    return addressOf(this.#network);
  }

  /** How this machine reaches its own API. */
  get loopbackUrl(): string {
    const { host, port } = addressOf(this.#loopback ?? this.#network);
    const near = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
    return `http://${near.includes(":") ? `[${near}]` : near}:${port}`;
  }

  /** Takes no new requests, lets running ones finish for a moment, and ends. */
  async stop(): Promise<void> {
    const servers = [this.#network, this.#control, ...(this.#loopback ? [this.#loopback] : [])];
    const cancel = this.#options.clock.after(STOP_LIMIT_MS, () =>
      servers.forEach((server) => server.closeAllConnections()),
    );
    await Promise.all(servers.map(closed));
    cancel();
    rmSync(this.#options.controlSocket, { force: true });
  }

  async #startControlSocket(): Promise<void> {
    const { controlSocket, conditions } = this.#options;
    try {
      // Only one daemon has this folder, so a socket that is there was left by a process that died.
      rmSync(controlSocket, { force: true });
      await listening(this.#control, () => this.#control.listen(controlSocket));
      chmodSync(controlSocket, 0o660);
    } catch (error) {
      const tooLong = Buffer.byteLength(controlSocket) > SOCKET_PATH_BYTES_MAX;
      const remedy = tooLong
        ? `the path is longer than ${SOCKET_PATH_BYTES_MAX} bytes; choose a shorter dataDir`
        : messageOf(error);
      conditions.raise("control-socket-unavailable", `cannot listen on ${controlSocket}: ${remedy}`);
    }
  }
}

/** Running requests get so long to finish when the server stops. */
const STOP_LIMIT_MS = 5_000;
/** Linux: sun_path holds 108 bytes with the closing zero (unix(7)). */
const SOCKET_PATH_BYTES_MAX = 107;

/** Node's defaults leave a slow or silent client its socket for minutes. */
const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
} as const;
const TLS = { minVersion: "TLSv1.2", handshakeTimeout: 10_000 } as const;

function bounded<S extends Server | TlsServer>(server: S): S {
  server.maxConnections = 256;
  server.maxRequestsPerSocket = 1000;
  server.on("clientError", answerBrokenRequest);
  return server;
}

/** What Node's parser refuses never reaches the application; it still gets the interface's error shape. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable || (socket as Socket).bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const status = STATUS_OF_PARSER[error.code ?? ""] ?? 400;
  const body = JSON.stringify(errorBody(status, "the request cannot be read as HTTP"));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const STATUS_OF_PARSER: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

function addressOf(server: Server | TlsServer): { host: string; port: number } {
  const { address, port } = server.address() as AddressInfo;
  return { host: address, port };
}

function listening(server: Server | TlsServer, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", () => {
      server.off("error", reject);
      resolve();
    });
    listen();
  });
}

function closed(server: Server | TlsServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

function addressError(host: string, port: number, cause: NodeJS.ErrnoException): AppError {
  if (cause.code === "EADDRINUSE")
    return new AppError("busy", `port ${port} of ${host} is taken by another program`, {
      hint: "End that program or set http.port to another port.",
      cause,
    });
  return new AppError("configuration", `cannot listen on ${host} port ${port}: ${cause.message}`, {
    hint: "Set http.host to an address of this machine and http.port to a port that this user may use.",
    cause,
  });
}
