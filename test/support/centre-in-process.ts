import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Centre } from "../../src/centre.ts";
import { loadConfiguration } from "../../src/config/load.ts";
import type { Clock } from "../../src/domain/clock.ts";
import { askDaemon } from "./control-socket.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Token for the metrics of a `CentreInProcess`. */
export const METRICS_TOKEN = "0123456789abcdef0123456789abcdef";

/** A dispatch centre on PostgreSQL in this process, reached over its socket and over HTTP. */
export class CentreInProcess {
  readonly origin: string;
  readonly dataDir: string;
  readonly #centre: Centre;

  private constructor(centre: Centre, { origin, dataDir }: Pick<CentreInProcess, "origin" | "dataDir">) {
    this.#centre = centre;
    this.origin = origin;
    this.dataDir = dataDir;
  }

  /** Starts one with a building 1. @param url of its database */
  static async start(url: string, clock: Clock): Promise<CentreInProcess> {
    const folder = temporaryFolder();
    const file = join(folder, "centre.yaml");
    writeFileSync(join(folder, "metrics.token"), METRICS_TOKEN, { mode: 0o600 });
    // JSON is YAML too.
    const options = {
      dataDir: "./data",
      site: { ref: "centre" },
      http: { port: 0 },
      objectives: { "obiective/cladiri": [{ id: 1, name: "Hall", status: "active" }] },
      database: url,
      metrics: { tokenFile: "./metrics.token" },
    };
    writeFileSync(file, JSON.stringify(options));
    const config = loadConfiguration({ file, env: {}, cwd: folder, role: "centre" });
    if (config.database === null) throw new Error("no database");
    const centre = new Centre({
      config: { ...config, database: config.database },
      clock,
      write: () => {},
      forJournald: false,
      announceInitialPassword: async () => {},
      httpDescriptor: undefined,
    });
    const { port } = await centre.start();
    return new CentreInProcess(centre, {
      origin: `http://127.0.0.1:${port}`,
      dataDir: join(folder, "data"),
    });
  }

  stop(): Promise<void> {
    return this.#centre.stop();
  }

  /** A request of a program on the machine of the centre. */
  async ask(method: "GET" | "POST", path: string, body?: object): Promise<unknown> {
    return (await askDaemon(this.dataDir, method, path, body)).value;
  }

  /** A request over HTTP. */
  send(path: string, body: object, token?: string): Promise<Response> {
    const headers = {
      "Content-Type": "application/json",
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    };
    return fetch(`${this.origin}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  }
}
