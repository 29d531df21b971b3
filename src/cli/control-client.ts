import { join } from "node:path";
import { ApiClient, type ApiRequest, type Reply } from "../client/api-client.ts";
import { AppError, type AppErrorCode } from "../domain/errors.ts";
import { startHint } from "./service-unit.ts";

/** Talks to the running daemon over its control socket. */
export class ControlClient {
  readonly #socketPath: string;
  readonly #dataDir: string;
  readonly #client: ApiClient;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.#socketPath = join(dataDir, "control.sock");
    this.#client = new ApiClient({ baseUrl: "http://localhost", socketPath: this.#socketPath });
  }

  async get<T>(path: string): Promise<T> {
    return JSON.parse(await this.text(path)) as T;
  }

  /** All items of a list, page by page. @param query other parameters of the list */
  async all<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T[]> {
    const all: T[] = [];
    for (;;) {
      const slice = { _start: `${all.length}`, _end: `${all.length + PAGE_ROWS}` };
      const parameters = new URLSearchParams({ ...query, ...slice });
      const page = await this.get<T[]>(`${path}?${parameters.toString()}`);
      all.push(...page);
      if (page.length < PAGE_ROWS) return all;
    }
  }

  /** The response body as text. */
  text(path: string): Promise<string> {
    return this.#request("GET", path);
  }

  async post<T>(path: string, body?: unknown): Promise<T> {
    return JSON.parse(await this.#request("POST", path, body)) as T;
  }

  async put<T>(path: string, body: unknown): Promise<T> {
    return JSON.parse(await this.#request("PUT", path, body)) as T;
  }

  async delete(path: string): Promise<void> {
    await this.#request("DELETE", path);
  }

  async #request(method: ApiRequest["method"], path: string, body?: unknown): Promise<string> {
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const reply = await this.#client.request({ method, path, ...content });
    if (reply.kind !== "answered") throw this.#unreachable(reply);
    if ([200, 201, 204].includes(reply.status)) return reply.body;
    const { message = `the daemon responded with ${reply.status}` } = JSON.parse(reply.body) as {
      message?: string;
    };
    throw new AppError(CODE_OF_STATUS[reply.status] ?? "unavailable", message);
  }

  #unreachable({ code, error }: Exclude<Reply, { kind: "answered" }>): AppError {
    if (code === "EACCES")
      return new AppError("no-permission", `permission denied for ${this.#socketPath}`, {
        hint: "Run the command as root or join the service's group.",
      });
    const reason = code === "ERROR" ? error : code;
    return new AppError(
      "daemon-unreachable",
      `cannot connect to the daemon at ${this.#socketPath} (${reason})`,
      {
        hint: startHint(this.#dataDir),
      },
    );
  }
}

/** The maximum page of the API. */
const PAGE_ROWS = 1000;

const CODE_OF_STATUS: Readonly<Record<number, AppErrorCode>> = {
  400: "bad-data",
  404: "bad-data",
  409: "conflict",
  422: "configuration",
};
