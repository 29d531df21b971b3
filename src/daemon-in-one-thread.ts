import type { Config } from "./config/config.ts";
import { DaemonFront, type FrontAddress, type FrontOptions, type SensingComponents } from "./daemon-front.ts";
import {
  DaemonRecords,
  type NewAdministrator,
  type RecordsOptions,
  type RemoteRecords,
} from "./daemon-records.ts";
import type { DaemonParts, ReloadedCentre } from "./daemon-threads.ts";
import type { LinkStatus } from "./domain/link-status.ts";
import { localRemote } from "./domain/remote.ts";
import type { Broker } from "./inputs/broker.ts";
import { BuiltInBroker, type BuiltInBrokerOptions } from "./inputs/built-in-broker.ts";

/** All parts in the calling thread: for tests with a clock and a machine of their own. */
export class SingleThreadParts implements DaemonParts {
  readonly #options: RecordsOptions & Pick<FrontOptions, "load" | "time" | "run">;
  #records: DaemonRecords | undefined;
  #front: DaemonFront | undefined;

  constructor(options: RecordsOptions & Pick<FrontOptions, "load" | "time" | "run">) {
    this.#options = options;
  }

  get records(): RemoteRecords {
    const { records, accounts, events, objectives, sync, fleet, enrolments, plans, silence, walkTests } =
      this.#running.components;
    return {
      records: localRemote(records),
      accounts: localRemote(accounts),
      events: localRemote(events),
      objectives: localRemote(objectives),
      sync: localRemote(sync),
      fleet: localRemote(fleet),
      enrolments: localRemote(enrolments),
      plans: localRemote(plans),
      silence: localRemote(silence),
      walkTests: localRemote(walkTests),
    };
  }

  get link(): LinkStatus {
    return this.#running.components.sync.link();
  }

  readonly takeUses = () => new Map<never, never>();
  readonly isSilent = false;

  startRecords(): Promise<NewAdministrator> {
    this.#records = new DaemonRecords(this.#options);
    return this.#records.start();
  }

  async startSync(): Promise<void> {
    this.#running.components.sync.start();
  }

  async stopRecords(): Promise<boolean> {
    await this.#records?.stop();
    return true;
  }

  startFront({
    site,
    zones,
    tests,
    loops,
    outputs,
    metrics,
    control,
  }: SensingComponents): Promise<FrontAddress> {
    const sensing = {
      site: localRemote(site),
      zones: localRemote(zones),
      tests: localRemote(tests),
      loops: localRemote(loops),
      outputs: localRemote(outputs),
      metrics: localRemote(metrics),
      control: localRemote(control),
    };
    const { records } = this;
    this.#front = new DaemonFront({
      ...this.#options,
      sensing,
      records,
      httpDescriptor: undefined,
      earlier: undefined,
      threadFailpoint: undefined,
    });
    return this.#front.start();
  }

  newBroker(options: BuiltInBrokerOptions): Broker {
    return new BuiltInBroker(options);
  }

  async deviceToken(): Promise<string> {
    if (!this.#front) throw new Error("the front is not started");
    return this.#front.deviceToken();
  }

  async stopFront(): Promise<boolean> {
    await this.#front?.stop();
    return true;
  }

  /** The front reads the configuration in force, which is the same object. */
  zoneCreated(): void {}

  async reloaded(next: Config, { hasOtherCentre, siteRef }: ReloadedCentre): Promise<void> {
    const { sync, silence } = this.#running.components;
    silence.use(next.fleet);
    if (hasOtherCentre) await sync.exchange(next.upstream, siteRef);
    await sync.exchangeTransmitter(next.upstreams[0] ?? null, next.zones);
  }

  get #running(): DaemonRecords {
    if (!this.#records) throw new Error("the records are not started");
    return this.#records;
  }
}
