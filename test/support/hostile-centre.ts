import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { close, listen } from "./loopback.ts";

/** Answers one request in a hostile way. */
export type Attack = (response: ServerResponse, socket: Socket) => void;

/** Which requests an attack answers; the others are answered as the contract says. */
export type Stage = "sign-in" | "create" | "change" | "read" | "list" | "objectives" | "report";

interface Row {
  readonly id: number;
  readonly [field: string]: unknown;
}

/** A dispatch centre that keeps records as the contract says, until an attack is chosen for some of its requests. */
export class HostileCentre {
  readonly rows = new Map<number, Row>();
  /** Requests that were answered with an attack. */
  attacked = 0;
  /** Number of sign-ins; the last one has the only valid token. */
  #signIns = 0;
  #stages: readonly Stage[] = [];
  #attack: Attack = () => {};
  #lastId = 0;
  readonly #keys = new Map<string, number>();
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.keepAliveTimeout = 120_000;
    this.#server.on("connection", (socket) => socket.on("error", () => {}));
  }

  async start(): Promise<string> {
    return `http://127.0.0.1:${await listen(this.#server)}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await close(this.#server);
  }

  attackAt(stages: readonly Stage[], attack: Attack): void {
    this.attacked = 0;
    this.#stages = stages;
    this.#attack = attack;
  }

  /** Follows the contract from now on; responses that have not ended are cut. */
  behave(): void {
    this.#stages = [];
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    try {
      for await (const chunk of request) text += String(chunk);
    } catch {
      return;
    }
    const { method = "", url = "" } = request;
    const stage = stageOf(method, url);
    if (this.#stages.includes(stage)) {
      this.attacked += 1;
      this.#attack(response, request.socket);
      return;
    }
    if (stage !== "sign-in" && request.headers.authorization !== `Bearer t${this.#signIns}`) {
      answer(401, { error: "Unauthorized", message: "no valid token", statusCode: 401 })(
        response,
        request.socket,
      );
      return;
    }
    const { status, value } = this.#answer(stage, url, text, request.headers["idempotency-key"]?.toString());
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));
  }

  #answer(stage: Stage, url: string, text: string, key?: string): { status: number; value: unknown } {
    const id = Number(/^\/interventii\/(\d+)/.exec(url)?.[1]);
    const row = this.rows.get(id);
    const missing = { error: "Not Found", message: "no such record", statusCode: 404 };
    switch (stage) {
      case "sign-in":
        this.#signIns += 1;
        return { status: 200, value: { token: `t${this.#signIns}`, expiresIn: 3600 } };
      case "create": {
        const earlier = key === undefined ? undefined : this.#keys.get(key);
        if (earlier !== undefined) return { status: 201, value: this.rows.get(earlier) };
        this.#lastId += 1;
        const created = { ...(JSON.parse(text) as object), id: this.#lastId };
        this.rows.set(created.id, created);
        if (key !== undefined) this.#keys.set(key, created.id);
        return { status: 201, value: created };
      }
      case "change": {
        if (!row) return { status: 404, value: missing };
        const changed = { ...row, ...(JSON.parse(text) as object) };
        this.rows.set(id, changed);
        return { status: 200, value: changed };
      }
      case "read":
        return row ? { status: 200, value: row } : { status: 404, value: missing };
      case "list":
        return { status: 200, value: this.#page(new URL(url, "http://centre")) };
      case "objectives":
        return { status: 200, value: [] };
      case "report":
        return { status: 404, value: missing };
    }
  }

  #page({ searchParams }: URL): Row[] {
    const rows = [...this.rows.values()].sort((a, b) => b.id - a.id);
    return rows.slice(
      Number(searchParams.get("_start") ?? 0),
      Number(searchParams.get("_end") ?? rows.length),
    );
  }
}

function stageOf(method: string, url: string): Stage {
  if (url === "/auth/token") return "sign-in";
  if (url.startsWith("/site-reports")) return "report";
  if (url.startsWith("/obiective")) return "objectives";
  if (method === "POST") return "create";
  if (method !== "GET") return "change";
  return /^\/interventii\/\d/.test(url) ? "read" : "list";
}

const JSON_TYPE = { "Content-Type": "application/json" };

function answer(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Attack {
  return (response) =>
    void response.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(value));
}

/** Bytes after the request instead of an HTTP response. */
function bytes(text: string, isEnd = false): Attack {
  return (_response, socket) => void (isEnd ? socket.end(text) : socket.write(text));
}

/** Writes the same bytes again and again, as fast as the other side reads, until it closes. */
function flood(head: string, again: string): Attack {
  return (_response, socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(again));
      if (!socket.destroyed) socket.once("drain", more);
    };
    socket.write(head);
    more();
  };
}

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
const BOMB = gzipSync(Buffer.alloc(200 * 1024 * 1024, " "));
const RECORD = {
  name: "x",
  objectiveType: "obiective/cladiri",
  objectiveId: 1,
  status: "open",
  priority: "high",
  createdAt: "2026-01-01T00:00:00Z",
};

/** What a hostile server can answer to a sign-in. */
export const SIGN_IN_ATTACKS: Readonly<Record<string, Attack>> = {
  "a token with a line break": answer(200, { token: "a\r\nX-Injected: 1", expiresIn: 3600 }),
  "a token outside Latin-1": answer(200, { token: "jeton-\u{1F600}ș", expiresIn: 3600 }),
  "a token of ten megabytes": answer(200, { token: "a".repeat(10_000_000), expiresIn: 3600 }),
  "a token that expires at once": answer(200, { token: "t", expiresIn: 1e-9 }),
  "a token that never expires": (response) =>
    void response.writeHead(200, JSON_TYPE).end('{"token":"t","expiresIn":1e308}'),
  "a token that is an object": answer(200, { token: { toString: 1 }, expiresIn: 3600 }),
};

/** What a hostile server can answer to any request. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  "endless early hints": flood("", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".repeat(100)),
  "endless headers": flood("HTTP/1.1 200 OK\r\n", `X-A: ${"a".repeat(8_000)}\r\n`),
  "an endless body": flood(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`, `8000\r\n${" ".repeat(0x8000)}\r\n`),
  "an endless body after the length": flood(`${HEAD}Content-Length: 2\r\n\r\n[]`, "x".repeat(60_000)),
  "a body that expands to 200 MB": (response) =>
    void response.writeHead(200, { ...JSON_TYPE, "Content-Encoding": "gzip" }).end(BOMB),
  "fifteen megabytes of brackets": (response) =>
    void response.writeHead(200, JSON_TYPE).end("[".repeat(15_000_000)),
  "a million empty objects": (response) =>
    void response.writeHead(200, JSON_TYPE).end(`[${"{},".repeat(1_000_000)}{}]`),
  "a byte now and then": bytes(`${HEAD}Content-Length: 1000\r\n\r\n[`),
  "an answer before the next request": bytes(`${HEAD}Content-Length: 2\r\n\r\n[]`.repeat(500)),
  "two lengths": bytes(`${HEAD}Content-Length: 2\r\nContent-Length: 9\r\n\r\n[]`, true),
  "a redirect to itself": answer(308, {}, { Location: "/interventii" }),
  "a sign-out": answer(401, { error: "Unauthorized", message: "no", statusCode: 401 }),
  "a wait of years": answer(503, {}, { "Retry-After": "99999999999999999999" }),
  "a wait before now": answer(429, {}, { "Retry-After": "-7" }),
  "a wait until the end of time": answer(503, {}, { "Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT" }),
  "a clock of another century": answer(503, {}, { Date: "Fri, 31 Dec 9999 23:59:59 GMT" }),
  "an endless id": (response) => void response.writeHead(201, JSON_TYPE).end('{"id":1e308}'),
  "an id below zero": answer(201, { ...RECORD, id: -1 }),
  "an id that is text": answer(201, { ...RECORD, id: "1; DROP TABLE interventions" }),
  "a prototype": (response) =>
    void response.writeHead(201, JSON_TYPE).end('{"id":7,"__proto__":{"polluted":true},"constructor":{}}'),
  "a record full of control characters": answer(200, [{ ...RECORD, id: 7, name: "\u0000\u001B[2J\uD800" }]),
  "an endless list": (response) =>
    void response
      .writeHead(200, { ...JSON_TYPE, "X-Total-Count": "1e18" })
      .end(JSON.stringify(Array.from({ length: 100 }, () => ({ ...RECORD, id: (endlessId -= 1) })))),
  "an upgrade": bytes("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"),
};
let endlessId = 2 ** 52;
