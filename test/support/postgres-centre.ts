import { randomUUID } from "node:crypto";
import type { LoggedEvent } from "../../src/domain/event.ts";
import { localRemote } from "../../src/domain/remote.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { oneTimePassword } from "../../src/ops/secrets.ts";
import { PostgresConnections } from "../../src/postgres/connection.ts";
import { migrate } from "../../src/postgres/migrations.ts";
import { PostgresAccounts } from "../../src/postgres/postgres-accounts.ts";
import { PostgresEnrolments } from "../../src/postgres/postgres-enrolments.ts";
import { PostgresEvents } from "../../src/postgres/postgres-events.ts";
import { PostgresFleet } from "../../src/postgres/postgres-fleet.ts";
import { PostgresLists } from "../../src/postgres/postgres-lists.ts";
import { PostgresObjectives } from "../../src/postgres/postgres-objectives.ts";
import { PostgresRecords } from "../../src/postgres/postgres-records.ts";
import { PostgresSiteScopes } from "../../src/postgres/site-scopes.ts";
import { PostgresSignIns } from "../../src/postgres/postgres-sign-ins.ts";
import { EventNotes } from "../../src/service/event-notes.ts";
import { eventually } from "./eventually.ts";
import { ManualClock } from "./manual-clock.ts";

interface CentreLimits {
  /** Time limit of a list, milliseconds. */
  readonly listMsMax?: number;
  /** Of so many records every list is short. */
  readonly recordsFewMax?: number;
  /** Connections for reads, and for writes, besides those of lists. */
  readonly connectionsMax?: number;
}

/** One process of a centre as far as its database: what the routes call. Several may share a database. */
export class PostgresCentre {
  readonly clock: ManualClock;
  readonly log: JsonLog;
  readonly connections: PostgresConnections;
  readonly lists: PostgresLists;
  readonly records: PostgresRecords;
  readonly accounts: PostgresAccounts;
  readonly objectives: PostgresObjectives;
  readonly enrolments: PostgresEnrolments;
  readonly siteScopes: PostgresSiteScopes;
  readonly events: PostgresEvents;
  readonly signIns: PostgresSignIns;
  readonly notes: EventNotes;
  readonly fleet: PostgresFleet;
  /** Events that are being written, for which no response waits. */
  readonly #unwritten = new Set<Promise<unknown>>();

  private constructor(
    url: string,
    clock: ManualClock,
    { listMsMax, recordsFewMax, connectionsMax }: CentreLimits,
  ) {
    this.clock = clock;
    const log = new JsonLog({ level: "error", clock, write: () => {} });
    this.log = log;
    const connections = new PostgresConnections(
      { url },
      log,
      undefined,
      connectionsMax === undefined ? {} : { readsMax: connectionsMax, writesMax: connectionsMax },
    );
    this.connections = connections;
    const lists = new PostgresLists({ url }, log, {
      connections,
      clock,
      ...(listMsMax === undefined ? {} : { readingMsMax: listMsMax }),
      ...(recordsFewMax === undefined ? {} : { recordsFewMax }),
    });
    this.lists = lists;
    this.accounts = new PostgresAccounts({ connections, clock, bcryptCost: 4 });
    this.enrolments = new PostgresEnrolments({
      connections,
      clock,
      newCode: oneTimePassword,
      bcryptCost: 4,
      nowMs: () => clock.wallMs(),
    });
    this.siteScopes = new PostgresSiteScopes(connections);
    this.objectives = new PostgresObjectives(connections, lists);
    this.events = new PostgresEvents(connections, clock);
    this.signIns = new PostgresSignIns(connections, clock, () => clock.wallMs());
    const events = localRemote(this.events);
    const add: typeof events.add = (...event) => this.#pending(events.add(...event));
    this.notes = new EventNotes({ events: { add }, clock, log });
    const own = { clock, timezone: "Europe/Bucharest", dispeceratId: 7, newUid: randomUUID };
    this.records = new PostgresRecords({ ...own, connections, lists });
    this.fleet = new PostgresFleet({ ...own, connections, locale: "en", nowMs: () => clock.wallMs() });
  }

  /** Opens a database with the schema, and objectives 1 to 3 of each type. */
  static async open(
    url: string,
    clock = new ManualClock(),
    limits: CentreLimits = {},
  ): Promise<PostgresCentre> {
    const centre = new PostgresCentre(url, clock, limits);
    await migrate(centre.connections);
    const named = (kind: string) => [1, 2, 3].map((id) => ({ id, name: `${kind} ${id}`, status: "active" }));
    await centre.objectives.import(
      {
        "obiective/cladiri": named("Hall"),
        "obiective/bunuri": named("Truck"),
        "obiective/persoane": named("Person"),
      },
      "config",
    );
    return centre;
  }

  /** The newest events, once all are written and no transaction of another database of the server hides some. */
  async settledEvents(limit: number): Promise<LoggedEvent[]> {
    await Promise.allSettled(this.#unwritten);
    const hidden = "SELECT 1 FROM events WHERE tx >= pg_snapshot_xmin(pg_current_snapshot()) LIMIT 1";
    await eventually("all events are shown", async () => (await this.connections.query(hidden)).length === 0);
    return this.events.newest(limit);
  }

  /** Removes all records with their keys and counts. */
  async clear(): Promise<void> {
    await this.connections.query(
      "DELETE FROM idempotency_keys; DELETE FROM interventions; DELETE FROM intervention_counts",
    );
  }

  async close(): Promise<void> {
    this.notes.stop();
    await this.lists.close();
    await this.connections.close();
  }

  #pending<T>(written: Promise<T>): Promise<T> {
    this.#unwritten.add(written);
    const settled = (): void => void this.#unwritten.delete(written);
    written.then(settled, settled);
    return written;
  }
}
