import { randomUUID } from "node:crypto";
import type { Config } from "./config/config.ts";
import { DaemonConfiguration } from "./daemon-configuration.ts";
import { daemonControl } from "./daemon-control.ts";
import type { FrontAddress } from "./daemon-front.ts";
import { thisMachine, type RunningConfig, type DaemonOptions, type Machine } from "./daemon-options.ts";
import { DaemonReload } from "./daemon-reload.ts";
import { DaemonSensing } from "./daemon-sensing.ts";
import { ThreadedParts, type DaemonParts } from "./daemon-threads.ts";
import { messageOf } from "./domain/errors.ts";
import type { LogLevel } from "./domain/log.ts";
import { VERSION } from "./generated/version.ts";
import { requestIntegrityCheck } from "./ops/backups.ts";
import { DamageRestart } from "./ops/damage-restart.ts";
import { DataDirectory } from "./ops/data-directory.ts";
import { failpointOf, type Failpoint } from "./ops/failpoint.ts";
import { watchClock } from "./ops/clock-watch.ts";
import { addonWarning } from "./ops/host.ts";
import { ConditionRegistry } from "./ops/condition-registry.ts";
import { OnBattery } from "./ops/on-battery.ts";
import { TrailWatch } from "./ops/trail-watch.ts";
import { JsonLog } from "./ops/log.ts";
import { newKey } from "./ops/secrets.ts";
import type { DaemonControl } from "./site/settings.ts";
import { isDamage } from "./store/integrity.ts";
import { SharedLogLevel } from "./threads/thread-log.ts";

/** Composition root of the process: starts its parts in order and stops them in reverse, with one log and one health. */
export class Daemon {
  readonly #config: RunningConfig;
  readonly #options: DaemonOptions;
  readonly #machine: Machine;
  readonly #clock: Machine["clock"];
  readonly #log: JsonLog;
  readonly #logLevel = new SharedLogLevel();
  readonly #health: ConditionRegistry;
  readonly #failpoint: Failpoint;
  /** Stop functions of the started components, called in reverse order, also after a failed start; see `stop` for a false. */
  readonly #stops: (() => unknown)[] = [];
  /** Whether trips are no longer processed although the process runs; the watchdog then restarts it. */
  isStalled = (): boolean => false;
  #reload: DaemonReload | undefined;
  #sensing: DaemonSensing | undefined;

  constructor(config: Config, options: DaemonOptions) {
    this.#config = { ...config };
    this.#options = options;
    this.#machine = options.machine ?? thisMachine(options.bootId);
    this.#clock = this.#machine.clock;
    const { write, forJournald } = options;
    const onLevel = (level: LogLevel): void => this.#logLevel.set(level);
    this.#log = new JsonLog({ level: config.log.level, clock: this.#clock, write, forJournald, onLevel });
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

  /** @returns whether all files are closed: not if a thread could not be ended, which may still use the databases */
  async stop(): Promise<boolean> {
    const isRunning = this.#stops.length > 0;
    let areClosed = true;
    for (let stop = this.#stops.pop(); stop; stop = this.#stops.pop())
      areClosed = (await stop()) !== false && areClosed;
    if (isRunning) this.#log.info("stopped");
    return areClosed;
  }

  async #start(): Promise<void> {
    const config = this.#config;
    const { dataDir } = config;
    const damageRestart = this.#newDamageRestart();
    const folder = this.#newFolder(damageRestart);
    this.#stops.push(() => folder.close());
    this.#stops.push(() => damageRestart.stop());
    this.#stops.push(watchClock({ ...this.#common, host: this.#machine.host }));
    const { databases } = folder;
    const parts = await this.#newParts();
    this.#stops.push(() => parts.stopRecords());
    const newAdministrator = await databases.handOver(() => parts.startRecords());
    if (newAdministrator) await this.#options.announceInitialPassword(newAdministrator);
    this.#stops.push(() => databases.closeMain());
    const sensing = new DaemonSensing({
      ...this.#common,
      config,
      options: this.#options,
      machine: this.#machine,
      log: this.#log,
      conditions: this.#health,
      databases,
      parts,
    });
    this.#sensing = sensing;
    this.#stops.push(() => sensing.stop());
    sensing.start();
    const reload = this.#newReload(sensing, parts);
    const reloadBy: DaemonControl["reload"] = (by) => reload.reload(by);
    const configuration = new DaemonConfiguration({
      ...this.#common,
      config,
      events: sensing.events,
      reload: reloadBy,
      onProven: () => this.#options.reload.onProven(),
      isStalled: () => this.isStalled(),
    });
    configuration.start(this.#options.zonesEdited);
    const control = daemonControl({
      ...this.#options,
      ...this.#common,
      config,
      log: this.#log,
      reload: reloadBy,
      applyConfiguration: (order) => configuration.apply(order),
    });
    this.#stops.push(() => this.#log.restoreLevel());
    this.#stops.push(() => parts.stopFront());
    const address = await parts.startFront({ ...sensing.components, control });
    this.#stops.push(() => sensing.stopInputs());
    await sensing.startInputs(address);
    this.#stops.push(this.#watchBattery(sensing));
    this.isStalled = () => sensing.isStalled || parts.isSilent;
    await parts.startSync();
    const watched = { dataDir, databases, trail: parts.records.events, events: sensing.events };
    this.#stops.push(new TrailWatch({ ...this.#common, ...watched }).start());
    this.#stops.push(reload.start());
    this.#reload = reload;
    this.#options.onStarted(address);
    this.#logReady(address);
  }

  #newFolder(damageRestart: DamageRestart): DataDirectory {
    const { dataDir, file: configurationFile } = this.#config;
    return new DataDirectory({
      ...this.#common,
      dataDir,
      onJournalError: damageRestart.onJournalError,
      onDamage: damageRestart.onDamage,
      beforeLongWork: this.#options.beforeLongWork,
      configurationFile,
      bootId: this.#machine.host.bootId,
      newIdentity: randomUUID,
    });
  }

  #newDamageRestart(): DamageRestart {
    const { restart, damageRestarts: restarts = { atMs: [] } } = this.#options;
    const { dataDir } = this.#config;
    return new DamageRestart({ ...this.#common, dataDir, restarts, restart: () => restart(() => {}) });
  }

  /** Watches mains and battery. @returns ends it */
  #watchBattery({ site, events }: DaemonSensing): () => void {
    const { powerOff = () => {}, powerOffFault } = this.#options;
    return new OnBattery({
      ...this.#common,
      config: () => this.#config.onBattery,
      contactOf: (zoneId) => site.contactNow(zoneId),
      waiting: () => site.unsent(),
      record: (event) => events.note(event),
      fault: powerOffFault,
      hostUpMs: this.#machine.host.upMs,
      powerOff,
    }).start();
  }

  /** Records and front, each in a thread of its own; on a simulated machine in this one. */
  async #newParts(): Promise<DaemonParts> {
    const { load, machine, failpoint } = this.#options;
    const newRun = (): string => randomUUID().slice(0, 8);
    const onChange = (): void => this.#sensing?.zoneService.checkOpenContacts();
    const siteReportFacts = () => this.#sensing?.site.siteReportFacts();
    const common = { ...this.#common, config: this.#config, load, onChange };
    if (!machine)
      return new ThreadedParts({
        ...this.#options,
        ...common,
        logLevel: this.#logLevel,
        failpoint,
        newRun,
        siteReportFacts,
      });
    const { random, host } = machine;
    const { SingleThreadParts } = await import("./daemon-in-one-thread.ts");
    return new SingleThreadParts({
      ...common,
      random,
      newKey: () => newKey(this.#clock.wallMs()),
      time: host.time,
      run: newRun(),
      siteReportFacts: async () => siteReportFacts(),
    });
  }

  #newReload(sensing: DaemonSensing, parts: DaemonParts): DaemonReload {
    const { load, reload: hooks } = this.#options;
    const { zoneService, inputs, outputs, events } = sensing;
    return new DaemonReload({
      ...this.#common,
      config: this.#config,
      zoneService,
      inputs,
      outputs,
      events,
      parts,
      load,
      hooks,
      retryRejected: () => sensing.retryRejected(),
      createdZones: (declared) => sensing.createdZones(declared),
    });
  }

  #logReady({ host, port }: FrontAddress): void {
    const { dataDir, zones, http } = this.#config;
    const tls = http.tls.mode !== "off";
    this.#log.info("ready", { version: VERSION, host, port, tls, dataDir, zones: zones.length });
  }

  #logConfiguration(): void {
    const { configurationFault, restoreFault } = this.#options;
    if (restoreFault !== undefined) this.#health.raise("restore-failed", restoreFault);
    if (configurationFault !== undefined) this.#health.raise("configuration-invalid", configurationFault);
    for (const warning of this.#config.warnings) this.#log.warn("configuration-warning", { warning });
    const warning = addonWarning();
    if (warning !== undefined) this.#log.warn("addon-warning", { warning });
  }

  get #common() {
    return { clock: this.#clock, log: this.#log, conditions: this.#health, failpoint: this.#failpoint };
  }
}
