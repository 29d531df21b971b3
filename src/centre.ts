import { join } from "node:path";
import { CentreDatabase } from "./centre-database.ts";
import { CentreKeys } from "./centre-keys.ts";
import type { Config, DatabaseConfig } from "./config/config.ts";
import { DaemonServer } from "./daemon-server.ts";
import type { Clock } from "./domain/clock.ts";
import { AppError } from "./domain/errors.ts";
import { VERSION } from "./generated/version.ts";
import { ConditionRegistry } from "./ops/condition-registry.ts";
import { hostOf } from "./ops/host.ts";
import { JsonLog } from "./ops/log.ts";
import { returnedRelease } from "./ops/returned-release.ts";
import { newKey, prepareDataDir } from "./ops/secrets.ts";
import { assertNothingLeft } from "./ops/stopped-centre.ts";
import { QUERY_TIMEOUT_MS } from "./postgres/pool.ts";
import { PostgresMovedRows } from "./postgres/moved-rows.ts";
import { RetentionTimer } from "./postgres/retention-timer.ts";
import { limitedEnrolments } from "./service/limited-enrolments.ts";
import { EventNotes } from "./service/event-notes.ts";
import { SilenceWatch } from "./service/silence-watch.ts";
import { TokenService } from "./service/tokens.ts";
import { centreApi } from "./site/centre-api.ts";
import { CentreMetrics } from "./site/centre-metrics.ts";
import { fleetMetrics } from "./site/fleet-metrics.ts";
import { takeInstanceLock } from "./store/instance-lock.ts";

export interface CentreOptions {
  readonly config: Config & { readonly database: DatabaseConfig };
  readonly clock: Clock;
  /** Writes one complete log line. */
  readonly write: (line: string) => void;
  readonly forJournald: boolean;
  /** Shows the initial administrator's one-time password; it is not stored in readable form and must not be logged. */
  readonly announceInitialPassword: (account: { email: string; password: string }) => Promise<void>;
  /** File descriptor of a listening socket from systemd; undefined to open one. */
  readonly httpDescriptor: number | undefined;
}

/** Where the server listens. */
export interface CentreAddress {
  readonly host: string;
  readonly port: number;
}

/** Composition root of one process of a dispatch centre on PostgreSQL. Any number of processes share one database. */
export class Centre {
  readonly #options: CentreOptions;
  readonly #log: JsonLog;
  readonly #health: ConditionRegistry;
  /** Stop functions of the started components, called in reverse order, also after a failed start. */
  readonly #stops: (() => void | Promise<void>)[] = [];
  #isStopping = false;

  constructor(options: CentreOptions) {
    const { config, clock } = options;
    this.#options = options;
    this.#log = new JsonLog({ ...options, level: config.log.level });
    this.#health = new ConditionRegistry(clock, this.#log);
  }

  /**
   * Starts everything; waits while the database has no primary, or confirms no commit.
   * @throws AppError if the address or the certificate is unusable, or the schema belongs to a newer release
   */
  async start(): Promise<CentreAddress> {
    try {
      return await this.#start();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Answers SIGHUP, which reloads the configuration of other daemons: here a changed file needs a restart. */
  rejectReload(): void {
    const reason = "a dispatch centre on PostgreSQL reads its configuration at its start only: restart it";
    this.#log.warn("configuration-reload-failed", { reason });
  }

  /** Finishes the requests in progress and closes the connections. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const isRunning = this.#stops.length > 0;
    for (let stop = this.#stops.pop(); stop; stop = this.#stops.pop()) await stop();
    if (isRunning) this.#log.info("stopped");
  }

  async #start(): Promise<CentreAddress> {
    const { config, clock } = this.#options;
    const common = { clock, log: this.#log, conditions: this.#health };
    for (const warning of config.warnings) this.#log.warn("configuration-warning", { warning });
    prepareDataDir(config.dataDir);
    const version = returnedRelease();
    if (version !== undefined) this.#health.raise("release-returned", { version });
    const database = new CentreDatabase({ ...common, config });
    this.#stops.push(() => database.close());
    const sharedKeys = new CentreKeys({ ...common, store: database.keys });
    const { current, others } = await database.whenAvailable(
      () => this.#prepare(database, sharedKeys),
      () => this.#isStopping,
    );
    // Not sooner: a write that had no answer shows only after that time that it still waits in the server.
    const retryMs = QUERY_TIMEOUT_MS;
    const events = new EventNotes({ events: database.events, clock, log: this.#log, retryMs });
    this.#stops.push(() => events.stop());
    const nowMs = (): number => sharedKeys.nowMs();
    const { signIns } = database;
    const tokens = new TokenService({ signIns, events, clock, keys: { current }, nowMs });
    tokens.useKeys(current, others);
    this.#stops.push(sharedKeys.follow(tokens));
    const silence = new SilenceWatch({ ...common, fleet: database.fleet, times: config.fleet });
    this.#stops.push(() => silence.stop());
    const retention = new RetentionTimer({ ...common, ...config.site, connections: database.connections });
    this.#stops.push(() => retention.stop());
    retention.start();
    const server = this.#server(database, { tokens, events });
    this.#stops.push(() => server.stop());
    const { address } = await server.start();
    database.fleet.reportsBegin();
    silence.start();
    const tls = config.http.tls.mode !== "off";
    this.#log.info("ready", { version: VERSION, ...address, tls, role: "centre" });
    return address;
  }

  /** Everything that a start reads and writes in the database. @returns the signing keys */
  async #prepare(database: CentreDatabase, keys: CentreKeys): ReturnType<CentreKeys["read"]> {
    const { config, announceInitialPassword } = this.#options;
    const added = await database.migrate();
    if (added > 0) this.#log.info("schema-migrated", { steps: added });
    await assertNothingLeft(config.dataDir, new PostgresMovedRows(database.connections));
    await database.seed(announceInitialPassword);
    return keys.read();
  }

  #server(
    database: CentreDatabase,
    { tokens, events }: { readonly tokens: TokenService; readonly events: EventNotes },
  ): DaemonServer {
    const { config, clock, httpDescriptor } = this.#options;
    const {
      records,
      objectives,
      fleet,
      accounts,
      unfinished,
      sites,
      siteScopes,
      enrolments,
      events: log,
    } = database;
    const site = centreApi({ config, clock, health: this.#health, unfinished, sites, events: log });
    const metrics = new CentreMetrics({ site });
    const newId = (): string => newKey(clock.wallMs());
    return new DaemonServer({
      config,
      clock,
      log: this.#log,
      conditions: this.#health,
      time: hostOf(clock, newId).time,
      failpoint: () => {},
      run: newId().slice(-8),
      httpDescriptor,
      earlier: undefined,
      controlSocket: this.#controlSocket(),
      parts: {
        records,
        timezone: config.site.timezone,
        fleet,
        objectives,
        tokens,
        accounts,
        events,
        siteScopes,
        enrolments: limitedEnrolments(enrolments, { codes: enrolments, events, clock }),
        settings: undefined,
        setup: undefined,
        discovery: undefined,
        plans: undefined,
        configuration: undefined,
        metrics: {
          token: () => config.metricsToken,
          text: () => metrics.text(),
          sites: () => fleetMetrics(fleet, clock),
        },
        site,
      },
    });
  }

  /** The first process in a data directory has the usual control socket; others there have one of their own. */
  #controlSocket(): string {
    const { dataDir } = this.#options.config;
    try {
      this.#stops.push(takeInstanceLock(join(dataDir, "lock.db")));
      return join(dataDir, "control.sock");
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "busy") throw error;
      return join(dataDir, `control-${process.pid}.sock`);
    }
  }
}
