import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { HTTP_DEFAULTS } from "../../src/generated/defaults.ts";
import { HttpServer, type HttpServerOptions } from "../../src/http/server.ts";
import { SystemClock } from "../../src/ops/system-clock.ts";
import type { TestApp } from "./app.ts";

/** The application behind the real server, on a free loopback port and a control socket. */
export class ServedApp {
  /** Path of the control socket, as in a data directory. */
  readonly folder = mkdtempSync(join(tmpdir(), "santinela-http-"));
  readonly server: HttpServer;

  /** @param more additional options; no condition is expected by default */
  constructor(site: TestApp, more: Partial<HttpServerOptions> = {}) {
    this.server = new HttpServer({
      app: site.served,
      host: "127.0.0.1",
      port: 0,
      descriptor: undefined,
      tls: undefined,
      limits: HTTP_DEFAULTS,
      controlSocket: join(this.folder, "control.sock"),
      conditions: NO_CONDITIONS,
      clock: new SystemClock(),
      ...more,
    });
  }

  async start(): Promise<this> {
    await this.server.start();
    return this;
  }

  async stop(): Promise<void> {
    await this.server.stop();
    rmSync(this.folder, { recursive: true });
  }
}

const NO_CONDITIONS = { raise: () => expect.fail("no condition is expected"), clear: () => {} };
