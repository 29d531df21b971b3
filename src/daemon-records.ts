import { join } from "node:path";
import type { Config } from "./config/config.ts";
import type { Clock, TrustedTime } from "./domain/clock.ts";
import type { Conditions } from "./domain/condition.ts";
import { messageOf } from "./domain/errors.ts";
import type { Log } from "./domain/log.ts";
import { localRemote, type Remote } from "./domain/remote.ts";
import { siteReport, type SiteReportFacts } from "./domain/site-report.ts";
import { requestIntegrityCheck } from "./ops/backups.ts";
import { openGuarded } from "./ops/guarded-database.ts";
import type { Failpoint } from "./ops/failpoint.ts";
import { isMachineUndecided } from "./ops/machine-identity.ts";
import { freeBytes, fullDisk, ReserveFile } from "./ops/reserve-file.ts";
import { recordsRetention, RetentionSchedule } from "./ops/retention-schedule.ts";
import { oneTimePassword } from "./ops/secrets.ts";
import { SetUpCode } from "./ops/set-up-code.ts";
import { TokenFile, type TokenAccount } from "./ops/token-file.ts";
import { AccountService } from "./service/accounts.ts";
import { EventService } from "./service/events.ts";
import { ensureAdministrator, ObjectiveSeeds } from "./service/first-run.ts";
import { InterventionService } from "./service/interventions.ts";
import { SilenceWatch } from "./service/silence-watch.ts";
import { SqliteEnrolments } from "./service/sqlite-enrolments.ts";
import { SqliteFleet } from "./service/sqlite-fleet.ts";
import { ListService } from "./service/lists.ts";
import { PlanService } from "./service/plans.ts";
import { ObjectiveService } from "./service/objectives.ts";
import { SqliteRecords } from "./service/sqlite-records.ts";
import { WalkTestCopies } from "./service/walk-test-copies.ts";
import { isStorageError, type Database } from "./store/database.ts";
import { isDamage } from "./store/integrity.ts";
import { MAIN_DATABASE } from "./store/main-database.ts";
import { OutboxStore } from "./store/outbox.ts";
import { SiteReferences } from "./store/site-references.ts";
import { SyncPort } from "./sync/sync-port.ts";
import { CurrentTransmitter } from "./sync/transmitter/current-transmitter.ts";

export interface RecordsOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly time: TrustedTime;
  /** Of the machine, from the kernel. */
  readonly bootId?: string;
  readonly log: Log;
  readonly conditions: Conditions;
  readonly failpoint: Failpoint;
  /** Random number in [0, 1). */
  readonly random: () => number;
  /** Returns a UUID of version 7. */
  readonly newKey: () => string;
  /** Called after each committed change of a record. */
  readonly onChange: () => void;
  /** What the sensing thread knows for a report of this site; undefined while it is starting. */
  readonly siteReportFacts: () => Promise<SiteReportFacts | undefined>;
}

/** What the other threads may call. */
interface RecordsComponents {
  readonly records: SqliteRecords;
  readonly accounts: AccountService;
  readonly events: EventService;
  readonly objectives: ObjectiveSeeds;
  readonly sync: SyncPort;
  readonly fleet: SqliteFleet;
  readonly enrolments: SqliteEnrolments;
  readonly plans: PlanService;
  readonly silence: SilenceWatch;
  readonly walkTests: WalkTestCopies;
}

export type RemoteRecords = { readonly [Name in keyof RecordsComponents]: Remote<RecordsComponents[Name]> };

/** The initial administrator, created at the first start; undefined later. */
export type NewAdministrator = { readonly email: string; readonly password: string } | undefined;

/** Composition root of the records: the only writer of `santinela.db`, with the sync and its own retention. */
export class DaemonRecords {
  readonly components: RecordsComponents;
  readonly #config: Config;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #failpoint: Failpoint;
  readonly #setUpCode: SetUpCode;
  readonly #database: Database;
  readonly #retention: RetentionSchedule;

  /** @throws AppError `storage` if the database cannot be used; errors of SQLite if it is damaged */
  constructor(options: RecordsOptions) {
    const { config, clock, log, failpoint, newKey, onChange } = options;
    const { dataDir, site, upstream, upstreams, zones } = config;
    this.#config = config;
    this.#clock = clock;
    this.#log = log;
    this.#failpoint = failpoint;
    this.#setUpCode = new SetUpCode(dataDir);
    const path = join(dataDir, "santinela.db");
    const database = openGuarded(path, MAIN_DATABASE, {
      ...options,
      dataDir,
      reserveFile: new ReserveFile(dataDir),
    });
    this.#database = database;
    const tokenStore = (account: TokenAccount): TokenFile =>
      new TokenFile({ dataDir, log: options.log }, account);
    const isHeld = (): boolean => isMachineUndecided(dataDir);
    const journal = join(dataDir, "journal.db");
    const transmitter = new CurrentTransmitter(upstreams[0] ?? null, zones, {
      ...options,
      database,
      journal,
      isHeld,
    });
    const sync = new SyncPort(upstream, transmitter, {
      ...options,
      site,
      database,
      tokenStore,
      report: reportOf(options, new OutboxStore(database)),
      onDamage: (error) => requestIntegrityCheck(dataDir, messageOf(error)),
      isHeld,
    });
    const interventions = new InterventionService({
      ...site,
      database,
      clock,
      newUid: newKey,
      isDiskFull: fullDisk(dataDir, clock),
      onChange: (change) => {
        options.failpoint("record-changed");
        sync.changed(change);
        onChange();
      },
    });
    const fleet = new SqliteFleet({ ...site, database, clock, interventions });
    const silence = new SilenceWatch({ ...options, fleet, times: config.fleet });
    this.components = {
      records: new SqliteRecords(interventions, new ListService({ database })),
      accounts: new AccountService({ database, clock, onClaimed: () => this.#setUpCode.forget(log) }),
      events: new EventService({ database, clock }),
      objectives: new ObjectiveSeeds(new ObjectiveService(database), site.locale, (users) =>
        sync.useObjectives(users),
      ),
      sync,
      fleet,
      enrolments: new SqliteEnrolments({ database, clock, newCode: oneTimePassword }),
      plans: new PlanService({ database, clock }),
      silence,
      walkTests: new WalkTestCopies({ ...options, database, journal }),
    };
    this.#retention = new RetentionSchedule({
      ...options,
      freeBytes: () => freeBytes(dataDir),
      removal: (wallMs, uptimeMs) => recordsRetention(database, site.auditDays, { wallMs, uptimeMs }),
    });
  }

  /** Adds what the first request and the first trip need: objectives, the device account, an administrator. */
  async start(): Promise<NewAdministrator> {
    const { accounts, objectives, silence, walkTests } = this.components;
    const { objectives: imported, zones, dc09 } = this.#config;
    objectives.seed(imported, zones, dc09?.accounts ?? []);
    let announced: NewAdministrator;
    const code = (): string => this.#setUpCode.create(this.#log);
    await ensureAdministrator(localRemote(accounts), code, (account) => {
      announced = account;
    });
    if (announced) this.#failpoint("administrator-added");
    // Used, but a power cut has come before its removal.
    if (accounts.initialAdministrator() === undefined) this.#setUpCode.forget(this.#log);
    accounts.ensureDevice();
    this.#noteReference();
    this.#retention.start();
    silence.start();
    walkTests.start();
    return announced;
  }

  /** So that a backup shows of which site it is. */
  #noteReference(): void {
    try {
      new SiteReferences(this.#database).note(this.#config.site.ref);
    } catch (error) {
      // The disk is full: the next start tries again.
      if (!isStorageError(error)) throw error;
      this.#log.warn("site-reference-write-failed", { error });
    }
  }

  /** Finishes the requests to the dispatch centre in flight and the last commit, and closes the database. */
  async stop(): Promise<void> {
    this.#retention.stop();
    this.components.walkTests.stop();
    await this.components.silence.stop();
    await this.components.sync.stop();
    await new Promise<void>((resolve) => {
      this.#clock.afterEventLoopTurn(resolve);
    });
    this.#database.close();
  }
}

/**
 * Joins what sensing and the records know into a report. It is sent without the outbox too, if that is damaged: without any report
 * the dispatch centre would take the site for silent.
 */
function reportOf(
  {
    siteReportFacts,
    clock,
    conditions,
    config,
  }: Pick<RecordsOptions, "siteReportFacts" | "clock" | "conditions" | "config">,
  outbox: OutboxStore,
) {
  return async () => {
    const state = await siteReportFacts();
    if (!state) return undefined;
    try {
      const synced = { outbox: outbox.summary(), comparison: outbox.comparison() };
      return siteReport(state, synced, clock.wallMs());
    } catch (error) {
      if (!isDamage(error)) throw error;
      const problem = `santinela.db: ${messageOf(error)}`;
      requestIntegrityCheck(config.dataDir, problem);
      conditions.raise("database-damaged", { problem });
      return siteReport(withDamage(state), { outbox: NOTHING_READ, comparison: null }, clock.wallMs());
    }
  };
}

const NOTHING_READ = { waiting: 0, oldestWaitingMs: null };

/** The facts of a site with the condition, which sensing may not know yet. */
function withDamage(facts: SiteReportFacts): SiteReportFacts {
  return { ...facts, conditions: [...new Set(["database-damaged", ...facts.conditions])] };
}
