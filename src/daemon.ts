import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Config } from "./config/config.ts";
import type { DaemonOptions } from "./daemon-options.ts";
import type { Log } from "./domain/log.ts";
import { VERSION } from "./generated/version.ts";
import { createApp, type AppParts, type ServedParts } from "./http/app.ts";
import { PANEL_FOLDER } from "./http/panel.ts";
import { HttpServer, type KeyPair } from "./http/server.ts";
import { Dispatch } from "./inputs/dispatch.ts";
import { Inputs } from "./inputs/inputs.ts";
import { Ballast, freeBytes } from "./ops/ballast.ts";
import { ZoneWatch } from "./inputs/zone-watch.ts";
import { CertificateKeeper } from "./ops/certificate-keeper.ts";
import { Databases } from "./ops/databases.ts";
import { failpointOf, type Failpoint } from "./ops/failpoint.ts";
import { DatabaseCopy } from "./ops/database-copy.ts";
import { Health } from "./ops/health.ts";
import { Housekeeping } from "./ops/housekeeping.ts";
import { hostOf } from "./ops/host.ts";
import { JsonLog } from "./ops/log.ts";
import { oneTimePassword, prepareDataDir, signingKeys } from "./ops/secrets.ts";
import { SystemClock } from "./ops/system-clock.ts";
import { AccountService } from "./service/accounts.ts";
import { ensureAdministrator, seedObjectives } from "./service/first-start.ts";
import { EventService } from "./service/events.ts";
import { InterventionService } from "./service/interventions.ts";
import { ObjectiveService } from "./service/objectives.ts";
import { TokenService } from "./service/tokens.ts";
import { SiteMetrics } from "./site-metrics.ts";
import { siteMqttOf } from "./site-mqtt.ts";
import { SiteView } from "./site-view.ts";
import type { Database } from "./store/database.ts";
import { EventLog } from "./store/event-log.ts";
import { takeInstanceLock } from "./store/instance-lock.ts";
import { Journal } from "./store/journal.ts";
import { OutboxStore } from "./store/outbox.ts";
import { Sync } from "./sync/sync.ts";

/** The composition root: builds every part from the configuration, starts them in order, stops them in the mirrored one. */
export class Daemon {
  readonly #config: Config;
  readonly #options: DaemonOptions;
  readonly #clock = new SystemClock();
  readonly #log: Log;
  readonly #health: Health;
  readonly #failpoint: Failpoint;
  /** What has been started, to be stopped in the opposite order; a half start stops as well as a whole one. */
  readonly #stops: (() => void | Promise<void>)[] = [];
  /** Whether the trips have stopped moving although the process runs; only a restart helps then. */
  isStalled = (): boolean => false;

  constructor(config: Config, options: DaemonOptions) {
    this.#config = config;
    this.#options = options;
    this.#log = new JsonLog({
      level: config.log.level,
      clock: this.#clock,
      write: options.write,
      forJournald: options.forJournald,
    });
    this.#health = new Health(this.#clock, this.#log);
    this.#failpoint = failpointOf(options.failpoint, options.kill);
  }

  /**
   * Starts everything. Inputs or a centre that are not there are conditions.
   * @throws AppError when the data folder, a database or the HTTP address cannot be used; what was started is stopped
   */
  async start(): Promise<void> {
    try {
      this.#tellOfConfiguration();
      await this.#start();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    const isRunning = this.#stops.length > 0;
    for (let stop = this.#stops.pop(); stop; stop = this.#stops.pop()) await stop();
    if (isRunning) this.#log.info("stopped");
  }

  async #start(): Promise<void> {
    const config = this.#config;
    const { zones, site } = config;
    const clock = this.#clock;
    const { main: database, journal } = this.#openStores();
    const objectives = new ObjectiveService(database);
    seedObjectives(objectives, config.objectives, zones, site.locale);
    const access = await this.#access(database);

    const sync = this.#syncOf(database);
    const interventions = this.#interventionsOf(database, sync);
    let dispatch: Dispatch | undefined;
    const dispatching = { ...this.#common, journal, host: hostOf(clock, randomUUID), site };
    const watch = new ZoneWatch({
      ...dispatching,
      zones,
      newKey: randomUUID,
      record: (event) => access.events.record(event),
      onTrip: () => dispatch?.kick(),
    });
    watch.start();
    this.#stops.push(() => watch.stop());

    const inputs = new Inputs({
      ...dispatching,
      conditions: watch.blindIntervals,
      zones,
      monitor: watch.monitor,
      gpio: config.gpio,
      ...siteMqttOf(config, dispatching.host.time, () => view),
    });
    const view: SiteView = new SiteView({
      config,
      clock,
      health: this.#health,
      watch,
      inputs,
      journal,
      events: new EventLog(database),
      outbox: new OutboxStore(database),
      sync,
    });
    const metrics = new SiteMetrics({ config, clock, view, trips: journal.trips });
    this.#stops.push(metrics.start());
    const server = await this.#startServer({ ...access, interventions, objectives, site: view, metrics });

    const baseUrl = `${server.loopbackUrl}${config.http.basePath}`;
    const token = (): string => access.tokens.deviceToken();
    dispatch = new Dispatch({ ...dispatching, baseUrl, token, random: Math.random });
    this.#stops.push(() => dispatch?.stop());
    dispatch.start();
    this.isStalled = () => dispatch?.isStalled ?? false;
    this.#stops.push(() => inputs.stop());
    await inputs.start();
    this.#stops.push(() => sync?.stop());
    sync?.start();
    this.#options.onStarted();
    this.#sayReady(server);
  }

  #sayReady({ address }: HttpServer): void {
    const { dataDir, zones, http } = this.#config;
    const tls = http.tls.mode !== "off";
    this.#log.info("ready", { version: VERSION, ...address, tls, dataDir, zones: zones.length });
  }

  /** The way to the centre; none for a daemon that stands alone. */
  #syncOf(database: Database): Sync | undefined {
    const { upstream, site } = this.#config;
    return upstream
      ? new Sync({ ...this.#common, upstream, site, database, random: Math.random })
      : undefined;
  }

  /** The one place that writes records, which tells the sync of each change. */
  #interventionsOf(database: Database, sync: Sync | undefined): InterventionService {
    const { timezone, dispeceratId } = this.#config.site;
    return new InterventionService({
      database,
      clock: this.#clock,
      timezone,
      dispeceratId,
      newUid: randomUUID,
      onChange: (change) => sync?.changed(change),
    });
  }

  #tellOfConfiguration(): void {
    const { configurationFault } = this.#options;
    if (configurationFault !== undefined) this.#health.raise("configuration-broken", configurationFault);
    for (const warning of this.#config.warnings) this.#log.warn("configuration-warning", { warning });
  }

  /** Who may come in, and the log of who did. */
  async #access(database: Database): Promise<Pick<AppParts, "tokens" | "accounts" | "events">> {
    const common = { database, clock: this.#clock };
    const accounts = new AccountService(common);
    await ensureAdministrator(accounts, oneTimePassword, this.#options.tell);
    const tokens = new TokenService({ ...common, keys: signingKeys(this.#config.dataDir) });
    return { tokens, accounts, events: new EventService(common) };
  }

  get #common() {
    return { clock: this.#clock, log: this.#log, conditions: this.#health, failpoint: this.#failpoint };
  }

  #openStores(): { main: Database; journal: Journal } {
    const { dataDir } = this.#config;
    prepareDataDir(dataDir);
    this.#stops.push(takeInstanceLock(join(dataDir, "lock.db")));
    const ballast = new Ballast(dataDir);
    const databases = new Databases({ ...this.#common, dataDir, ballast, newIdentity: randomUUID });
    this.#stops.push(() => databases.close());
    const { main, journal } = databases;
    const housekeeping = new Housekeeping({
      ...this.#common,
      dataDir,
      main,
      journal,
      ballast,
      freeBytes: () => freeBytes(dataDir),
      lookForReport: () => databases.lookForReport(),
    });
    housekeeping.start();
    this.#stops.push(() => housekeeping.stop());
    return { main, journal: new Journal(journal) };
  }

  async #startServer(parts: ServedParts): Promise<HttpServer> {
    const { http, dataDir, site } = this.#config;
    const { host, port, hosts, tls } = http;
    const onRenewed = (renewed: KeyPair): void => server.useCertificate(renewed);
    const keeper = new CertificateKeeper({ ...this.#common, tls, dataDir, names: hosts, onRenewed });
    this.#stops.push(() => keeper.stop());
    const authority = (): string | undefined => keeper.authority;
    const run = randomUUID().slice(0, 8);
    let requests = 0;
    const newRequestId = (): string => `${run}-${(requests += 1)}`;
    const panel = { folder: PANEL_FOLDER, locale: site.locale };
    const copy = new DatabaseCopy(dataDir);
    const settings = {
      configuration: this.#options.effectiveOptions,
      lendCopy: (take: (path: string) => Promise<void>): Promise<void> => copy.lend(take),
    };
    const app = createApp({ ...this.#common, ...parts, ...http, settings, authority, panel, newRequestId });
    const server: HttpServer = new HttpServer({
      app,
      host,
      port,
      tls: await keeper.start(),
      controlSocket: join(dataDir, "control.sock"),
      conditions: this.#health,
      clock: this.#clock,
    });
    await server.start();
    this.#stops.push(() => server.stop());
    return server;
  }
}
