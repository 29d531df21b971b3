import { setMaxListeners } from "node:events";
import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { readResponseBody, type ResponseBody, type ResponseLimits } from "./response-body.ts";

/**
 * The result of a request. The last two differ in whether a repetition could create a second record.
 * - `answered`: the complete response arrived.
 * - `not-sent`: no connection was made, so nothing can have arrived.
 * - `lost`: the response did not arrive; the request may have been applied.
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
  /** Path and query after the base URL, starting with a slash. */
  readonly path: string;
  readonly token?: string;
  /** JSON text, sent unchanged. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether sending it twice has the effect of sending it once, so that it is repeated on a stale connection; default: a GET. */
  readonly isRepeatable?: boolean;
}

interface ApiClientOptions {
  readonly baseUrl: string;
  /** Unix socket to connect to instead of the host of the URL. */
  readonly socketPath?: string;
  /** Maximum time for a complete response, from the call on; by default there is no limit. */
  readonly timeoutMs?: number;
  /**
   * How long an idle connection is kept, in milliseconds; by default each request opens its own. The server must
   * keep it longer: if it closes one at the same moment, a write on it is `lost`. A read is repeated on another
   * connection.
   */
  readonly keepIdleMs?: number;
  /** Maximum open connections; further requests queue. Default 8. */
  readonly connectionsMax?: number;
  /** PEM of the only certificate authority trusted for the server; by default the public ones. */
  readonly ca?: string | undefined;
  /** Limits of the responses; by default 16 MiB. */
  readonly limits?: ResponseLimits;
  /** Whether alarms wait for the responses: large ones are read before those of other clients. Default: no. */
  readonly isUrgent?: boolean;
}

/** The result of one attempt, and whether its kept connection had been closed by the server. */
interface Sent {
  readonly reply: Reply;
  readonly isStale: boolean;
}

/** Error codes of a write to a connection that the server has closed. */
const STALE: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE"]);

/** Client of the API of a server: the local API, or the dispatch centre. Follows no redirects. */
export class ApiClient {
  readonly #base: URL;
  readonly #socketPath: string | undefined;
  readonly #timeoutMs: number | undefined;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #body: Parameters<typeof readResponseBody>[3];
  readonly #abort = new AbortController();

  constructor(options: ApiClientOptions) {
    const {
      baseUrl,
      socketPath,
      timeoutMs,
      keepIdleMs,
      connectionsMax = 8,
      ca,
      limits,
      isUrgent = false,
    } = options;
    this.#body = { limits, isUrgent };
    this.#base = new URL(baseUrl.endsWith("/") ? baseUrl : `${baseUrl}/`);
    this.#socketPath = socketPath;
    this.#timeoutMs = timeoutMs;
    // Each request adds a listener, and any number may be queued.
    setMaxListeners(0, this.#abort.signal);
    // The agent's timeout only ends idle connections; requests are limited by `timeoutMs`.
    const kept = keepIdleMs === undefined ? {} : { keepAlive: true, timeout: keepIdleMs };
    const pool = { ...kept, maxSockets: connectionsMax };
    this.#agent =
      this.#base.protocol === "https:"
        ? new HttpsAgent({ ...pool, minVersion: "TLSv1.2", ...(ca === undefined ? {} : { ca }) })
        : new HttpAgent(pool);
  }

  /** Sends one request. Never rejects and always ends: failures are results. */
  async request(asked: ApiRequest): Promise<Reply> {
    // A separate listener: Node 20 garbage-collects a timeout inside AbortSignal.any, and the request never ends.
    const limit = this.#timeoutMs === undefined ? undefined : AbortSignal.timeout(this.#timeoutMs);
    for (;;) {
      const { reply, isStale } = await this.#send(asked, limit).catch(refused);
      // Each stale connection leaves the pool, so at the latest a new one ends the loop. A write may have been
      // applied although no response came: only the caller can find out. Once the time is over, a repetition would have no limit.
      if (!isStale || limit?.aborted === true || !(asked.isRepeatable ?? asked.method === "GET"))
        return reply;
    }
  }

  #send(
    { method, path, token, body, headers = {} }: ApiRequest,
    limit: AbortSignal | undefined,
  ): Promise<Sent> {
    const isTls = this.#base.protocol === "https:";
    const send = isTls ? httpsRequest : httpRequest;
    return new Promise((resolve) => {
      const request = send(new URL(path.slice(1), this.#base), {
        method,
        socketPath: this.#socketPath,
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
      let arriving: ResponseBody | undefined;
      const onTimeout = (): void => {
        if (arriving?.takeWait() === true) return watch(AbortSignal.timeout(this.#timeoutMs ?? 0));
        const message = `no response within ${this.#timeoutMs} ms`;
        request.destroy(Object.assign(new Error(message), { code: "ETIMEDOUT" }));
      };
      let watched = limit;
      const watch = (next: AbortSignal | undefined): void => {
        watched = next;
        next?.addEventListener("abort", onTimeout, { once: true });
      };
      watch(limit);
      request.once("close", () => watched?.removeEventListener("abort", onTimeout));
      const onBody = (read: ResponseBody): void => void (arriving = read);
      const connectEvent = isTls ? "secureConnect" : "connect";
      resolveWith(request, { connectEvent, body: this.#body, onBody }, (reply) => {
        const isStale = reply.kind === "lost" && request.reusedSocket && STALE.has(reply.code);
        resolve({ reply, isStale });
      });
      request.end(body);
    });
  }

  /** Aborts requests in flight and closes kept connections; nothing is sent afterwards. */
  close(): void {
    this.#abort.abort();
    this.#agent.destroy();
  }
}

/** What Node.js refuses to send, such as a header with a line break from another server, was not sent. */
function refused(error: NodeJS.ErrnoException): Sent {
  return { reply: { kind: "not-sent", code: error.code ?? "ERROR", error: error.message }, isStale: false };
}

interface Answering {
  readonly connectEvent: "connect" | "secureConnect";
  readonly body: Parameters<typeof readResponseBody>[3];
  /** Called when the head of the response has arrived. */
  readonly onBody: (body: ResponseBody) => void;
}

/** Calls `resolve` when a request ends in any way; only the first call counts. */
function resolveWith(
  request: ClientRequest,
  { connectEvent, body, onBody }: Answering,
  resolve: (reply: Reply) => void,
): void {
  let connected = false;
  const fail = (error: NodeJS.ErrnoException): void => {
    const kind = connected ? "lost" : "not-sent";
    resolve({ kind, code: error.code ?? "ERROR", error: error.message });
  };
  request.on("socket", (socket) => {
    // A connecting socket has sent nothing; with TLS nothing is sent before the handshake is complete.
    if (request.reusedSocket || !socket.connecting) connected = true;
    else socket.once(connectEvent, () => (connected = true));
  });
  request.on("error", fail);
  // No other protocol was requested, so the connection is useless; closing it ends the request.
  request.on("upgrade", ({ statusCode = 0, headers }, socket) => {
    socket.destroy();
    resolve({ kind: "answered", status: statusCode, headers, body: "" });
  });
  let isAnswered = false;
  request.on("response", (response) => {
    isAnswered = true;
    const { statusCode: status = 0, headers } = response;
    const answered = (body: string): void => resolve({ kind: "answered", status, headers, body });
    onBody(readResponseBody(response, answered, fail, body));
  });
  request.on("close", () => {
    if (!isAnswered) fail(new Error("connection closed without a response"));
  });
}
