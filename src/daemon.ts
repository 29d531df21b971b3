import { randomUUID } from "node:crypto";
import type { Config } from "./config/config.ts";
import { offDiskFileOf, thisMachine, type DaemonOptions, type Machine } from "./daemon-options.ts";
import { DaemonReload, type ConfigInForce } from "./daemon-reload.ts";
import { DaemonServer, type ServedParts } from "./daemon-server.ts";
import { makeServices } from "./daemon-services.ts";
import { messageOf } from "./domain/errors.ts";
import type { NewEvent } from "./domain/event.ts";
import { orderedUuid } from "./domain/uuid-v7.ts";
import type { ZoneInRecord } from "./domain/standing.ts";
import type { Priority } from "./generated/types.ts";
import { VERSION } from "./generated/version.ts";
import type { HttpServer } from "./http/server.ts";
import { Inputs } from "./inputs/inputs.ts";
import { TripDispatcher } from "./inputs/trip-dispatcher.ts";
import { ZoneService } from "./inputs/zone-service.ts";
import { requestIntegrityCheck } from "./ops/backups.ts";
import { BackupWorker } from "./ops/backup-worker.ts";
import { DataDirectory } from "./ops/data-directory.ts";
import { failpointOf, type Failpoint } from "./ops/failpoint.ts";
import { addonWarning } from "./ops/host.ts";
import { ConditionRegistry } from "./ops/condition-registry.ts";
import { LinkRecorder } from "./ops/link-recorder.ts";
import { ListWorker } from "./ops/list-worker.ts";
import { JsonLog } from "./ops/log.ts";
import type { EventService } from "./service/events.ts";
import { SiteSettings } from "./site/settings.ts";
import { SiteMetrics } from "./site/site-metrics.ts";
import { siteMqttOf } from "./site/site-mqtt.ts";
import type { SiteParts } from "./site/site-parts.ts";
import { Site } from "./site/site.ts";
import type { Database } from "./store/database.ts";
import { UpstreamObjectiveStore } from "./store/upstream-objectives.ts";
import { EventLog } from "./store/event-log.ts";
import { isDamage } from "./store/integrity.ts";
import { InterventionStore } from "./store/interventions.ts";
import { Journal } from "./store/journal.ts";
import { OffDiskChanges } from "./store/journal-changes.ts";
import { OutboxStore } from "./store/outbox.ts";
import { UnfinishedInterventions } from "./store/unfinished-records.ts";
import { TokenFile, type TokenAccount } from "./ops/token-file.ts";
import { CurrentSync } from "./sync/sync.ts";

/** Composition root: builds all components from the configuration, starts them in order and stops them in reverse. */
export class Daemon {
  readonly #config: ConfigInForce;
  readonly #options: DaemonOptions;
  readonly #machine: Machine;
  readonly #clock: Machine["clock"];
  readonly #log: JsonLog;
  readonly #health: ConditionRegistry;
  readonly #failpoint: Failpoint;
  /** Stop functions of the started components, called in reverse order, also after a failed start. */
  readonly #stops: (() => void | Promise<void>)[] = [];
  /** Whether trips are no longer processed although the process runs; the watchdog then restarts it. */
  isStalled = (): boolean => false;
  #reload: DaemonReload | undefined;

  constructor(config: Config, options: DaemonOptions) {
    this.#config = { ...config };
    this.#options = options;
    this.#machine = options.machine ?? thisMachine();
    this.#clock = this.#machine.clock;
    const { write, forJournald } = options;
    this.#log = new JsonLog({ level: config.log.level, clock: this.#clock, write, forJournald });
    this.#health = new ConditionRegistry(this.#clock, this.#log);
    this.#failpoint = failpointOf(options.failpoint, options.kill);
  }

  /**
   * Starts all components. Unavailable inputs or an unreachable dispatch centre are conditions, not errors.
   * @throws AppError if the data directory, a database or the HTTP address is unusable; started components are stopped
   */
  async start(): Promise<void> {
    try {
      this.#logConfiguration();
      await this.#start();
    } catch (error) {
      await this.stop();
      // Without a check, the same unreadable page would end the next start too.
      if (isDamage(error)) requestIntegrityCheck(this.#config.dataDir, messageOf(error));
      throw error;
    }
  }

  /** Applies the configuration file on SIGHUP. */
  reloadBySignal(): void {
    this.#reload?.bySignal();
  }

  async stop(): Promise<void> {
    const isRunning = this.#stops.length > 0;
    for (let stop = this.#stops.pop(); stop; stop = this.#stops.pop()) await stop();
    if (isRunning) this.#log.info("stopped");
  }

  async #start(): Promise<void> {
    const config = this.#config;
    const places = { dataDir: config.dataDir, auditDays: config.site.auditDays, newIdentity: randomUUID };
    const folder = new DataDirectory({ ...this.#common, ...places });
    this.#stops.push(() => folder.close());
    const { main: database, isDiskFull } = folder;
    const journal = new Journal(
      folder.journal,
      this.#clock,
      new OffDiskChanges(offDiskFileOf(this.#options, config)),
    );
    const sync = this.#newSync(database);
    const onChange = (change: { priority: Priority }): void => sync.sync?.changed(change);
    const { announceInitialPassword: tell } = this.#options;
    const longLists = new ListWorker(database.name, this.#common);
    const serviceParts = { config, database, clock: this.#clock, newUid: this.#newKey, longLists };
    const services = await makeServices({ ...serviceParts, isDiskFull, onChange, tell });
    let dispatch: TripDispatcher | undefined;
    const tripParts = this.#tripParts(journal, services);
    const records = new InterventionStore(database);
    const zoneInRecord = (id: number, name: string): ZoneInRecord => records.zoneInRecord(id, name);
    const onTrip = (): void => dispatch?.requestRun();
    const watch = new ZoneService({ ...tripParts, zoneInRecord, newKey: this.#newKey, onTrip });
    watch.start();
    this.#stops.push(() => watch.stop());
    services.interventions.observe(() => watch.checkOpenContacts());
    const inputs = new Inputs({
      ...tripParts,
      conditions: watch.blindIntervals,
      monitor: watch.monitor,
      gpio: config.gpio,
      ...siteMqttOf(config, tripParts.host.time, () => site),
    });
    const centreObjectives = new UpstreamObjectiveStore(database);
    const site: Site = this.#siteOf(database, sync, { ...tripParts, watch, inputs, centreObjectives });
    this.#startLinkRecorder(journal, site);
    const metricParts = { ...this.#common, config, site, inputs, trips: journal.trips, centreObjectives };
    const metrics = new SiteMetrics(metricParts);
    this.#stops.push(metrics.start());
    const backupWorker = new BackupWorker();
    const { load, reload: hooks } = this.#options;
    const reloadParts = { ...this.#common, ...services, config, watch, inputs, sync, log: this.#log };
    const reload = new DaemonReload({ ...reloadParts, load, hooks, retryRejected: () => dispatch?.start() });
    const settingsParts = { ...this.#options, ...this.#common, config, log: this.#log, backupWorker };
    const settings = new SiteSettings({ ...settingsParts, reload: (by) => reload.reload(by) });
    settings.start();
    this.#stops.push(() => settings.stop());
    const setup = { config, load: this.#options.load };
    const server = await this.#startServer({ ...services, site, metrics, settings, setup });
    // Stopped before the server, which waits for pending responses.
    this.#stops.push(() => backupWorker.stop());
    this.#stops.push(() => longLists.stop());
    const baseUrl = `${server.loopbackUrl}${config.http.basePath}`;
    const token = (): string => services.tokens.deviceToken();
    const onRecord = (waitMs: number): void => metrics.noteRecord(waitMs);
    dispatch = new TripDispatcher({ ...tripParts, baseUrl, token, onRecord });
    this.#stops.push(() => dispatch?.stop());
    dispatch.start();
    this.isStalled = () => dispatch?.isStalled ?? false;
    this.#stops.push(() => inputs.stop());
    await inputs.start();
    site.inputsStarted();
    this.#stops.push(() => sync.stop());
    sync.start();
    this.#stops.push(reload.start());
    this.#reload = reload;
    this.#options.onStarted();
    this.#logReady(server);
  }

  #newSync(database: Database): CurrentSync {
    const { dataDir, site, upstream } = this.#config;
    const { random } = this.#machine;
    const tokenStore = (account: TokenAccount): TokenFile =>
      new TokenFile({ dataDir, log: this.#log }, account);
    const newKey = this.#newKey;
    return new CurrentSync(upstream, { ...this.#common, site, database, random, newKey, tokenStore });
  }

  /** The components behind the /site routes. */
  #siteOf(
    database: Database,
    sync: CurrentSync,
    parts: Pick<SiteParts, "watch" | "inputs" | "journal" | "host" | "centreObjectives">,
  ): Site {
    const unfinished = new UnfinishedInterventions(database);
    const stores = { events: new EventLog(database), outbox: new OutboxStore(database), unfinished };
    const common = { ...this.#common, config: this.#config, health: this.#health };
    return new Site({
      ...common,
      ...parts,
      ...stores,
      get sync() {
        return sync.sync;
      },
    });
  }

  /** Dependencies shared by the inputs, the zone service and the dispatch. */
  #tripParts(journal: Journal, { events }: { readonly events: EventService }) {
    const { site, zones } = this.#config;
    const record = (event: NewEvent): void => events.record(event);
    return { ...this.#common, ...this.#machine, journal, site, zones, record };
  }

  /** Records the link state for the charts of the last day and month. */
  #startLinkRecorder({ linkSamples }: Journal, { sync }: Site): void {
    const recorder = new LinkRecorder({
      ...this.#common,
      samples: linkSamples,
      look: () => sync.linkSample(),
    });
    recorder.start();
    this.#stops.push(() => recorder.stop());
  }

  #logReady({ address }: HttpServer): void {
    const { dataDir, zones, http } = this.#config;
    const tls = http.tls.mode !== "off";
    this.#log.info("ready", { version: VERSION, ...address, tls, dataDir, zones: zones.length });
  }

  #logConfiguration(): void {
    const { configurationFault, restoreFault } = this.#options;
    if (restoreFault !== undefined) this.#health.raise("restore-failed", restoreFault);
    if (configurationFault !== undefined) this.#health.raise("configuration-invalid", configurationFault);
    for (const warning of this.#config.warnings) this.#log.warn("configuration-warning", { warning });
    const warning = addonWarning();
    if (warning !== undefined) this.#log.warn("addon-warning", { warning });
  }

  async #startServer(parts: ServedParts): Promise<HttpServer> {
    const server = new DaemonServer({
      ...this.#common,
      parts,
      config: this.#config,
      time: this.#machine.host.time,
      httpDescriptor: this.#options.httpDescriptor,
      run: randomUUID().slice(0, 8),
    });
    this.#stops.push(() => server.stop());
    return server.start();
  }

  readonly #newKey = (): string => orderedUuid(this.#clock.wallMs(), randomUUID());

  get #common() {
    return { clock: this.#clock, log: this.#log, conditions: this.#health, failpoint: this.#failpoint };
  }
}
