import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import type { KeyPairPem } from "./certificates.ts";
import { close, listen } from "./loopback.ts";

/** One request, completely read and not answered. */
export interface TlsExchange {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** The header with the token. */
  readonly authorization: string | undefined;
  readonly socket: TLSSocket;
  /** Whether it is not the first request of its connection. */
  readonly isKept: boolean;
  readonly response: ServerResponse;
  /** Ends the connection with a TCP reset. */
  reset(): void;
  /** Applies the request. @returns status and body of the response */
  carryOut(): { status: number; body: string };
}

/** A `signInStatus` with which the connection ends without an answer. */
export const NO_ANSWER = 0;

/** Handles one request instead of the normal response. */
export type TlsFault = (exchange: TlsExchange) => void;

/**
 * A dispatch centre with TLS and without idempotency keys that keeps records in memory. It counts connections
 * and pending requests.
 */
export class TlsCentre {
  readonly rows = new Map<number, { readonly id: number; readonly [field: string]: unknown }>();
  /** Called for each request; undefined gives the normal response. */
  faultFor: (exchange: TlsExchange) => TlsFault | undefined = () => undefined;
  /** Number of sign-ins; the token of the second is `t2`. */
  signIns = 0;
  /** Status with which sign-ins are rejected, or `NO_ANSWER`, and the tokens that were sent with them. */
  signInStatus = 200;
  readonly rejectedSignIns: string[] = [];
  /** Tokens that are no longer accepted, with the response status. */
  readonly refusedTokens = new Map<string, number>();
  /** Number of connections. */
  connections = 0;
  /** Received writes, as `method path name`. */
  readonly writes: string[] = [];
  /** Maximum number of pending requests. */
  mostAtOnce = 0;
  /** Paths of records with two concurrent requests. */
  readonly crossed: string[] = [];
  readonly #underWay: string[] = [];
  /** Requests whose body is being read. */
  #arriving = 0;
  /** The TCP connections below TLS, by the port of the client. */
  readonly #raw = new Map<number | undefined, Socket>();
  readonly #asked = new WeakSet<TLSSocket>();
  readonly #server: Server;

  constructor(pair: KeyPairPem) {
    this.#server = createServer(
      { ...pair, keepAliveTimeout: 60_000 },
      (...ports) => void this.#serve(...ports),
    );
    this.#server.on("connection", (socket: Socket) => this.#raw.set(socket.remotePort, socket));
    this.#server.on("secureConnection", () => (this.connections += 1));
  }

  async start(): Promise<string> {
    return `https://127.0.0.1:${await listen(this.#server)}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await close(this.#server);
  }

  /** Names of the records, sorted. */
  get names(): string[] {
    return [...this.rows.values()].map(({ name }) => String(name)).sort((a, b) => a.localeCompare(b));
  }

  /** Number of pending requests. */
  get waiting(): readonly string[] {
    return this.#underWay;
  }

  /** Resolves once no request is being read, those that have arrived at this moment included. */
  async read(): Promise<void> {
    // A request may still be in the buffer of a socket: each turn of the event loop reads the sockets.
    for (let turn = 0; turn < 3 || this.#arriving > 0; turn += 1) await nextTurn();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "" } = request;
    const socket = request.socket as TLSSocket;
    const isKept = this.#asked.has(socket);
    this.#asked.add(socket);
    let body = "";
    this.#arriving += 1;
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString();
    } catch {
      return;
    } finally {
      this.#arriving -= 1;
    }
    if (path === "/auth/token" && this.signInStatus !== 200) {
      this.rejectedSignIns.push(request.headers.authorization ?? "");
      if (this.signInStatus === NO_ANSWER) return void response.destroy();
      return answer(response, this.signInStatus, '{"message":"not now"}');
    }
    if (path === "/auth/token") {
      this.signIns += 1;
      return answer(response, 200, `{"token":"t${this.signIns}","expiresIn":3600}`);
    }
    const refusal = this.refusedTokens.get((request.headers.authorization ?? "").replace("Bearer ", ""));
    if (refusal !== undefined) return answer(response, refusal, '{"message":"the token is not accepted"}');
    if (/\/\d+$/.test(path) && this.#underWay.some((other) => other.endsWith(` ${path}`)))
      this.crossed.push(path);
    const what = `${method} ${path}`;
    this.#underWay.push(what);
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#underWay.length);
    response.once("close", () => this.#underWay.splice(this.#underWay.indexOf(what), 1));
    if (method !== "GET") this.writes.push(`${what} ${(parse(body) as { name?: string }).name ?? ""}`);
    const carryOut = (): { status: number; body: string } => this.#carryOut(method, path, body);
    const reset = (): void => void this.#raw.get(socket.remotePort)?.resetAndDestroy();
    const exchange: TlsExchange = {
      reset,
      method,
      path,
      body,
      authorization: request.headers.authorization,
      socket,
      isKept,
      response,
      carryOut,
    };
    const fault = this.faultFor(exchange);
    if (fault) fault(exchange);
    else plainly(exchange);
  }

  #carryOut(method: string, path: string, body: string): { status: number; body: string } {
    const url = new URL(path, "http://centre");
    if (url.pathname.startsWith("/obiective/")) return { status: 200, body: "[]" };
    if (url.pathname === "/interventii" && method === "GET") {
      const rows = [...this.rows.values()].sort((a, b) => b.id - a.id);
      const [start, end] = ["_start", "_end"].map((name) => Number(url.searchParams.get(name)));
      return { status: 200, body: JSON.stringify(rows.slice(start, end)) };
    }
    const id = method === "POST" ? this.rows.size + 1 : Number(url.pathname.split("/").at(-1));
    if (method === "POST" || method === "PUT")
      this.rows.set(id, { ...this.rows.get(id), ...(parse(body) as object), id });
    const row = this.rows.get(id);
    if (!row) return { status: 404, body: '{"error":"Not Found","message":"none","statusCode":404}' };
    return { status: method === "POST" ? 201 : 200, body: JSON.stringify(row) };
  }
}

/** Applies the request and responds. */
export function plainly(exchange: TlsExchange): void {
  const { status, body } = exchange.carryOut();
  answer(exchange.response, status, body);
}

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(body);
}

function parse(text: string): unknown {
  return text === "" ? {} : JSON.parse(text);
}
