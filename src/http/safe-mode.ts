import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import express, { type Request, type Response } from "express";
import { AppError, messageOf } from "../domain/errors.ts";
import { errorResponse, errorBody } from "./errors.ts";
import { addressOf, closed, listening } from "./listen.ts";
import { hostGuard, readTarget } from "./request-target.ts";

/** Reads the configuration errors, one per line as `file:line:col: …`; null if it is valid now. */
type ReadErrors = () => string | null;

/**
 * Serves one page with the configuration errors while the daemon cannot run. It has no sign-in, because the accounts are
 * not available, and shows only the errors. API clients get 503.
 */
export class SafeModeServer {
  readonly #server: Server;

  /** @param names additional host names of this machine */
  constructor(readErrors: ReadErrors, names: readonly string[]) {
    const app = express();
    app.disable("x-powered-by");
    app.use(hostGuard(names));
    app.use((request: Request, response: Response) => respond(request, response, readErrors()));
    app.use((error: unknown, _request: Request, response: Response, _next: () => void) => {
      const body = errorResponse(error);
      response.status(body.statusCode).json(body);
    });
    this.#server = createServer({ requestTimeout: 10_000, keepAliveTimeout: 1_000 }, readTarget(app));
    this.#server.maxConnections = CONNECTIONS_MAX;
  }

  /**
   * @returns the listening address
   * @throws AppError `busy` if the address is unavailable
   */
  async start(host: string, port: number): Promise<{ host: string; port: number }> {
    try {
      await listening(this.#server, () => this.#server.listen(port, host));
    } catch (cause) {
      throw new AppError("busy", `cannot listen on port ${port} of ${host}: ${messageOf(cause)}`, { cause });
    }
    return addressOf(this.#server);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await closed(this.#server);
  }
}

const CONNECTIONS_MAX = 50;
/** Seconds; a user has to correct the file first. */
const RETRY_AFTER_S = 60;

function respond(request: Request, response: Response, errors: string | null): void {
  const isBrowser = request.method === "GET" && request.accepts(["json", "html"]) === "html";
  response.status(503).set({
    "Retry-After": String(RETRY_AFTER_S),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  });
  if (!isBrowser) {
    response.json(errorBody(503, "the configuration is invalid; the daemon is not running"));
    return;
  }
  response.set("Content-Security-Policy", POLICY).type("html").send(pageOf(errors));
}

function pageOf(errors: string | null): string {
  const lines = errors?.split("\n") ?? [];
  const list = lines.map((line) => `<li><code>${escaped(line)}</code></li>`).join("");
  const english =
    errors === null
      ? "<p>The configuration is valid now. Start the daemon: <code>systemctl restart santinela</code></p>"
      : "<p>The configuration is invalid and there is no earlier valid configuration. Correct the errors above, then run <code>santinela check-config</code> and <code>systemctl restart santinela</code>.</p>";
  const romanian =
    errors === null
      ? "<p>Configurația nu mai are erori. Porniți serviciul: <code>systemctl restart santinela</code></p>"
      : "<p>Configurația are erori și nu există o configurație validă anterioară. Corectați erorile de mai sus, apoi rulați <code>santinela check-config</code> și <code>systemctl restart santinela</code>.</p>";
  return `<!doctype html><html lang="ro"><head><meta charset="utf-8"><title>Santinela</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${STYLE}</style></head><body><main data-screen="safe-mode" aria-busy="false">
<h1>Santinela nu monitorizează nicio zonă <span lang="en">/ No zone is monitored</span></h1>
<ul lang="en">${list}</ul>${romanian}<div lang="en">${english}</div>
</main></body></html>`;
}

const STYLE =
  ":root{color-scheme:light dark}body{font:16px/1.45 system-ui,sans-serif;margin:1rem}main{max-width:60rem;margin:auto}code,h1{overflow-wrap:anywhere}li{margin:.5rem 0}h1{border-left:.5rem solid #a3131f;padding-left:.75rem}";
const POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
