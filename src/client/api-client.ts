import { setMaxListeners } from "node:events";
import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { readBody } from "./answer-body.ts";

/**
 * What became of a request. The difference between the last two decides whether repeating it could do the work twice.
 * - `answered`: the whole answer arrived.
 * - `not-sent`: no connection was made, so nothing can have arrived.
 * - `lost`: the connection was there, the answer is not; the request may or may not have been carried out.
 */
export type Reply =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: string;
    }
  | { readonly kind: "not-sent"; readonly code: string; readonly error: string }
  | { readonly kind: "lost"; readonly code: string; readonly error: string };

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path and query behind the base URL, starting with a slash. */
  readonly path: string;
  readonly token?: string;
  /** JSON text, sent as it is. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiClientOptions {
  readonly baseUrl: string;
  /** Longest wait for a whole answer, from the call on. */
  readonly timeoutMs: number;
  /**
   * How long an idle connection is kept to be used again, in milliseconds; without it each request has its own. The far
   * side must keep it for longer: if it closes one at the same moment, a write on it is `lost`. A read is repeated on
   * another connection.
   */
  readonly keepIdleMs?: number;
  /** Maximum open connections; further requests queue. Default 8. */
  readonly connectionsMax?: number;
  /** PEM of the only authority that the server's certificate may be signed by; without it the public ones. */
  readonly ca?: string | undefined;
}

/** What one attempt brought, and whether it met a kept connection that the far side had closed meanwhile. */
interface Sent {
  readonly reply: Reply;
  readonly isStale: boolean;
}

/** How writing to a connection ends that the far side has closed. */
const STALE: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE"]);

/** Speaks the interface to a server: our own over the loopback, or the dispatch centre. Follows no redirects. */
export class ApiClient {
  readonly #base: URL;
  readonly #timeoutMs: number;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #abort = new AbortController();

  constructor({ baseUrl, timeoutMs, keepIdleMs, connectionsMax = 8, ca }: ApiClientOptions) {
    this.#base = new URL(baseUrl.endsWith("/") ? baseUrl : `${baseUrl}/`);
    this.#timeoutMs = timeoutMs;
    // Each request listens until it has ended, and as many may be queued as the caller likes.
    setMaxListeners(0, this.#abort.signal);
    // The agent's limit ends idle connections alone; a request that waits for its answer has `timeoutMs`.
    const kept = keepIdleMs === undefined ? {} : { keepAlive: true, timeout: keepIdleMs };
    const pool = { ...kept, maxSockets: connectionsMax };
    this.#agent =
      this.#base.protocol === "https:"
        ? new HttpsAgent({ ...pool, minVersion: "TLSv1.2", ...(ca === undefined ? {} : { ca }) })
        : new HttpAgent(pool);
  }

  /** Sends one request. Never rejects and always ends: every failure is a reply. */
  async request(asked: ApiRequest): Promise<Reply> {
    // With a listener of its own: as a part of AbortSignal.any the limit is collected as garbage by Node 20, and the
    // request never ends.
    const limit = AbortSignal.timeout(this.#timeoutMs);
    for (;;) {
      const { reply, isStale } = await this.#send(asked, limit);
      // Each stale connection leaves the pool, so this ends with a new one at the latest. A write may have been carried
      // out although no byte of an answer came: only the caller can find that out.
      if (!isStale || asked.method !== "GET") return reply;
    }
  }

  #send({ method, path, token, body, headers = {} }: ApiRequest, limit: AbortSignal): Promise<Sent> {
    const isTls = this.#base.protocol === "https:";
    const send = isTls ? httpsRequest : httpRequest;
    return new Promise((resolve) => {
      const request = send(new URL(path.slice(1), this.#base), {
        method,
        agent: this.#agent,
        signal: this.#abort.signal,
        headers: {
          Accept: "application/json",
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          ...(body === undefined
            ? {}
            : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) }),
          ...headers,
        },
      });
      const giveUp = (): void => {
        const message = `no answer within ${this.#timeoutMs} ms`;
        request.destroy(Object.assign(new Error(message), { code: "ETIMEDOUT" }));
      };
      limit.addEventListener("abort", giveUp, { once: true });
      request.once("close", () => limit.removeEventListener("abort", giveUp));
      settleWith(request, isTls ? "secureConnect" : "connect", (reply) => {
        const isStale = reply.kind === "lost" && request.reusedSocket && STALE.has(reply.code);
        resolve({ reply, isStale });
      });
      request.end(body);
    });
  }

  /** Gives up what is under way and closes kept connections; nothing is sent from now on. */
  close(): void {
    this.#abort.abort();
    this.#agent.destroy();
  }
}

/** Calls `resolve` in whichever way a request ends; only the first call counts. */
function settleWith(
  request: ClientRequest,
  connectEvent: "connect" | "secureConnect",
  resolve: (reply: Reply) => void,
): void {
  let connected = false;
  const fail = (error: NodeJS.ErrnoException): void => {
    const kind = connected ? "lost" : "not-sent";
    resolve({ kind, code: error.code ?? "ERROR", error: error.message });
  };
  request.on("socket", (socket) => {
    // A socket that is still connecting has sent nothing; with TLS nothing is sent before the handshake is done.
    if (request.reusedSocket || !socket.connecting) connected = true;
    else socket.once(connectEvent, () => (connected = true));
  });
  request.on("error", fail);
  // Nobody asked for another protocol: the connection is of no use, and only its end ends the request.
  request.on("upgrade", ({ statusCode = 0, headers }, socket) => {
    socket.destroy();
    resolve({ kind: "answered", status: statusCode, headers, body: "" });
  });
  let isAnswered = false;
  request.on("response", (response) => {
    isAnswered = true;
    const { statusCode: status = 0, headers } = response;
    const answered = (body: string): void => resolve({ kind: "answered", status, headers, body });
    readBody(response, answered, fail);
  });
  request.on("close", () => {
    if (!isAnswered) fail(new Error("the connection was closed without an answer"));
  });
}
