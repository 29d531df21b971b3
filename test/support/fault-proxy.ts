import { connect, createServer, type Server, type Socket } from "node:net";
import { close, listen } from "./loopback.ts";

/** One received HTTP request with its open connection, not yet forwarded. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  /** Raw value of the Idempotency-Key header. */
  readonly key: string | undefined;
  readonly body: string;
  /** All of its bytes. */
  readonly bytes: Buffer;
  /** The connection of the client. */
  readonly near: Socket;
  /** Forwards the request. @returns all bytes of the response */
  carry(): Promise<Buffer>;
  /** Forwards only the first part and closes the connection. */
  carryPart(bytes: number): Promise<void>;
}

/** Handles one request instead of forwarding it. */
export type Fault = (exchange: Exchange) => void | Promise<void>;

/** Method and path of a request. */
export type SeenRequest = Pick<Exchange, "method" | "path" | "key" | "body">;

/**
 * A loopback proxy for HTTP: it reads each request completely and then applies a fault. It carries one request
 * per connection, like the push to the dispatch centre.
 */
export class FaultProxy {
  /** Selects the fault of each request; undefined forwards it. */
  faultFor: (request: SeenRequest) => Fault | undefined = () => undefined;
  /** While true, connections are rejected and requests in progress are dropped. */
  isDown = false;
  /** The forwarded requests, with repetitions. */
  readonly carried: SeenRequest[] = [];
  /** Simulates a server without idempotency keys: removes the header from every request. */
  readonly #hidesKeys: boolean;
  readonly #targetPort: number;
  readonly #sockets = new Set<Socket>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #server: Server;

  constructor(targetPort: number, { hidesKeys = false } = {}) {
    this.#targetPort = targetPort;
    this.#hidesKeys = hidesKeys;
    this.#server = createServer((near) => this.#listen(near));
  }

  /** @returns the port of the proxy */
  async start(): Promise<number> {
    return listen(this.#server);
  }

  async stop(): Promise<void> {
    this.cut();
    await close(this.#server);
  }

  /** Drops requests in progress. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Whether no request is in progress, late deliveries included. */
  get isIdle(): boolean {
    return this.#underWay.size === 0;
  }

  /** The forwarded bodies by key: more than one violates the contract. */
  bodiesByKey(): Map<string, Set<string>> {
    const bodies = new Map<string, Set<string>>();
    for (const { method, key, body } of this.carried)
      if (method === "POST" && key !== undefined) {
        const known = bodies.get(key) ?? new Set();
        bodies.set(key, known.add(body));
      }
    return bodies;
  }

  #listen(near: Socket): void {
    this.#keep(near);
    if (this.isDown) {
      near.resetAndDestroy();
      return;
    }
    const chunks: Buffer[] = [];
    const read = (chunk: Buffer): void => {
      chunks.push(chunk);
      const request = parse(Buffer.concat(chunks));
      if (!request) return;
      near.off("data", read);
      near.resume();
      const work = this.#serve(near, request).catch(() => void near.destroy());
      this.#underWay.add(work);
      void work.finally(() => this.#underWay.delete(work));
    };
    near.on("data", read);
  }

  async #serve(near: Socket, request: ParsedRequest): Promise<void> {
    const { method, path, key, body } = request;
    const asked = { method, path, key, body };
    const bytes = onceOnly(request.bytes, this.#hidesKeys);
    const exchange: Exchange = {
      ...asked,
      bytes,
      near,
      carry: () => {
        this.carried.push(asked);
        return this.#carry(bytes);
      },
      carryPart: async (count) => {
        const far = await this.#reach();
        await new Promise<void>((resolve) => {
          far.write(bytes.subarray(0, count), () => resolve());
        });
        far.resetAndDestroy();
      },
    };
    const fault = this.faultFor(asked);
    if (fault) await fault(exchange);
    else near.end(await exchange.carry());
  }

  async #carry(bytes: Buffer): Promise<Buffer> {
    const far = await this.#reach();
    const chunks: Buffer[] = [];
    return new Promise((resolve, reject) => {
      far.on("data", (chunk: Buffer) => chunks.push(chunk));
      far.once("end", () => resolve(Buffer.concat(chunks)));
      far.once("close", () => reject(new Error("the connection to the server was cut")));
      far.write(bytes);
    });
  }

  #reach(): Promise<Socket> {
    const far = connect(this.#targetPort, "127.0.0.1");
    this.#keep(far);
    return new Promise((resolve, reject) => {
      far.once("close", () => reject(new Error("the server was not reached")));
      far.once("connect", () => resolve(far));
    });
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#sockets.delete(socket));
  }
}

type ParsedRequest = SeenRequest & { readonly bytes: Buffer };

/** Parses a request; undefined while bytes are missing. */
function parse(bytes: Buffer): ParsedRequest | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const head = bytes.subarray(0, headEnd).toString("latin1");
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  if (bytes.length < headEnd + 4 + length) return undefined;
  const [method = "", path = ""] = head.split(" ", 2);
  const key = /^idempotency-key: *(.*?) *$/im.exec(head)?.[1];
  return { method, path, key, body: bytes.subarray(headEnd + 4).toString(), bytes };
}

/** The request with `Connection: close`, so that the response ends with the connection. */
function onceOnly(bytes: Buffer, hidesKeys: boolean): Buffer {
  const headEnd = bytes.indexOf("\r\n\r\n");
  const head = bytes
    .subarray(0, headEnd)
    .toString("latin1")
    .replace(/\r\nconnection:[^\r]*/i, "\r\nConnection: close");
  return Buffer.concat([
    Buffer.from(hidesKeys ? head.replace(/\r\nidempotency-key:[^\r]*/i, "") : head, "latin1"),
    bytes.subarray(headEnd),
  ]);
}
