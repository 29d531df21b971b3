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

  /** The answer as it came. */
  text(path: string): Promise<string> {
    return this.#ask("GET", path, undefined);
  }

  async post<T>(path: string, body?: unknown): Promise<T> {
    return JSON.parse(await this.#ask("POST", path, body)) as T;
  }

  async put<T>(path: string, body: unknown): Promise<T> {
    return JSON.parse(await this.#ask("PUT", path, body)) as T;
  }

  #ask(method: string, path: string, body: unknown): Promise<string> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers =
      text === undefined
        ? {}
        : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) };
    return new Promise((resolve, reject) => {
      const asked = request(
        { socketPath: this.#socketPath, path, method, headers, agent: false },
        (response) => {
          let answer = "";
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => (answer += chunk));
          response.on("error", (error) => reject(this.#unreachable(error)));
          response.on("end", () => {
            if (response.statusCode === 200 || response.statusCode === 201) resolve(answer);
            else reject(refusal(response.statusCode ?? 0, answer));
          });
        },
      );
      asked.on("error", (error) => reject(this.#unreachable(error)));
      asked.end(text);
    });
  }

  #unreachable(cause: NodeJS.ErrnoException): AppError {
    if (cause.code === "EACCES")
      return new AppError("no-permission", `this user may not use ${this.#socketPath}`, {
        hint: "Run the command as root or join the service's group.",
        cause,
      });
    return new AppError(
      "daemon-unreachable",
      `no daemon answers at ${this.#socketPath} (${cause.code ?? cause.message})`,
      {
        hint: `Start it with santinela serve, or name the right configuration with --config; this one keeps its data in ${this.#dataDir}.`,
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

/** What the daemon answered instead, in its own words. */
function refusal(status: number, answer: string): AppError {
  const { message } = JSON.parse(answer) as { message?: string };
  const code = CODE_OF_STATUS[status] ?? "unavailable";
  return new AppError(code, message ?? `the daemon answered ${status}`);
}
