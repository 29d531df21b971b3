import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { App } from "./app.ts";
import { markAsControlSocket } from "./auth-guards.ts";
import { RawSockets } from "./raw-sockets.ts";
import { Connections, type ConnectionLimits, type ConnectionUse } from "./connection-limits.ts";
import { addressError, addressOf, closed, listenAt, listening } from "./listen.ts";

export interface HttpServerOptions {
  readonly app: App;
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** File descriptor of a listening socket from systemd; undefined to open one. */
  readonly descriptor: number | undefined;
  /**
   * Whether a port that another program uses, or that this user may not open, is a condition instead of an error; by default not.
   */
  readonly waitsForPort?: boolean | undefined;
  /** PEM certificate and key of the network server; undefined for plain HTTP. */
  readonly tls: KeyPair | undefined;
  /** Port of the server for the daemon's own trips; 0 selects a free one. */
  readonly loopbackPort?: number;
  /** Path of the control socket. */
  readonly controlSocket: string;
  /** Limits of the network server. */
  readonly limits: ConnectionLimits;
  /** Milliseconds without traffic, after which the network server closes a connection; 45 s by default. */
  readonly idleMs?: number;
  /** Addresses with a successful sign-in before this start, the latest first. */
  readonly knownAddresses?: readonly string[];
  readonly conditions: Conditions;
  readonly clock: Clock;
}

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** Connections of the network server, and TLS handshakes that failed or were not finished since the start. */
export interface NetworkUse extends ConnectionUse {
  readonly failedHandshakes: number;
}

/** Serves the application on a TCP address, with or without TLS, and without tokens on the control socket. */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #network: Server | TlsServer;
  readonly #control: Server;
  readonly #sockets: RawSockets;
  readonly #connections: Connections;
  #cancelRetry: CancelTimer = () => {};
  #isStopped = false;
  /** Separate server for the daemon's own trips, so that network clients cannot block them. */
  readonly #loopback: Server;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const { app, tls } = options;
    this.#sockets = new RawSockets(options.clock);
    const configured = <S extends Server | TlsServer>(server: S): S => {
      server.maxRequestsPerSocket = 1000;
      return this.#sockets.watch(server);
    };
    this.#connections = new Connections(options.limits, options.knownAddresses);
    const limited = this.#connections.guard(app.handle);
    const common = { ...OPTIONS, ...app.classes };
    this.#network = configured(
      tls ? createTlsServer({ ...common, ...TLS, ...tls }, limited) : createServer(common, limited),
    );
    // Before its handshake, a TLS client understands no response.
    const refuse = tls ? undefined : (socket: Socket) => this.#sockets.refuse(socket);
    this.#connections.watch(this.#network, refuse, options.idleMs);
    this.#loopback = configured(createServer({ ...common, keepAliveTimeout: LOOPBACK_IDLE_MS }, app.handle));
    this.#control = configured(createServer(common, app.handle));
    this.#control.on("connection", markAsControlSocket);
  }

  /**
   * Starts listening. A missing address (no DHCP lease yet after a power cut) and an unusable control socket are
   * conditions, not errors: monitoring must work anyway.
   * @throws AppError `busy` if the TCP port is in use, `configuration` if the address is unusable or differs from the
   *   socket of systemd; with `waitsForPort` a port that cannot be opened is a condition
   */
  async start(): Promise<void> {
    await this.#listenToNetwork();
    await listening(this.#loopback, () =>
      this.#loopback.listen(this.#options.loopbackPort ?? 0, "127.0.0.1"),
    );
    await this.#startControlSocket();
  }

  async #listenToNetwork(): Promise<void> {
    const { host, conditions, limits, waitsForPort = false } = this.#options;
    const waitingMax = Math.max(WAITING_MIN, limits.connectionsMax);
    try {
      await listenAt(this.#network, { ...this.#options, waitingMax });
      conditions.clear("http-address-unavailable");
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      const error = addressError(this.#options, cause as NodeJS.ErrnoException);
      if (code === "EADDRNOTAVAIL") this.#retryLater(`this machine has no address ${host}; retrying`);
      else if (waitsForPort && (code === "EADDRINUSE" || code === "EACCES")) this.#retryLater(error.message);
      else throw error;
    }
  }

  async #listenAgain(): Promise<void> {
    try {
      await this.#listenToNetwork();
    } catch (error) {
      // The daemon runs already, and another program may release the port.
      this.#retryLater(messageOf(error));
    }
  }

  #retryLater(reason: string): void {
    if (this.#isStopped) return;
    const { conditions, clock } = this.#options;
    conditions.raise("http-address-unavailable", reason);
    this.#cancelRetry = clock.after(RETRY_MS, () => void this.#listenAgain());
  }

  /** Uses a renewed certificate for new connections. */
  useCertificate(pair: KeyPair): void {
    if ("setSecureContext" in this.#network) this.#network.setSecureContext({ ...TLS, ...pair });
  }

  /** The address of the network server, also while it is unavailable. */
  get address(): { host: string; port: number } {
    const { host, port } = this.#options;
    return this.#network.listening ? addressOf(this.#network) : { host, port };
  }

  get use(): NetworkUse {
    return { ...this.#connections.use, failedHandshakes: this.#sockets.failedHandshakes };
  }

  /** Port of the server for the daemon's own trips, on 127.0.0.1. */
  get loopbackPort(): number {
    return addressOf(this.#loopback).port;
  }

  /** Accepts no new requests, waits shortly for running ones, and stops. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelRetry();
    this.#options.app.endStreams();
    const servers = [this.#network, this.#loopback, this.#control];
    const cancel = this.#options.clock.after(STOP_LIMIT_MS, () => this.#sockets.endAll());
    await Promise.all(servers.map(closed));
    cancel();
    rmSync(this.#options.controlSocket, { force: true });
  }

  async #startControlSocket(): Promise<void> {
    const { controlSocket, conditions } = this.#options;
    try {
      // Only one daemon uses this directory, so an existing socket is left over from a killed process.
      rmSync(controlSocket, { force: true });
      await listening(this.#control, () => this.#control.listen(controlSocket));
      chmodSync(controlSocket, 0o660);
      // Of an earlier start of the web server.
      conditions.clear("control-socket-unavailable");
    } catch (error) {
      const tooLong = Buffer.byteLength(controlSocket) > SOCKET_PATH_BYTES_MAX;
      const reason = tooLong
        ? `the path is longer than ${SOCKET_PATH_BYTES_MAX} bytes; choose a shorter dataDir`
        : messageOf(error);
      conditions.raise("control-socket-unavailable", `cannot listen on ${controlSocket}: ${reason}`);
    }
  }
}

/** Connections that may always wait until they are taken: what Node.js allows. */
const WAITING_MIN = 511;
/** Retry interval for an address that was missing at the start. */
const RETRY_MS = 5_000;
/** Time for running requests to finish when the server stops. */
const STOP_LIMIT_MS = 5_000;
/** Linux: sun_path has 108 bytes including the terminating zero (unix(7)). */
const SOCKET_PATH_BYTES_MAX = 107;

const OPTIONS = {
  // The defaults of Node.js keep the sockets of slow clients open for minutes.
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
  // Node.js would respond without a body; the application responds with a JSON error.
  requireHostHeader: false,
} as const;
/**
 * Longer than the daemon's own client keeps an idle connection: closing a connection while a trip is sent over it would
 * cause a retry and a failure message.
 */
const LOOPBACK_IDLE_MS = 60_000;
const TLS = {
  minVersion: "TLSv1.2",
  // Forward secrecy and authenticated encryption only (RFC 9325, 4.2); the last two select the ciphers of TLS 1.2.
  ciphers: [
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_AES_128_GCM_SHA256",
    "ECDHE+AESGCM",
    "ECDHE+CHACHA20",
  ].join(":"),
  handshakeTimeout: 10_000,
} as const;
