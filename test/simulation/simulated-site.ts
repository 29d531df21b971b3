import type { ApiRequest, Reply } from "../../src/client/api-client.ts";
import type { Clock } from "../../src/domain/clock.ts";
import type { Conditions } from "../../src/domain/condition.ts";
import type { Log } from "../../src/domain/log.ts";
import type { SyncTimeouts } from "../../src/domain/backoff.ts";
import type { InterventionService } from "../../src/service/interventions.ts";
import type { Database } from "../../src/store/database.ts";
import type { OutboxStore } from "../../src/store/outbox.ts";
import type { Push } from "../../src/sync/push.ts";
import type { SyncScheduler } from "../../src/sync/scheduler.ts";
import type { ManualClock } from "../support/manual-clock.ts";
import type { Build } from "./build.ts";
import type { FaultyCentre } from "./faulty-centre.ts";
import type { Random } from "./random.ts";
import { SimulatedThread } from "./simulated-thread.ts";

export interface SimulatedSiteOptions {
  readonly build: Build;
  readonly ref: string;
  readonly centre: FaultyCentre;
  readonly clock: ManualClock;
  readonly random: Random;
  readonly timeouts: SyncTimeouts;
  /** Probability of a power cut right before or right after a commit. */
  readonly crashRate: number;
  /** Calls the records by messages to a thread that ends now and then; undefined to call them directly. */
  readonly threads: Random | undefined;
}

const OBJECTIVES = {
  "obiective/cladiri": [1, 2, 3, 4, 5, 6].map((id) => ({ id, name: `Hall ${id}`, status: "active" })),
};

/** One installation with the real sync, services and schema, with power cuts at any commit. */
export class SimulatedSite {
  /** The records, called directly: to read them, and without threads also to change them. */
  readonly interventions: InterventionService;
  /** The records as the front calls them; undefined without threads. */
  readonly thread: SimulatedThread | undefined;
  readonly outbox: OutboxStore;
  readonly database: Database;
  crashes = 0;
  isPowerSafe = false;
  readonly #options: SimulatedSiteOptions;
  readonly #newUid: () => string;
  #running: Running | undefined;

  constructor(options: SimulatedSiteOptions) {
    this.#options = options;
    const { build, clock, ref, threads } = options;
    this.thread = threads && new SimulatedThread({ build, clock, random: threads });
    this.database = build.openMainDatabase(":memory:");
    // Enough for commits to memory; losses of a disk are tested elsewhere.
    this.database.pragma("synchronous = OFF");
    new build.ObjectiveService(this.database).import(OBJECTIVES, "config");
    this.outbox = new build.OutboxStore(this.database);
    let made = 0;
    this.#newUid = () => `${ref}-${(made += 1)}`;
    this.interventions = this.#newInterventions(this.database, clock);
  }

  #newInterventions(database: Database, clock: Clock): InterventionService {
    return new this.#options.build.InterventionService({
      database,
      clock,
      timezone: "Europe/Bucharest",
      dispeceratId: 7,
      newUid: this.#newUid,
      onChange: ({ priority }) => this.#running?.scheduler.requestRun({ urgent: priority === "high" }),
    });
  }

  start(): void {
    const { build, clock, random, timeouts, centre, ref } = this.#options;
    const power = new Power();
    const ported = portsOf(this.#options, power, (request) => centre.request(ref, request));
    const { client, log, conditions } = ported;
    const tokens = new build.TokenCache({
      client,
      email: `${ref}@site.example`,
      password: "p",
      clock: ported.clock,
      onSignIn: (headers) => build.storeCapabilities(new build.UpstreamCapabilities(this.database), headers),
    });
    const link = new build.Link({
      baseUrl: "http://centre",
      clock: ported.clock,
      random: () => random.next(),
      log,
      conditions,
    });
    const database = dying(this.database, build, power, () => this.#doesCrash(power));
    const end = (): void => (power.isOff || this.isPowerSafe ? undefined : this.crash());
    this.thread?.start(this.#newInterventions(database, ported.clock), {
      database,
      clock: ported.clock,
      end,
    });
    const push = new build.Push({
      database,
      centre: new build.UpstreamClient({ client, tokens, clock: ported.clock }),
      link,
      clock: ported.clock,
      random: () => random.next(),
      log,
      conditions,
      marker: "notes",
      siteRef: ref,
      timezone: "Europe/Bucharest",
      locale: "en",
      failpoint: () => {},
      timeouts,
    });
    const nextRunMs = (): number => Math.floor(clock.wallMs() / 60_000 + 1) * 60_000;
    const scheduler = new build.SyncScheduler({
      push,
      link,
      clock: ported.clock,
      log,
      conditions,
      nextRunMs,
    });
    this.#running = { power, push, scheduler };
    scheduler.start();
  }

  /** The services; undefined while the power is off. */
  get push(): Push | undefined {
    return this.#running?.push;
  }

  /** Cuts the power for a time. */
  crash(): void {
    const running = this.#running;
    if (!running) return;
    running.power.isOff = true;
    this.#running = undefined;
    this.crashes += 1;
    const offMs = this.thread?.end() ?? this.#options.random.between(1, 90_000);
    this.#options.clock.after(offMs, () => this.start());
  }

  #doesCrash(power: Power): boolean {
    if (this.isPowerSafe || power.isOff || !this.#options.random.chance(this.#options.crashRate))
      return false;
    this.crash();
    return true;
  }
}

interface Running {
  readonly power: Power;
  readonly push: Push;
  readonly scheduler: SyncScheduler;
}

class Power {
  isOff = false;
}

/** The ports of one process: without power its timers do not fire and its requests get no response. */
function portsOf(
  { clock }: SimulatedSiteOptions,
  power: Power,
  send: (request: ApiRequest) => Promise<Reply>,
) {
  const ported: Clock = {
    wallMs: () => clock.wallMs(),
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, action) => clock.after(delayMs, () => (power.isOff ? undefined : action())),
    afterEventLoopTurn: (action) => clock.afterEventLoopTurn(() => (power.isOff ? undefined : action())),
  };
  const request = async (asked: ApiRequest): Promise<Reply> => {
    if (power.isOff) return new Promise(() => {});
    const reply = await send(asked);
    return power.isOff ? new Promise(() => {}) : reply;
  };
  const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const conditions: Conditions = { raise: () => {}, clear: () => {} };
  return { clock: ported, client: { request }, log, conditions };
}

/** The database of one process, which can crash right before and right after a commit. */
function dying(database: Database, build: Build, power: Power, doesCrash: () => boolean): Database {
  const die = (): never => {
    throw new build.AppError("storage", "the power is off");
  };
  const commit = (): Database => {
    if (doesCrash()) {
      // Uncommitted data is lost at the power cut.
      database.exec("ROLLBACK");
      die();
    }
    database.exec("COMMIT");
    return doesCrash() ? die() : database;
  };
  /** The database or one of its statements, unusable once the power is off. */
  const guard = <T extends object>(part: T, replaced: Partial<T> = {}): T => {
    const guarded: T = new Proxy(part, {
      get(target, name) {
        if (power.isOff) return die;
        if (name in replaced) return Reflect.get(replaced, name) as unknown;
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...given: unknown[]) => {
          const result: unknown = Reflect.apply(member, target, given);
          return result === target ? guarded : result;
        };
      },
    });
    return guarded;
  };
  return guard(database, {
    prepare: (sql: string) => guard(database.prepare(sql)),
    exec: (sql: string) => (sql === "COMMIT" ? commit() : database.exec(sql)),
  });
}
