import { HERE } from "../failover/network.ts";
import { PatroniPair } from "../failover/patroni-pair.ts";
import { PostgresServer } from "../support/postgres.ts";
import { costOf, type ProcessCost } from "./process-cost.ts";

/** As an installation runs: the figures are of records that are on the disk. */
const SETTINGS = ["fsync=on", "shared_buffers=256MB", "max_wal_size=4GB"];

/** The PostgreSQL of a fleet, which fails in the middle of the storm. */
export interface FleetDatabase {
  /** How it is named in the tables. */
  readonly title: string;
  /** An empty database. @returns its URL for a centre */
  newDatabase(): Promise<string>;
  /** Ends the server that stores records, as a loss of its power does. */
  fail(): Promise<void>;
  /** Starts that server again; resolves when nothing of it is missing. */
  repair(): Promise<void>;
  /** Of all its servers, since their start. */
  cost(): ProcessCost;
  stop(): Promise<void>;
}

/** One server: while it is down, nothing can be stored. */
export class OneServer implements FleetDatabase {
  readonly title = "one PostgreSQL server";
  readonly #server: PostgresServer;
  /** Processor time until it was ended. */
  #endedCpuMs = 0;

  private constructor(server: PostgresServer) {
    this.#server = server;
  }

  static async start(): Promise<OneServer> {
    return new OneServer(await PostgresServer.start(SETTINGS));
  }

  newDatabase(): Promise<string> {
    return this.#server.newDatabase();
  }

  async fail(): Promise<void> {
    this.#endedCpuMs += costOf(this.#server.pid).cpuMs;
    await this.#server.kill();
  }

  async repair(): Promise<void> {
    await this.#server.startAgain();
  }

  cost(): ProcessCost {
    const { cpuMs, memoryMb } = costOf(this.#server.pid);
    return { cpuMs: this.#endedCpuMs + cpuMs, memoryMb };
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}

/** Two servers under Patroni with synchronous replication, behind haproxy: the standby replaces a leader that is lost. */
export class ServerPair implements FleetDatabase {
  readonly title = "two PostgreSQL servers under Patroni";
  readonly #pair: PatroniPair;
  readonly #port: number;
  #lost: string | undefined;
  #endedCpuMs = 0;

  private constructor(pair: PatroniPair, port: number) {
    this.#pair = pair;
    this.#port = port;
  }

  static async start(): Promise<ServerPair> {
    const pair = await PatroniPair.start({ a: HERE, b: HERE, etcd: HERE });
    return new ServerPair(pair, await pair.startDatabasePort(HERE));
  }

  async newDatabase(): Promise<string> {
    return this.#pair.urlAt(this.#port);
  }

  async fail(): Promise<void> {
    this.#lost = await this.#pair.leader();
    this.#endedCpuMs += costOf(this.#pair.postmasterOf(this.#lost)).cpuMs;
    await this.#pair.killMember(this.#lost);
  }

  async repair(): Promise<void> {
    if (this.#lost === undefined) throw new Error("no server was lost");
    await this.#pair.isLedByOther(this.#lost);
    this.#pair.startMember(this.#lost);
    this.#lost = undefined;
    await this.#pair.whole();
  }

  cost(): ProcessCost {
    const costs = this.#pair.names
      .filter((name) => name !== this.#lost)
      .map((name) => costOf(this.#pair.postmasterOf(name)));
    return {
      cpuMs: this.#endedCpuMs + costs.reduce((total, { cpuMs }) => total + cpuMs, 0),
      memoryMb: costs.reduce((total, { memoryMb }) => total + memoryMb, 0),
    };
  }

  stop(): Promise<void> {
    return this.#pair.stop();
  }
}
