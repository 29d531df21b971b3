import { join } from "node:path";
import type { Config } from "./config/config.ts";
import type { LoadOptions } from "./config/load.ts";
import type { RemoteRecords } from "./daemon-records.ts";
import { DaemonServer } from "./daemon-server.ts";
import type { Clock, TrustedTime } from "./domain/clock.ts";
import type { Conditions } from "./domain/condition.ts";
import { AppError } from "./domain/errors.ts";
import type { Log } from "./domain/log.ts";
import type { Remote } from "./domain/remote.ts";
import { BackupWorker } from "./ops/backup-worker.ts";
import type { Failpoint } from "./ops/failpoint.ts";
import { ListWorker } from "./ops/list-worker.ts";
import { signingKeys, type SigningKeys } from "./ops/secrets.ts";
import { ThreadFailures, type OnDemandThread } from "./ops/thread-failures.ts";
import { EventNotes } from "./service/event-notes.ts";
import { FairLists } from "./service/fair-lists.ts";
import { limitedEnrolments } from "./service/limited-enrolments.ts";
import { ListService } from "./service/lists.ts";
import { SqliteSiteScopes } from "./service/site-scopes.ts";
import { codesIn } from "./service/sqlite-enrolments.ts";
import { ThreadedFleet } from "./service/sqlite-fleet.ts";
import { SqliteObjectives } from "./service/sqlite-objectives.ts";
import { ThreadedRecords } from "./service/sqlite-records.ts";
import { SqliteSignIns } from "./service/sign-ins.ts";
import { TokenService } from "./service/tokens.ts";
import { configurationParts } from "./site/configuration-parts.ts";
import { SiteDiscovery } from "./site/discovery.ts";
import type { SiteTests } from "./site/field-tests.ts";
import type { LoopTrials } from "./site/loop-trial.ts";
import { fleetMetrics } from "./site/fleet-metrics.ts";
import type { SiteOutputs } from "./site/outputs.ts";
import { SiteSettings, type DaemonControl } from "./site/settings.ts";
import { siteApi, type SiteApi } from "./site/site-api.ts";
import type { SiteMetrics } from "./site/site-metrics.ts";
import type { Site } from "./site/site.ts";
import type { SiteZones } from "./site/zones.ts";
import { openReadOnly, type Database } from "./store/database.ts";
import { EventLog } from "./store/event-log.ts";
import { FaultStore } from "./store/faults.ts";
import { LinkSampleStore } from "./store/link-samples.ts";
import { ObjectiveStore } from "./store/objectives.ts";
import { OutboxStore } from "./store/outbox.ts";
import { PastTripStore } from "./store/past-trips.ts";
import { PlanStore } from "./store/plans.ts";
import { TransmissionStore } from "./store/transmissions.ts";
import { TripStore } from "./store/trips.ts";
import { UnfinishedInterventions } from "./store/unfinished-records.ts";
import { UpstreamObjectiveStore } from "./store/upstream-objectives.ts";
import { WalkTestArchive } from "./store/walk-test-archive.ts";
import { WalkTestStore } from "./store/walk-tests.ts";

/** What the front calls in the sensing thread. */
export interface SensingComponents {
  readonly site: Pick<Site, "status">;
  readonly zones: SiteZones;
  readonly tests: SiteTests;
  readonly loops: LoopTrials;
  readonly outputs: Pick<SiteOutputs, "list" | "test">;
  readonly metrics: Pick<SiteMetrics, "text">;
  readonly control: DaemonControl;
}

type RemoteSensing = { readonly [Name in keyof SensingComponents]: Remote<SensingComponents[Name]> };

export interface FrontOptions {
  readonly config: Config;
  readonly load: LoadOptions;
  readonly clock: Clock;
  readonly time: TrustedTime;
  readonly log: Log;
  readonly conditions: Conditions;
  readonly sensing: RemoteSensing;
  readonly records: RemoteRecords;
  readonly failpoint: Failpoint;
  /** Of the threads that it starts; undefined for none. */
  readonly threadFailpoint: string | undefined;
  /** Unique id of this run; prefix of its request ids. */
  readonly run: string;
  /** File descriptor of a listening socket from systemd; undefined to open one. */
  readonly httpDescriptor: number | undefined;
  /** Whether a port that cannot be opened is a condition instead of an error; by default not. */
  readonly waitsForPort?: boolean | undefined;
  /** Where this front listened before a defect ended it; undefined at the first start. */
  readonly earlier: FrontAddress | undefined;
}

/** Where the server listens. */
export interface FrontAddress {
  readonly host: string;
  readonly port: number;
  /** Port of the server for the daemon's own trips, on 127.0.0.1. */
  readonly loopbackPort: number;
}

/** Composition root of the front: the HTTP server with everything behind it, on read-only connections. */
export class DaemonFront {
  readonly #options: FrontOptions;
  /** Stop functions of the started components, called in reverse order, also after a failed start. */
  readonly #stops: (() => void | Promise<void>)[] = [];

  #tokens: TokenService | undefined;

  constructor(options: FrontOptions) {
    this.#options = options;
  }

  /** @throws AppError when the address or the certificate cannot be used; started components are stopped */
  async start(): Promise<FrontAddress> {
    try {
      return await this.#start();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** A token for posting trips. @throws AppError `unavailable` before the start */
  async deviceToken(): Promise<string> {
    if (!this.#tokens) throw new AppError("unavailable", "the local API is starting", { retryAfterS: 1 });
    return this.#tokens.deviceToken();
  }

  async stop(): Promise<void> {
    for (let stop = this.#stops.pop(); stop; stop = this.#stops.pop()) await stop();
  }

  async #start(): Promise<FrontAddress> {
    const { config, clock, log, load, records, sensing } = this.#options;
    const { dataDir, site } = config;
    const open = (name: string) => {
      const database = openReadOnly(join(dataDir, name));
      this.#stops.push(() => void database.close());
      return database;
    };
    const [database, journal] = [open("santinela.db"), open("journal.db")];
    const events = new EventNotes({ events: records.events, clock, log });
    this.#stops.push(() => events.stop());
    const watched = { clock, ...this.#watched("lists") };
    const longLists = new ListWorker(database.name, watched);
    const lists = new ListService({ database, longLists: new FairLists(longLists, clock) });
    // A person who chooses an objective waits for no search of records.
    const longObjectives = new ListWorker(database.name, watched);
    const turns = new FairLists(longObjectives, clock);
    const backupWorker = new BackupWorker(this.#watched("backup"));
    const settings = new SiteSettings({ config, clock, backupWorker, control: sensing.control });
    settings.start();
    this.#stops.push(() => settings.stop());
    const brokerPort = async () => (await sensing.site.status()).brokerPort;
    const discovery = new SiteDiscovery({ config, clock, brokerPort, loops: sensing.loops });
    this.#stops.push(() => discovery.stop());
    const signIns = new SqliteSignIns({ database, clock });
    const tokens = new TokenService({ signIns, events, clock, keys: this.#signingKeys() });
    this.#tokens = tokens;
    const fleet = new ThreadedFleet(records.fleet, database);
    const server = new DaemonServer({
      ...this.#options,
      parts: {
        records: new ThreadedRecords(records.records, { database, lists }),
        timezone: site.timezone,
        fleet,
        enrolments: limitedEnrolments(records.enrolments, { codes: codesIn(database, clock), events, clock }),
        siteScopes: new SqliteSiteScopes(database),
        objectives: new SqliteObjectives({ database, longLists: { reader: longObjectives, turns } }),
        tokens,
        accounts: records.accounts,
        events,
        settings,
        discovery,
        plans: { stored: new PlanStore(database), plans: records.plans },
        configuration: configurationParts({ ...this.#options, objectives: new ObjectiveStore(database) }),
        setup: { config, load },
        metrics: {
          token: () => config.metricsToken,
          text: () => sensing.metrics.text(),
          sites: () => fleetMetrics(fleet, clock),
        },
        site: this.#siteApi(database, journal),
      },
    });
    this.#stops.push(() => server.stop());
    const { address, loopbackPort } = await server.start();
    // Those since the end of an earlier front.
    records.fleet.reportsMissed().catch(() => {});
    // Stopped before the server, which waits for pending responses.
    this.#stops.push(() => backupWorker.stop());
    this.#stops.push(() => longLists.stop());
    this.#stops.push(() => longObjectives.stop());
    return { ...address, loopbackPort };
  }

  /** What a thread needs that is started when needed, so that its failure is a condition. */
  #watched(thread: OnDemandThread) {
    const failures = new ThreadFailures(thread, this.#options);
    failures.start();
    this.#stops.push(() => failures.stop());
    return { failures, failpoint: this.#options.threadFailpoint };
  }

  /** What the routes of /site read, on read-only connections. */
  #siteApi(database: Database, journal: Database): SiteApi {
    const { config, clock, records, sensing } = this.#options;
    return siteApi({
      ...sensing,
      config,
      clock,
      sync: records.sync,
      events: new EventLog(database),
      outbox: new OutboxStore(database),
      unfinished: new UnfinishedInterventions(database),
      objectives: new ObjectiveStore(database),
      centreObjectives: new UpstreamObjectiveStore(database),
      transmissions: new TransmissionStore(database),
      trips: new TripStore(journal),
      pastTrips: new PastTripStore(journal),
      faults: new FaultStore(journal),
      linkSamples: new LinkSampleStore(journal),
      endedWalkTests: new WalkTestStore(journal),
      walkTestArchive: new WalkTestArchive(database),
    });
  }

  /** A key that could not be stored must not prevent monitoring: it only ends sign-ins at the next start. */
  #signingKeys(): SigningKeys {
    const { config, conditions } = this.#options;
    return signingKeys(config.dataDir, (reason) =>
      conditions.raise(
        "key-damaged",
        `${reason}; all users must sign in again after the next start`,
        "sign-in",
      ),
    );
  }
}
