import { request } from "node:http";
import { join } from "node:path";
import { AppError, type AppErrorCode } from "../domain/errors.ts";

/** Talks to the running daemon over its control socket. */
export class ControlClient {
  readonly #socketPath: string;
  readonly #dataDir: string;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.#socketPath = join(dataDir, "control.sock");
  }

  async get<T>(path: string): Promise<T> {
    return JSON.parse(await this.text(path)) as T;
  }

  /** The response body as text. */
  text(path: string): Promise<string> {
    return this.#request("GET", path, undefined);
  }

  async post<T>(path: string, body?: unknown): Promise<T> {
    return JSON.parse(await this.#request("POST", path, body)) as T;
  }

  async put<T>(path: string, body: unknown): Promise<T> {
    return JSON.parse(await this.#request("PUT", path, body)) as T;
  }

  #request(method: string, path: string, body: unknown): Promise<string> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers =
      text === undefined
        ? {}
        : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) };
    return new Promise((resolve, reject) => {
      const outgoing = request(
        { socketPath: this.#socketPath, path, method, headers, agent: false },
        (response) => {
          let responseText = "";
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => (responseText += chunk));
          response.on("error", (error) => reject(this.#unreachable(error)));
          response.on("end", () => {
            if (response.statusCode === 200 || response.statusCode === 201) resolve(responseText);
            else reject(errorOf(response.statusCode ?? 0, responseText));
          });
        },
      );
      outgoing.on("error", (error) => reject(this.#unreachable(error)));
      outgoing.end(text);
    });
  }

  #unreachable(cause: NodeJS.ErrnoException): AppError {
    if (cause.code === "EACCES")
      return new AppError("no-permission", `permission denied for ${this.#socketPath}`, {
        hint: "Run the command as root or join the service's group.",
        cause,
      });
    return new AppError(
      "daemon-unreachable",
      `cannot connect to the daemon at ${this.#socketPath} (${cause.code ?? cause.message})`,
      {
        hint: `Start it with santinela serve, or specify another configuration with --config; this configuration uses ${this.#dataDir}.`,
        cause,
      },
    );
  }
}

const CODE_OF_STATUS: Readonly<Record<number, AppErrorCode>> = {
  400: "bad-data",
  404: "bad-data",
  409: "conflict",
  422: "configuration",
};

/** The error of the daemon's response, with its message. */
function errorOf(status: number, responseText: string): AppError {
  const { message } = JSON.parse(responseText) as { message?: string };
  const code = CODE_OF_STATUS[status] ?? "unavailable";
  return new AppError(code, message ?? `the daemon responded with ${status}`);
}
