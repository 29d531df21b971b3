import type { Config, DatabaseConfig } from "./config/config.ts";
import { type Clock, pause } from "./domain/clock.ts";
import type { Conditions } from "./domain/condition.ts";
import { AppError, messageOf } from "./domain/errors.ts";
import type { Log } from "./domain/log.ts";
import { newKey, oneTimePassword } from "./ops/secrets.ts";
import { ComparedConfiguration } from "./postgres/compared-configuration.ts";
import { PostgresConnections } from "./postgres/connection.ts";
import { PostgresKnownSites } from "./postgres/known-sites.ts";
import { migrate } from "./postgres/migrations.ts";
import { PostgresAccounts } from "./postgres/postgres-accounts.ts";
import { PostgresEnrolments } from "./postgres/postgres-enrolments.ts";
import { PostgresEvents } from "./postgres/postgres-events.ts";
import { PostgresFleet } from "./postgres/postgres-fleet.ts";
import { PostgresLists } from "./postgres/postgres-lists.ts";
import { PostgresObjectives } from "./postgres/postgres-objectives.ts";
import { PostgresRecords } from "./postgres/postgres-records.ts";
import { PostgresSignIns } from "./postgres/postgres-sign-ins.ts";
import { PostgresSigningKeys } from "./postgres/signing-keys.ts";
import { PostgresSiteScopes } from "./postgres/site-scopes.ts";
import { PostgresUnfinished } from "./postgres/unfinished-records.ts";
import { ensureAdministrator } from "./service/first-run.ts";

/** Time between two attempts to reach the database at the start. */
const RETRY_MS = 2_000;

export interface CentreDatabaseOptions {
  readonly config: Config & { readonly database: DatabaseConfig };
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

/** Everything of a dispatch centre that is in PostgreSQL. */
export class CentreDatabase {
  readonly connections: PostgresConnections;
  readonly records: PostgresRecords;
  readonly accounts: PostgresAccounts;
  readonly objectives: PostgresObjectives;
  readonly events: PostgresEvents;
  readonly signIns: PostgresSignIns;
  readonly fleet: PostgresFleet;
  readonly unfinished: PostgresUnfinished;
  readonly sites: PostgresKnownSites;
  readonly siteScopes: PostgresSiteScopes;
  readonly enrolments: PostgresEnrolments;
  readonly keys: PostgresSigningKeys;
  readonly #lists: PostgresLists;
  readonly #options: CentreDatabaseOptions;
  /** Of the administrator that this process adds. */
  #initialPassword: string | undefined;
  #isAnnounced = false;

  constructor(options: CentreDatabaseOptions) {
    const { config, clock, log, conditions } = options;
    this.#options = options;
    const connections = new PostgresConnections(config.database, log, (reason) => {
      if (reason === null) conditions.clear("database-unavailable");
      else conditions.raise("database-unavailable", { reason });
    });
    this.connections = connections;
    const newUid = (): string => newKey(clock.wallMs());
    const lists = new PostgresLists(config.database, log, { connections, clock });
    this.#lists = lists;
    this.records = new PostgresRecords({ ...config.site, connections, lists, clock, newUid });
    this.accounts = new PostgresAccounts({ connections, clock });
    this.objectives = new PostgresObjectives(connections, lists);
    this.events = new PostgresEvents(connections, clock);
    this.signIns = new PostgresSignIns(connections, clock);
    const configuration = new ComparedConfiguration(config, conditions);
    this.fleet = new PostgresFleet({ ...config.site, connections, clock, newUid, configuration });
    this.enrolments = new PostgresEnrolments({ connections, clock, newCode: oneTimePassword });
    this.unfinished = new PostgresUnfinished(connections);
    this.sites = new PostgresKnownSites(connections, clock);
    this.siteScopes = new PostgresSiteScopes(connections);
    this.keys = new PostgresSigningKeys(connections);
  }

  /**
   * Does what a start needs of the database, waiting while no primary can be reached, or none confirms a commit.
   * @param work can be repeated
   * @param isStopping ends the wait
   * @throws AppError `unavailable` when stopped; other errors of `work` as they are
   */
  async whenAvailable<T>(work: () => Promise<T>, isStopping: () => boolean): Promise<T> {
    for (;;)
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "unavailable" || isStopping()) throw error;
        const reason = messageOf(error.cause ?? error);
        this.#options.log.warn("database-unavailable", { reason, retryInS: RETRY_MS / 1000 });
        await pause(this.#options.clock, RETRY_MS);
      }
  }

  /**
   * Brings the schema up to date.
   * @returns the number of schema steps that were added
   * @throws AppError `storage` for the schema of a newer release, `unavailable` without a primary
   */
  migrate(): Promise<number> {
    return migrate(this.connections);
  }

  /** Adds the configured objectives, and an administrator at the very first start of all processes. */
  async seed(announce: (account: { email: string; password: string }) => Promise<void>): Promise<void> {
    const { objectives } = this.#options.config;
    await this.objectives.import(objectives, "config");
    await this.objectives.release(objectives);
    // Repairs of silent sites are records of the device account.
    await this.accounts.ensureDevice();
    // A repeated attempt has the password of the first, whose commit may only be late: one password is shown.
    const newPassword = (): string => (this.#initialPassword ??= oneTimePassword());
    const announceOnce: typeof announce = async (account) => {
      if (!this.#isAnnounced) await announce(account);
      this.#isAnnounced = true;
    };
    await ensureAdministrator(this.accounts, newPassword, announceOnce).catch(async (error: unknown) => {
      // Another process has added it at the same time, and has announced it.
      if (!(await this.accounts.hasSignInAccounts())) throw error;
    });
  }

  async close(): Promise<void> {
    await this.#lists.close();
    await this.connections.close();
  }
}
