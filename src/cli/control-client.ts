import { request } from "node:http";
import { join } from "node:path";
import { AppError } from "../domain/errors.ts";

/** Talks to the running daemon over its control socket. */
export class ControlClient {
  readonly #socketPath: string;
  readonly #dataDir: string;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.#socketPath = join(dataDir, "control.sock");
  }

  get<T>(path: string): Promise<T> {
    return this.#ask<T>("GET", path, undefined);
  }

  post<T>(path: string, body?: unknown): Promise<T> {
    return this.#ask<T>("POST", path, body);
  }

  #ask<T>(method: string, path: string, body: unknown): Promise<T> {
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
            const value = JSON.parse(answer) as T & { message?: string };
            if (response.statusCode === 200) resolve(value);
            else
              reject(
                new AppError(
                  response.statusCode === 404 ? "bad-data" : "unavailable",
                  value.message ?? `the daemon answered ${response.statusCode}`,
                ),
              );
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
