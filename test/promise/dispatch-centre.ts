import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { listen } from "../support/loopback.ts";

export interface CentreRecord {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly notes: string | null;
  readonly status: string;
  readonly [field: string]: unknown;
}

/** State of the link: `cut` before a request is applied, `deaf` after it is applied, `busy` with 503. */
export type CentreLine = "up" | "cut" | "deaf" | "busy";

const DEFAULTS = {
  description: null,
  dateStart: null,
  dateEnd: null,
  status: "planned",
  priority: "medium",
  type: "maintenance",
  crews: 1,
  police: false,
  ambulance: false,
  firetruck: false,
  notes: null,
};
const TEXT_LONGEST = 4000;

/** A dispatch centre that follows the contract, keeps its records in memory and has no idempotency keys. */
export class DispatchCentre {
  readonly records = new Map<number, CentreRecord>();
  line: CentreLine = "up";
  readonly #server: Server;
  #lastId = 0;

  constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async start(): Promise<string> {
    return `http://127.0.0.1:${await listen(this.#server)}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Changes a record as a dispatcher. */
  change(id: number, changes: Readonly<Record<string, unknown>>): void {
    const record = this.records.get(id);
    if (record) this.records.set(id, { ...record, ...changes });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    if (this.line === "cut") {
      request.socket.destroy();
      return;
    }
    const [status, value] = this.line === "busy" ? [503, refusal(503, "busy")] : this.#answer(request, body);
    if (this.line === "deaf") {
      request.socket.destroy();
      return;
    }
    const text = value === undefined ? "" : JSON.stringify(value);
    response.writeHead(status, { "Content-Type": "application/json" }).end(text);
  }

  #answer({ method = "", url = "" }: IncomingMessage, body: string): [number, unknown?] {
    const { pathname, searchParams } = new URL(url, "http://centre");
    if (pathname === "/auth/token") return [200, { token: "t", expiresIn: 3600 }];
    if (pathname.startsWith("/obiective/")) return [200, []];
    const id = /^\/interventii\/(\d+)$/.exec(pathname)?.[1];
    if (id === undefined) return method === "POST" ? this.#create(body) : [200, this.#list(searchParams)];
    const record = this.records.get(Number(id));
    if (!record) return [404, refusal(404, `there is no intervention ${id}`)];
    if (method === "GET") return [200, record];
    if (method === "DELETE") {
      this.records.delete(record.id);
      return [204];
    }
    const changes = JSON.parse(body) as Record<string, unknown>;
    if (isTooLong(changes)) return [400, refusal(400, "notes are too long")];
    this.change(record.id, changes);
    return [200, this.records.get(record.id)];
  }

  #create(body: string): [number, unknown] {
    const fields = JSON.parse(body) as Record<string, unknown>;
    if (isTooLong(fields)) return [400, refusal(400, "notes are too long")];
    this.#lastId += 1;
    const record = { ...DEFAULTS, ...fields, id: this.#lastId, dispeceratId: 4, invoicePdf: null };
    this.records.set(this.#lastId, record as unknown as CentreRecord);
    return [201, record];
  }

  #list(query: URLSearchParams): CentreRecord[] {
    const ordered = [...this.records.values()];
    if (query.get("_order") === "DESC") ordered.reverse();
    return ordered.slice(Number(query.get("_start") ?? 0), Number(query.get("_end") ?? 1000));
  }
}

function isTooLong(fields: Readonly<Record<string, unknown>>): boolean {
  return ["notes", "description"].some(
    (name) => typeof fields[name] === "string" && [...fields[name]].length > TEXT_LONGEST,
  );
}

function refusal(statusCode: number, message: string): object {
  return { error: "Refused", message, statusCode };
}
