import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { close, listen } from "./loopback.ts";

/**
 * What the proxy does to an event stream from now on, also to an open one.
 * - `carry`: nothing.
 * - `keep`: waits for its end, and sends nothing until then.
 * - `keep-body`: sends only its headers until then.
 * - `reject`: responds with 502 instead; cuts an open one.
 */
export type StreamMode = "carry" | "keep" | "keep-body" | "reject";

/** A loopback proxy for HTTP that carries everything but event streams. */
export class StreamProxy {
  /** Number of requests for a stream. */
  streams = 0;
  #mode: StreamMode = "carry";
  readonly #open = new Set<ServerResponse>();
  readonly #targetPort: number;
  readonly #server: Server;

  constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer((near, answer) => this.#carry(near, answer));
  }

  /** @returns its port */
  async start(): Promise<number> {
    return listen(this.#server);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await close(this.#server);
  }

  set mode(mode: StreamMode) {
    this.#mode = mode;
    if (mode === "reject") for (const answer of this.#open) answer.destroy();
  }

  #carry(near: IncomingMessage, answer: ServerResponse): void {
    const isStream = near.url === "/site/events";
    if (isStream) this.streams += 1;
    if (isStream && this.#mode === "reject") return void answer.writeHead(502).end();
    const { method, url, headers } = near;
    const far = request({ host: "127.0.0.1", port: this.#targetPort, method, path: url, headers });
    answer.once("close", () => far.destroy());
    far.once("error", () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
    far.once("response", (response) => {
      if (isStream) this.#carryStream(response, answer);
      else response.pipe(answer.writeHead(response.statusCode ?? 0, response.headers));
    });
    near.pipe(far);
  }

  #carryStream(response: IncomingMessage, answer: ServerResponse): void {
    this.#open.add(answer);
    answer.once("close", () => this.#open.delete(answer));
    response.once("close", () => answer.destroy());
    const isKept = this.#mode !== "carry";
    if (this.#mode === "keep") return void response.resume();
    answer.writeHead(response.statusCode ?? 0, response.headers).flushHeaders();
    response.on("data", (chunk: Buffer) => isKept || this.#mode !== "carry" || answer.write(chunk));
  }
}
