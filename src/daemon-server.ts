import { join } from "node:path";
import type { Config } from "./config/config.ts";
import type { Clock, TrustedTime } from "./domain/clock.ts";
import type { Conditions } from "./domain/condition.ts";
import { messageOf } from "./domain/errors.ts";
import type { Log } from "./domain/log.ts";
import { createApp, type AppParts } from "./http/app.ts";
import { PANEL_FOLDER } from "./http/panel.ts";
import { knownAddressesMax } from "./http/known-addresses.ts";
import { HttpServer, type KeyPair } from "./http/server.ts";
import { connectionMetrics } from "./site/connection-metrics.ts";
import { addSiteRoutes, type SiteRouteParts } from "./site/routes.ts";
import { requestIntegrityCheck } from "./ops/backups.ts";
import type { Failpoint } from "./ops/failpoint.ts";
import { CertificateKeeper } from "./ops/certificate-renewal.ts";

/** The services and components behind the routes. */
type ServedParts = Pick<
  AppParts,
  "records" | "timezone" | "objectives" | "fleet" | "enrolments" | "siteScopes"
> &
  Omit<SiteRouteParts, "authority" | "clock" | "log" | "onDamage" | "deleteNeedsAdministrator">;

interface DaemonServerOptions {
  readonly config: Config;
  readonly parts: ServedParts;
  readonly clock: Clock;
  readonly time: TrustedTime;
  readonly log: Log;
  readonly conditions: Conditions;
  readonly failpoint: Failpoint;
  /** Unique id of this run; prefix of its request ids. */
  readonly run: string;
  /** File descriptor of the listening socket that systemd passes; undefined to open one. */
  readonly httpDescriptor: number | undefined;
  /** Whether a port that cannot be opened is a condition instead of an error; by default not. */
  readonly waitsForPort?: boolean | undefined;
  /** Ports of an earlier start; undefined to use the configured one and any free one. */
  readonly earlier: { readonly port: number; readonly loopbackPort: number } | undefined;
  /** Path of the control socket; by default `control.sock` in the data directory. */
  readonly controlSocket?: string;
}

/** The daemon's HTTP server: certificate, control socket, API, /site routes and web panel. */
export class DaemonServer {
  readonly #config: Config;
  readonly #keeper: CertificateKeeper;
  readonly #options: DaemonServerOptions;
  #server: HttpServer | undefined;

  constructor(options: DaemonServerOptions) {
    this.#options = options;
    const { config } = options;
    const { http, dataDir } = config;
    this.#config = config;
    const onRenewed = (renewed: KeyPair): void => this.#server?.useCertificate(renewed);
    this.#keeper = new CertificateKeeper({
      ...options,
      tls: http.tls,
      dataDir,
      names: http.hosts,
      onRenewed,
    });
  }

  /** @throws AppError when the address or the certificate cannot be used */
  async start(): Promise<HttpServer> {
    const { http, dataDir } = this.#config;
    const { host, port } = http;
    const { httpDescriptor: descriptor, earlier, ...common } = this.#options;
    const tls = await this.#keeper.start();
    const { controlSocket = join(dataDir, "control.sock") } = this.#options;
    const place = { host, port: earlier?.port ?? port, loopbackPort: earlier?.loopbackPort ?? 0, descriptor };
    const knownAddresses = await this.#knownAddresses();
    const parts = { app: this.#app(), tls, controlSocket, limits: http, knownAddresses };
    const server = new HttpServer({ ...common, ...place, ...parts });
    this.#server = server;
    await server.start();
    return server;
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    this.#keeper.stop();
  }

  /** Their users keep their connections at the limit. They are worth no failed start. */
  async #knownAddresses(): Promise<readonly string[]> {
    const { parts, log } = this.#options;
    try {
      return await parts.tokens.newestAddresses(knownAddressesMax(this.#config.http.connectionsMax));
    } catch (error) {
      log.warn("known-addresses-read-failed", { error });
      return [];
    }
  }

  #app() {
    const { parts, clock, log, run, failpoint } = this.#options;
    const { http, site } = this.#config;
    let requests = 0;
    const metrics = {
      ...parts.metrics,
      text: async () => `${await parts.metrics.text()}${connectionMetrics(this.#server?.use)}`,
    };
    const authority = (): string | undefined => this.#keeper.authority;
    const onDamage = (error: unknown): void => requestIntegrityCheck(this.#config.dataDir, messageOf(error));
    const { deleteNeedsAdministrator } = http;
    const own = { ...parts, metrics, clock, log, authority, onDamage, deleteNeedsAdministrator };
    return createApp({
      ...this.#options,
      ...parts,
      ...http,
      silenceTimes: () => this.#config.fleet,
      addSiteRoutes: (router, guards) => addSiteRoutes(router, guards, own),
      hasUpstream: () => this.#config.upstream !== null,
      panel: { folder: PANEL_FOLDER, locale: site.locale },
      onDamage,
      newRequestId: () => {
        failpoint("request");
        return `${run}-${(requests += 1)}`;
      },
    });
  }
}
