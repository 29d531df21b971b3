import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type Request, type Response } from "express";
import { AppError } from "../domain/errors.ts";
import { errorResponse, errorBody } from "./errors.ts";
import { hostGuard, readTarget } from "./request-target.ts";

/** What is wrong with the configuration: `file:line:col: …`, one a line; null when nothing is any more. */
export type Mistakes = () => string | null;

/**
 * One page that names the mistakes of a configuration, where the daemon cannot run. It takes nothing, needs no sign-in,
 * since no account can be looked up, and shows nothing but those lines. Programs get 503.
 */
export class SafeModeServer {
  readonly #server: Server;

  /** @param names by which this machine may be called, beside those that always work */
  constructor(mistakes: Mistakes, names: readonly string[]) {
    const app = express();
    app.disable("x-powered-by");
    app.use(hostGuard(names));
    app.use((request: Request, response: Response) => answer(request, response, mistakes()));
    app.use((error: unknown, _request: Request, response: Response, _next: () => void) => {
      const body = errorResponse(error);
      response.status(body.statusCode).json(body);
    });
    this.#server = createServer({ requestTimeout: 10_000, keepAliveTimeout: 1_000 }, readTarget(app));
    this.#server.maxConnections = CONNECTIONS_MAX;
  }

  /**
   * @returns where it listens
   * @throws AppError `busy` when the address cannot be had
   */
  async start(host: string, port: number): Promise<{ host: string; port: number }> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", (cause) =>
        reject(new AppError("busy", `cannot listen on port ${port} of ${host}: ${cause.message}`, { cause })),
      );
      this.#server.listen(port, host, resolve);
    });
    const { address, port: taken } = this.#server.address() as AddressInfo;
    return { host: address, port: taken };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}

const CONNECTIONS_MAX = 50;
/** After so long asking again makes sense, seconds: a person has to mend the file meanwhile. */
const RETRY_AFTER_S = 60;

function answer(request: Request, response: Response, mistakes: string | null): void {
  const isPerson = request.method === "GET" && request.accepts(["json", "html"]) === "html";
  response.status(503).set({
    "Retry-After": String(RETRY_AFTER_S),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  });
  if (!isPerson) {
    response.json(errorBody(503, "the configuration has mistakes, so the daemon does not run"));
    return;
  }
  response.set("Content-Security-Policy", POLICY).type("html").send(pageOf(mistakes));
}

function pageOf(mistakes: string | null): string {
  const lines = mistakes?.split("\n") ?? [];
  const list = lines.map((line) => `<li><code>${escaped(line)}</code></li>`).join("");
  const english =
    mistakes === null
      ? "<p>The configuration has no mistakes any more. Start the daemon: <code>systemctl restart santinela</code></p>"
      : "<p>The configuration has mistakes and there is no good copy of an earlier one. Mend the lines above, then run <code>santinela check-config</code> and <code>systemctl restart santinela</code>.</p>";
  const romanian =
    mistakes === null
      ? "<p>Configurația nu mai are erori. Porniți serviciul: <code>systemctl restart santinela</code></p>"
      : "<p>Configurația are erori și nu există o configurație validă anterioară. Corectați liniile de mai sus, apoi rulați <code>santinela check-config</code> și <code>systemctl restart santinela</code>.</p>";
  return `<!doctype html><html lang="ro"><head><meta charset="utf-8"><title>Santinela</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${STYLE}</style></head><body><main data-screen="safe-mode" aria-busy="false">
<h1>Senzorii nu sunt monitorizați <span lang="en">/ No sensor is watched</span></h1>
<ul lang="en">${list}</ul>${romanian}<div lang="en">${english}</div>
</main></body></html>`;
}

const STYLE =
  ":root{color-scheme:light dark}body{font:16px/1.45 system-ui,sans-serif;margin:1rem}main{max-width:60rem;margin:auto}code,h1{overflow-wrap:anywhere}li{margin:.5rem 0}h1{border-left:.5rem solid #a3131f;padding-left:.75rem}";
const POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
