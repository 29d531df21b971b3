import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { close, listen } from "./loopback.ts";

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
  /** If-None-Match. */
  readonly known: string | undefined;
  /** If-Match. */
  readonly version: string | undefined;
  /** Accept-Encoding. */
  readonly accepted: string | undefined;
  readonly body: string;
}

export interface ScriptedResponse {
  /** 0 for none: the connection ends. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/**
 * A dispatch centre with scripted responses, for behaviour that the application does not have. It grants a
 * token and has no records.
 */
export class NonconformingCentre {
  /** Received writes. */
  readonly requests: ReceivedRequest[] = [];
  /** Received reads. */
  readonly reads: ReceivedRequest[] = [];
  /** Number of sign-ins. */
  signIns = 0;
  answer: (request: ReceivedRequest) => ScriptedResponse = () => ({ status: 500 });
  /** By default the last response for a record by its id, and an empty list. */
  read: (request: ReceivedRequest) => ScriptedResponse = ({ path }) =>
    this.#answered.get(path) ?? json(200, []);
  signIn: () => ScriptedResponse = () => json(200, { token: `t${this.signIns}`, expiresIn: 3600 });
  readonly #answered = new Map<string, ScriptedResponse>();
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request);
    const { method = "", url = "", headers: asking } = request;
    const key = asking["idempotency-key"]?.toString();
    const [known, accepted] = [asking["if-none-match"], asking["accept-encoding"]?.toString()];
    const version = asking["if-match"];
    const asked = { method, path: url, key, known, version, accepted, body };
    const isSignIn = url === "/auth/token";
    if (isSignIn) this.signIns += 1;
    else (method === "GET" ? this.reads : this.requests).push(asked);
    const answer = isSignIn ? this.signIn() : method === "GET" ? this.read(asked) : this.answer(asked);
    const { status, headers = {}, body: text = "" } = answer;
    if (status === 0) return void response.destroy();
    const id = /^\{"id":(\d+)/.exec(String(text))?.[1];
    if (id !== undefined && method !== "GET")
      this.#answered.set(`/interventii/${id}`, { ...answer, status: 200 });
    response.writeHead(status, headers).end(text);
  }

  async start(): Promise<string> {
    return `http://127.0.0.1:${await listen(this.#server)}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await close(this.#server);
  }
}

/** A response with a JSON body. */
export function json(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): ScriptedResponse {
  return { status, headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(value) };
}

/** A 404 as the contract defines it. */
export function notFound(message = "it does not exist"): ScriptedResponse {
  return json(404, { error: "Not Found", message, statusCode: 404 });
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
