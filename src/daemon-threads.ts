import { MessageChannel } from "node:worker_threads";
import type { Config } from "./config/config.ts";
import { immediateSections } from "./config/reload.ts";
import { ThreadedBroker } from "./daemon-broker.ts";
import type { FrontAddress, SensingComponents } from "./daemon-front.ts";
import type { NewAdministrator, RemoteRecords } from "./daemon-records.ts";
import type { ConditionRegistry } from "./ops/condition-registry.ts";
import type { JsonLog } from "./ops/log.ts";
import type { Clock } from "./domain/clock.ts";
import { STANDALONE, type LinkStatus } from "./domain/link-status.ts";
import type { SiteReportFacts } from "./domain/site-report.ts";
import type { Broker } from "./inputs/broker.ts";
import type { BuiltInBrokerOptions } from "./inputs/built-in-broker.ts";
import { clearConditionsOfCentre } from "./domain/centre-conditions.ts";
import { unavailable } from "./threads/channel.ts";
import { unlessRestarting } from "./threads/restarting.ts";
import type { ThreadUse } from "./ops/thread-use.ts";
import { SupervisedThread, type ThreadName } from "./threads/supervised-thread.ts";
import type { SharedLogLevel } from "./threads/thread-log.ts";
import type { FrontControl, FrontThreadData } from "./front-thread.ts";
import type { RecordsThreadData } from "./records-thread.ts";

/** What the records report to the sensing thread, and ask of it. */
export interface RecordsObserver {
  /** A record has changed and is durable. */
  changed(): void;
  link(status: LinkStatus): void;
  /** For a report of this site; undefined while the inputs are starting. */
  siteReportFacts(): SiteReportFacts | undefined;
}

/** The other parts of a running daemon, wherever they run. */
export interface DaemonParts {
  readonly records: RemoteRecords;
  /** The newest known state of the link. */
  readonly link: LinkStatus;
  /** What each other thread uses, with its longest delay since the last call; without those that have not answered yet. */
  takeUses(): ReadonlyMap<ThreadName, ThreadUse>;
  /** Whether a part does not answer, so that the process must be restarted. */
  readonly isSilent: boolean;
  startRecords(): Promise<NewAdministrator>;
  /** Starts the sync, once everything else has started. */
  startSync(): Promise<void>;
  /** @returns whether its files are closed, as `stopFront` */
  stopRecords(): Promise<boolean>;
  startFront(sensing: SensingComponents): Promise<FrontAddress>;
  /** A token for posting trips to the front. */
  deviceToken(): Promise<string>;
  stopFront(): Promise<boolean>;
  /** The built-in broker, not started. */
  newBroker(options: BuiltInBrokerOptions): Broker;
  /** Uses zones of which an alarm panel has just created one; they are in force already. */
  zoneCreated(zones: Config["zones"]): void;
  /** Uses the sections of a changed configuration that take effect at once; they are in force already. */
  reloaded(next: Config, changed: ReloadedCentre): Promise<void>;
}

/** What a reload has changed about the dispatch centre. */
export interface ReloadedCentre {
  readonly hasOtherCentre: boolean;
  /** `site.ref` in force. */
  readonly siteRef: string;
}

interface ThreadedPartsOptions {
  /** The configuration in force; copied at each start of a thread. */
  readonly config: Config;
  readonly clock: Clock;
  readonly log: JsonLog;
  readonly logLevel: SharedLogLevel;
  readonly conditions: ConditionRegistry;
  readonly failpoint: string | undefined;
  readonly load: FrontThreadData["load"];
  /** Of the boot of the machine: a thread cannot read it where /proc has only processes. */
  readonly bootId?: string | undefined;
  /** A unique id for each start of the front. */
  readonly newRun: () => string;
  /** The next descriptor of the listening socket from systemd; undefined to open one. */
  readonly nextDescriptor: () => number | undefined;
  readonly waitsForPort?: boolean;
  readonly onChange: () => void;
  readonly siteReportFacts: () => SiteReportFacts | undefined;
}

/** Heap of one connection with a request under way: ten thousand that wrote at once filled 96 MB. */
const CONNECTION_MB = 0.03;

/** Each in its own thread. */
export class ThreadedParts implements DaemonParts {
  readonly records: RemoteRecords;
  link: LinkStatus;
  readonly #options: ThreadedPartsOptions;
  readonly #recordsThread: SupervisedThread<NewAdministrator>;
  #frontThread: SupervisedThread<FrontAddress> | undefined;
  #broker: ThreadedBroker | undefined;

  constructor(options: ThreadedPartsOptions) {
    const { config, logLevel, failpoint, bootId, onChange, siteReportFacts } = options;
    this.#options = options;
    this.link = config.upstream ? { ...STANDALONE, state: "unknown" } : STANDALONE;
    const observer: RecordsObserver = {
      changed: onChange,
      link: (status) => {
        this.link = status;
      },
      siteReportFacts,
    };
    this.#recordsThread = new SupervisedThread({
      ...options,
      name: "records",
      entry: new URL("records-thread.js", import.meta.url),
      data: (): RecordsThreadData => ({
        config: { ...config },
        failpoint,
        bootId,
        logLevel: logLevel.memory,
      }),
      components: { observer },
      // Those of single records, which it does not know after its next start; what still applies is raised again.
      onFailed: () => options.conditions.clearAll("outbox-write-failed"),
    });
    this.records = {
      records: this.#recordsThread.remote("records"),
      accounts: this.#recordsThread.remote("accounts"),
      events: this.#recordsThread.remote("events"),
      objectives: this.#recordsThread.remote("objectives"),
      sync: this.#recordsThread.remote("sync"),
      fleet: this.#recordsThread.remote("fleet"),
      enrolments: this.#recordsThread.remote("enrolments"),
      plans: this.#recordsThread.remote("plans"),
      silence: this.#recordsThread.remote("silence"),
      walkTests: this.#recordsThread.remote("walkTests"),
    };
  }

  takeUses(): ReadonlyMap<ThreadName, ThreadUse> {
    const threads = { records: this.#recordsThread, front: this.#frontThread, broker: this.#broker } as const;
    const uses = new Map<ThreadName, ThreadUse>();
    for (const name of ["records", "front", "broker"] as const) {
      const use = threads[name]?.takeUse();
      if (use) uses.set(name, use);
    }
    return uses;
  }

  get isSilent(): boolean {
    return this.#recordsThread.isSilent || this.#frontThread?.isSilent === true;
  }

  startRecords(): Promise<NewAdministrator> {
    return this.#recordsThread.start(() => {
      this.#connect();
      this.records.sync.start().catch((error: unknown) => {
        // It has ended again, and its next start follows.
        this.#options.log.warn("sync-start-failed", { error });
      });
    });
  }

  async startSync(): Promise<void> {
    await unlessRestarting(this.records.sync.start());
  }

  stopRecords(): Promise<boolean> {
    return this.#recordsThread.stop();
  }

  async startFront(sensing: SensingComponents): Promise<FrontAddress> {
    let address: FrontAddress | undefined;
    const { config, load, logLevel, newRun, nextDescriptor, waitsForPort, failpoint } = this.#options;
    this.#frontThread = new SupervisedThread<FrontAddress>({
      ...this.#options,
      name: "front",
      entry: new URL("front-thread.js", import.meta.url),
      moreHeapMb: Math.ceil(config.http.connectionsMax * CONNECTION_MB),
      data: (): FrontThreadData => ({
        config: { ...config },
        load,
        run: newRun(),
        failpoint,
        httpDescriptor: nextDescriptor(),
        waitsForPort,
        // A front that is started again is where its clients and the dispatcher expect it.
        earlier: address,
        logLevel: logLevel.memory,
      }),
      components: { ...sensing },
      // Its next run counts the writes of each site from zero.
      onFailed: () => this.#options.conditions.clearAll("site-writes-limited"),
      onSpawned: () => this.#connect(),
    });
    address = await this.#frontThread.start(() => {});
    return address;
  }

  async deviceToken(): Promise<string> {
    if (!this.#frontThread) throw unavailable();
    return this.#frontThread.remote<FrontControl>("thread").deviceToken();
  }

  async stopFront(): Promise<boolean> {
    return (await this.#frontThread?.stop()) ?? true;
  }

  newBroker(options: BuiltInBrokerOptions): Broker {
    this.#broker = new ThreadedBroker(options, this.#options);
    return this.#broker;
  }

  /** The records need none: they look a created zone up in the journal. */
  zoneCreated(zones: Config["zones"]): void {
    const front = this.#frontThread?.remote<FrontControl>("thread");
    front?.reloaded({ zones }).catch(() => "its next start uses the zones in force");
  }

  async reloaded(next: Config, { hasOtherCentre, siteRef }: ReloadedCentre): Promise<void> {
    const front = this.#frontThread?.remote<FrontControl>("thread");
    await unlessRestarting(front?.reloaded(immediateSections(this.#options.config, next)));
    const { sync, silence } = this.records;
    await unlessRestarting(silence.use(next.fleet));
    // The next start of the records knows nothing of the former centre.
    if (hasOtherCentre && !(await unlessRestarting(sync.exchange(next.upstream, siteRef))))
      clearConditionsOfCentre(this.#options.conditions);
    await unlessRestarting(sync.exchangeTransmitter(next.upstreams[0] ?? null, next.zones));
  }

  /** Connects the front with the records: without this thread in between. */
  #connect(): void {
    const { port1, port2 } = new MessageChannel();
    this.#recordsThread.pass(port1);
    this.#frontThread?.pass(port2);
  }
}
