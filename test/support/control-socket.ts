import { request, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";

export interface ControlAnswer {
  readonly status: number;
  /** The parsed body; undefined without one. */
  readonly value: unknown;
  readonly headers: IncomingHttpHeaders;
}

/** Sends a request to the control socket of a running daemon, which requires no token from its own user. */
export function askDaemon(
  dataDir: string,
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<ControlAnswer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const content =
    text === undefined
      ? {}
      : { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(text)) };
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        socketPath: join(dataDir, "control.sock"),
        method,
        path,
        headers: { ...content, ...headers },
        agent: false,
      },
      (response) => {
        let answer = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (answer += chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            value: answer === "" ? undefined : (JSON.parse(answer) as unknown),
          }),
        );
      },
    );
    asked.on("error", reject);
    asked.end(text);
  });
}
