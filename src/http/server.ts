import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { App } from "./app.ts";
import { markAsControlSocket } from "./auth-guards.ts";
import { RawSockets } from "./raw-sockets.ts";
import { Connections, type ConnectionLimits } from "./connection-limits.ts";
import { addressError, addressOf, closed, listenAt, listening } from "./listen.ts";

export interface HttpServerOptions {
  readonly app: App;
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** A socket that listens there already and is kept over our restarts; undefined to make one. */
  readonly descriptor: number | undefined;
  /** Certificate and key of the network side, PEM; undefined for plain HTTP. */
  readonly tls: KeyPair | undefined;
  /** Path of the control socket. */
  readonly controlSocket: string;
  /** Of the network side. */
  readonly limits: ConnectionLimits;
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
  readonly #sockets: RawSockets;
  #cancelRetry: CancelTimer = () => {};
  /** For our own trips, which must get in however many strangers stand at the network side. */
  readonly #loopback: Server;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const { app, tls } = options;
    this.#sockets = new RawSockets(options.clock);
    const answering = <S extends Server | TlsServer>(server: S): S => {
      server.maxRequestsPerSocket = 1000;
      return this.#sockets.watch(server);
    };
    const strangers = new Connections(options.limits);
    const guarded = strangers.guard(app.handle);
    const common = { ...OPTIONS, ...app.born };
    this.#network = answering(
      tls ? createTlsServer({ ...common, ...TLS, ...tls }, guarded) : createServer(common, guarded),
    );
    strangers.watch(this.#network);
    this.#loopback = answering(createServer({ ...common, keepAliveTimeout: LOOPBACK_IDLE_MS }, app.handle));
    this.#control = answering(createServer(common, app.handle));
    this.#control.on("connection", markAsControlSocket);
  }

  /**
   * Listens. An address that this machine does not have yet (no lease after a power cut) and a control socket that
   * cannot be made are conditions: the sensors must be heard meanwhile.
   * @throws AppError `busy` when the TCP port is taken, `configuration` when the address cannot be used or is not the
   * handed-over socket's
   */
  async start(): Promise<void> {
    await this.#listenToNetwork();
    await listening(this.#loopback, () => this.#loopback.listen(0, "127.0.0.1"));
    await this.#startControlSocket();
  }

  async #listenToNetwork(): Promise<void> {
    const { host, conditions, clock } = this.#options;
    try {
      await listenAt(this.#network, this.#options);
      conditions.clear("http-address-unavailable");
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EADDRNOTAVAIL")
        throw addressError(this.#options, cause as NodeJS.ErrnoException);
      conditions.raise("http-address-unavailable", `this machine has no address ${host}; it is tried again`);
      this.#cancelRetry = clock.after(RETRY_MS, () => void this.#listenAgain());
    }
  }

  async #listenAgain(): Promise<void> {
    try {
      await this.#listenToNetwork();
    } catch (error) {
      this.#options.conditions.raise("http-address-unavailable", messageOf(error));
    }
  }

  /** Shows new clients a renewed certificate. */
  useCertificate(pair: KeyPair): void {
    if ("setSecureContext" in this.#network) this.#network.setSecureContext({ ...TLS, ...pair });
  }

  /** Where the network side listens, or is to listen once it can. */
  get address(): { host: string; port: number } {
    const { host, port } = this.#options;
    return this.#network.listening ? addressOf(this.#network) : { host, port };
  }

  /** How this process reaches its own API. */
  get loopbackUrl(): string {
    return `http://127.0.0.1:${addressOf(this.#loopback).port}`;
  }

  /** Takes no new requests, lets running ones finish for a moment, and ends. */
  async stop(): Promise<void> {
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

/** An address that is not there yet is tried again so often. */
const RETRY_MS = 5_000;
/** Running requests get so long to finish when the server stops. */
const STOP_LIMIT_MS = 5_000;
/** Linux: sun_path holds 108 bytes with the closing zero (unix(7)). */
const SOCKET_PATH_BYTES_MAX = 107;

const OPTIONS = {
  // Node's defaults leave a slow or silent client its socket for minutes.
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
  // Node would answer without a body; the application has the interface's shape for it.
  requireHostHeader: false,
} as const;
/**
 * For longer than our own client keeps an idle connection: one that we closed just as a trip was sent over it would have
 * that trip sent again, and told as a failure.
 */
const LOOPBACK_IDLE_MS = 60_000;
const TLS = {
  minVersion: "TLSv1.2",
  // With forward secrecy and authenticated encryption alone (RFC 9325, 4.2); the last two stand for those of TLS 1.2.
  ciphers: [
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_AES_128_GCM_SHA256",
    "ECDHE+AESGCM",
    "ECDHE+CHACHA20",
  ].join(":"),
  handshakeTimeout: 10_000,
} as const;
