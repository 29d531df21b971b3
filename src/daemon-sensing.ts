import type { FrontAddress, SensingComponents } from "./daemon-front.ts";
import { offDiskFileOf, type RunningConfig, type DaemonOptions, type Machine } from "./daemon-options.ts";
import type { DaemonParts } from "./daemon-threads.ts";
import { offsetAt } from "./domain/calendar.ts";
import type { Actor, NewEvent } from "./domain/event.ts";
import type { SiteIdentity } from "./domain/walk-test.ts";
import type { Zone } from "./domain/zone.ts";
import { AlarmPanelZones } from "./inputs/dc09/alarm-panel-zones.ts";
import { Inputs } from "./inputs/inputs.ts";
import { takeRestoredTests } from "./inputs/restored-tests.ts";
import { TripDispatcher } from "./inputs/trip-dispatcher.ts";
import { ZoneService } from "./inputs/zone-service.ts";
import { integrityCheckOnDamage } from "./ops/backups.ts";
import type { ConditionRegistry } from "./ops/condition-registry.ts";
import type { Databases } from "./ops/databases.ts";
import type { Failpoint } from "./ops/failpoint.ts";
import { LinkRecorder } from "./ops/link-recorder.ts";
import type { JsonLog } from "./ops/log.ts";
import { newKey } from "./ops/secrets.ts";
import { EventNotes } from "./service/event-notes.ts";
import { SiteMetrics } from "./site/site-metrics.ts";
import { SiteOutputs } from "./site/outputs.ts";
import { siteMqttOf } from "./site/site-mqtt.ts";
import { Site } from "./site/site.ts";
import { AlarmTrips } from "./store/alarm-trips.ts";
import { CountedTripStore } from "./store/counted-trips.ts";
import { DispatchedTrips } from "./store/dispatched-trips.ts";
import { InterventionStore } from "./store/interventions.ts";
import { Journal } from "./store/journal.ts";
import { OffDiskChanges } from "./store/journal-changes.ts";
import { KnownSitesStore } from "./store/known-sites.ts";
import { ObjectiveStore } from "./store/objectives.ts";
import { OutboxStore } from "./store/outbox.ts";
import { TransmissionStore } from "./store/transmissions.ts";
import { UnfinishedInterventions } from "./store/unfinished-records.ts";
import { UpstreamObjectiveStore } from "./store/upstream-objectives.ts";

interface SensingOptions {
  readonly config: RunningConfig;
  readonly options: Pick<DaemonOptions, "runtimeDirectory">;
  readonly machine: Machine;
  readonly log: JsonLog;
  readonly conditions: ConditionRegistry;
  readonly failpoint: Failpoint;
  /** The journal is written here; `santinela.db` is only read. */
  readonly databases: Databases;
  readonly parts: DaemonParts;
}

/** From a contact or message to a posted trip: inputs, zones, journal and dispatch, and what the site API reads of them. */
export class DaemonSensing {
  readonly events: EventNotes;
  readonly zoneService: ZoneService;
  readonly inputs: Inputs;
  readonly site: Site;
  readonly outputs: SiteOutputs;
  readonly components: Omit<SensingComponents, "control">;
  readonly #options: SensingOptions;
  readonly #journal: Journal;
  readonly #metrics: SiteMetrics;
  readonly #linkRecorder: LinkRecorder;
  readonly #stops: (() => void | Promise<void>)[] = [];
  #dispatch: TripDispatcher | undefined;

  constructor(options: SensingOptions) {
    this.#options = options;
    const { config, machine, databases, parts, conditions: health } = options;
    const { main } = databases;
    const common = this.#common;
    const offDisk = new OffDiskChanges(offDiskFileOf(options.options, config));
    const journal = new Journal(databases.journal, machine.clock, offDisk);
    this.#journal = journal;
    config.zones = [...config.zones, ...this.createdZones(config.zones)];
    this.events = new EventNotes({ ...common, events: parts.records.events });
    const records = new InterventionStore(main);
    const zoneService = new ZoneService({
      ...this.#tripParts,
      zones: config.zones,
      zoneInRecord: (...asked) => records.zoneInRecord(...asked),
      newKey: () => newKey(machine.clock.wallMs()),
      onTrip: () => this.#onTrip(),
    });
    const inputs = new Inputs({
      ...this.#tripParts,
      zones: config.zones,
      conditions: zoneService.monitoringGaps,
      monitor: zoneService.monitor,
      gpio: config.gpio,
      alarmPanels: config.dc09
        ? { source: config.dc09, addZone: (zone, by) => this.#addZone(zone, by) }
        : undefined,
      newBroker: (broker) => parts.newBroker(broker),
      ...siteMqttOf(config, { time: machine.host.time, conditions: health }, () => this.site),
    });
    this.zoneService = zoneService;
    this.inputs = inputs;
    this.site = new Site({
      ...this.#tripParts,
      config,
      health,
      zoneService,
      inputs,
      alarmTrips: new AlarmTrips(databases.journal),
      outbox: new OutboxStore(main),
      unfinished: new UnfinishedInterventions(main),
      knownSites: new KnownSitesStore(main),
      objectives: new ObjectiveStore(main),
      transmissions: new TransmissionStore(main),
      link: () => parts.link,
    });
    const { site } = this;
    this.outputs = this.#newOutputs(databases);
    this.#metrics = new SiteMetrics({
      ...common,
      config,
      site,
      inputs,
      countedTrips: new CountedTripStore(databases.journal),
      centreObjectives: new UpstreamObjectiveStore(main),
      threads: () => parts.takeUses(),
    });
    this.#linkRecorder = this.#newLinkRecorder(site);
    this.components = {
      site,
      zones: site.zones,
      tests: site.tests,
      loops: site.loops,
      outputs: this.outputs,
      metrics: this.#metrics,
    };
  }

  #onTrip(): void {
    this.#dispatch?.requestRun();
    this.outputs.checkSoon();
  }

  #newLinkRecorder(site: Site): LinkRecorder {
    const { dataDir } = this.#options.config;
    return new LinkRecorder({
      ...this.#common,
      samples: this.#journal.linkSamples,
      readState: () => site.linkSample(),
      onError: integrityCheckOnDamage(dataDir),
    });
  }

  #newOutputs({ journal }: Databases): SiteOutputs {
    const { config } = this.#options;
    const { inputs, site, zoneService } = this;
    const trips = new DispatchedTrips(journal);
    return new SiteOutputs({
      ...this.#tripParts,
      config,
      inputs,
      zoneService,
      trips,
      readState: () => site.outputFacts(),
    });
  }

  /** Zones that alarm panels have created. @param declared zones of the file, which replace created ones */
  createdZones(declared: readonly Zone[]): Zone[] {
    const { dc09, site } = this.#options.config;
    if (!dc09) return [];
    return new AlarmPanelZones({ ...dc09, locale: site.locale, journal: this.#journal }).created(declared);
  }

  /** Monitors a zone that an alarm panel has just created. @throws any error of the journal */
  #addZone(zone: Zone, by: Actor): void {
    const { config, parts } = this.#options;
    const zones = [...config.zones, zone];
    this.zoneService.exchange(zones, by);
    config.zones = zones;
    void this.inputs.exchange(zones, { added: [], removed: [], news: [] });
    parts.zoneCreated(zones);
  }

  /** Whether trips are no longer processed although the process runs. */
  get isStalled(): boolean {
    return this.#dispatch?.isStalled ?? false;
  }

  /** Restores the state of the zones, so that it can be read; the inputs follow. */
  start(): void {
    this.#stops.push(() => this.events.stop());
    takeRestoredTests(this.#journal, this.#options.databases.main, this.#options.log);
    this.zoneService.start();
    this.zoneService.continueNumbers(this.#options.parts.records.walkTests.lastNumber());
    this.#stops.push(() => this.zoneService.stop());
    this.#linkRecorder.start();
    this.#stops.push(() => this.#linkRecorder.stop());
    this.#stops.push(this.#metrics.start());
  }

  /** Posts the trips to the local API, and starts all inputs. */
  async startInputs({ loopbackPort }: FrontAddress): Promise<void> {
    const { config, parts } = this.#options;
    const dispatch = new TripDispatcher({
      ...this.#tripParts,
      baseUrl: `http://127.0.0.1:${loopbackPort}${config.http.basePath}`,
      token: () => parts.deviceToken(),
      onRecord: (waitMs) => {
        if (waitMs !== undefined) this.#metrics.noteRecord(waitMs);
        // The record may already be done: it is readable before the dispatch has its number.
        this.zoneService.checkOpenContacts();
      },
    });
    this.#dispatch = dispatch;
    dispatch.start();
    await this.inputs.start();
    this.site.inputsStarted();
    await this.outputs.start(this.#options.config.outputs);
    // The first local time loads the time zones, which takes as long as the rest of a trip; the first trip must not wait for it.
    offsetAt(this.#options.machine.clock.wallMs(), config.site.timezone);
  }

  /** Ends the inputs and the dispatch, while the front still answers. */
  async stopInputs(): Promise<void> {
    await this.outputs.stop();
    await this.inputs.stop();
    await this.#dispatch?.stop();
  }

  async stop(): Promise<void> {
    for (let stop = this.#stops.pop(); stop; stop = this.#stops.pop()) await stop();
  }

  /** Retries rejected trips, as at a start. */
  retryRejected(): void {
    this.#dispatch?.start();
  }

  /** Dependencies shared by the inputs, the zones and the dispatch. */
  get #tripParts() {
    const { config, machine, parts } = this.#options;
    const record = (event: NewEvent): void => this.events.note(event);
    const identity = (): SiteIdentity => config.site;
    // If the call is lost while the records restart, their start copies the result.
    const onWalkTestResult = (): void => void parts.records.walkTests.copy().catch(() => {});
    const { site } = config;
    return { ...this.#common, ...machine, journal: this.#journal, site, identity, onWalkTestResult, record };
  }

  get #common() {
    const { machine, log, conditions, failpoint } = this.#options;
    return { clock: machine.clock, log, conditions, failpoint };
  }
}
