import { join } from "node:path";
import bcrypt from "bcrypt";
import pg from "pg";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { EnrolledSite, EnrolmentCode } from "../../src/generated/types.ts";
import { askDaemon } from "../support/control-socket.ts";
import { buildingsYaml, type Installation } from "../support/installation.ts";
import { freePort } from "../support/loopback.ts";
import type { FleetDatabase } from "./databases.ts";
import { costOf, type ProcessCost } from "./process-cost.ts";

/**
 * Work factor of the light sites' passwords: with the usual 10, creating ten thousand of them takes a quarter of an hour. The first
 * sign-in of a real site costs its process that much more, once.
 */
const LIGHT_COST = 4;

/** That of docs/centre.md: one process can take every site, but not two connections of each. */
const CONNECTIONS_MAX = 12_000;

/** A site that has an account. */
export interface SiteAccount {
  readonly email: string;
  readonly password: string;
}

/** The processes of a dispatch centre on one database, on ports that they keep. */
export class Centres {
  readonly ports: readonly number[];
  readonly #installation: Installation;
  readonly #database: string;
  readonly #processes: readonly DaemonProcess[];
  /** Processor time of processes that were killed. */
  #endedCpuMs = 0;

  private constructor(parts: {
    installation: Installation;
    database: string;
    ports: readonly number[];
    processes: readonly DaemonProcess[];
  }) {
    this.#installation = parts.installation;
    this.#database = parts.database;
    this.ports = parts.ports;
    this.#processes = parts.processes;
  }

  static async start(
    installation: Installation,
    server: FleetDatabase,
    {
      buildings,
      silentS,
      processes: count = 2,
    }: { readonly buildings: number; readonly silentS: number; readonly processes?: number },
  ): Promise<Centres> {
    const database = await server.newDatabase();
    const ports: number[] = [];
    while (ports.length < count) ports.push(await freePort());
    const processes = ports.map((port, index) =>
      installation.centre(
        `centre-${index}`,
        `database: "${database}"\nsite: { ref: centre, locale: en }\nfleet: { silentS: ${silentS} }\n` +
          `http: { port: ${port}, connectionsMax: ${CONNECTIONS_MAX} }\n${buildingsYaml(buildings)}`,
      ),
    );
    const centres = new Centres({ installation, database, ports, processes });
    await Promise.all(processes.map((one) => one.start(profiled())));
    return centres;
  }

  get addresses(): string[] {
    return this.ports.map((port) => `http://127.0.0.1:${port}`);
  }

  /** Ends one process at once. */
  async kill(which: number): Promise<void> {
    this.#endedCpuMs += costOf(this.#processes[which]?.pid).cpuMs;
    await this.#processes[which]?.end("SIGKILL");
  }

  async startAgain(which: number): Promise<void> {
    await this.#processes[which]?.start();
  }

  /** Ends all processes in order: only then they write their profiles. */
  async stop(): Promise<void> {
    for (const one of this.#processes) await one.end("SIGTERM");
  }

  /** Of all its processes, since their start. */
  cost(): ProcessCost {
    const costs = this.#processes.map((one) => costOf(one.pid));
    return {
      cpuMs: this.#endedCpuMs + costs.reduce((total, { cpuMs }) => total + cpuMs, 0),
      memoryMb: costs.reduce((total, { memoryMb }) => total + memoryMb, 0),
    };
  }

  /** Enrols a site with a one-time code, as a person at the centre and the site do. */
  async enrol(site: string, objectives: readonly string[], password: string): Promise<SiteAccount> {
    const { code } = await this.#post<EnrolmentCode>("/enrolments", { site, objectives });
    const claimed = await fetch(`${this.addresses[0]}/enrolments/claim`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ code, site, password }),
    });
    if (claimed.status !== 201) throw new Error(`enrolment of ${site}: ${await claimed.text()}`);
    return { email: ((await claimed.json()) as EnrolledSite).email, password };
  }

  /** Accounts of sites 1 to `count`, each with the building of its number as its scope, written into the database. */
  async addLightAccounts(count: number): Promise<SiteAccount[]> {
    const accounts = Array.from({ length: count }, (_, index) => ({
      email: `site-${index + 1}@sites.santinela.local`,
      password: `light password ${index + 1}`,
    }));
    const hashes = await Promise.all(accounts.map(({ password }) => bcrypt.hash(password, LIGHT_COST)));
    await this.rows(
      `INSERT INTO accounts(site, password_hash, objectives, email, role, must_change_password, created_at)
       SELECT 'site-' || n, hash, '["obiective/cladiri/' || n || '"]', email, 'operator', false, 0
       FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS given(hash, email, n)`,
      [hashes, accounts.map(({ email }) => email)],
    );
    return accounts;
  }

  /** Reads the database beside the centre, for counting. */
  async rows<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.#database });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query(sql, [...values])).rows as Row[];
    } finally {
      await client.end();
    }
  }

  /** Size of the database on the disk in bytes, with its indices. */
  async bytes(): Promise<number> {
    const [row] = await this.rows<{ bytes: string }>("SELECT pg_database_size(current_database()) AS bytes");
    return Number(row?.bytes);
  }

  /** An operation of an administrator on the machine of the centre. */
  async #post<T>(path: string, body: object): Promise<T> {
    const { status, value } = await askDaemon(`${this.#installation.folder}/centre-0`, "POST", path, body);
    if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(value)}`);
    return value as T;
  }
}

/** The environment of a process that writes a profile of its processor time at its end (npm run fleet -- --profile); else that of the test. */
function profiled(): NodeJS.ProcessEnv {
  const folder = process.env["PROOF_FLEET_PROFILE"];
  if (folder === undefined) return process.env;
  return { ...process.env, NODE_OPTIONS: `--require=${join(import.meta.dirname, "profile.cjs")}` };
}
