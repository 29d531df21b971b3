import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chownSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { postgresPrograms } from "../../src/cli/demo/postgres-process.ts";
import { eventually } from "./eventually.ts";
import { describeUnless } from "./required-programs.ts";

const MISSING = "PostgreSQL is not installed: sudo apt-get install postgresql";
/** Debian's user without rights: PostgreSQL refuses to run as root. */
const UNPRIVILEGED = 65_534;
const USUAL_PORT = 5432;

/** A PostgreSQL server in a process and a folder of its own, reached over a Unix socket. */
export class PostgresServer {
  /** Where its socket is. */
  readonly folder = join(tmpdir(), `santinela-pg-${randomUUID().slice(0, 8)}`);
  readonly #programs = programFolder() ?? "";
  readonly #settings: readonly string[];
  readonly #port: number;
  #process: ChildProcess | undefined;

  /**
   * A server that is not started.
   * @param settings of postgresql.conf, such as `fsync=on`; later ones replace those of the tests
   * @param port in the name of the socket, and of TCP where `listen_addresses` is set
   */
  constructor(settings: readonly string[] = [], port = USUAL_PORT) {
    this.#settings = settings;
    this.#port = port;
  }

  /** A running server, with the options of the constructor. */
  static async start(...options: ConstructorParameters<typeof PostgresServer>): Promise<PostgresServer> {
    const server = new PostgresServer(...options);
    await server.start();
    return server;
  }

  /** Starts it with no database. @throws Error when PostgreSQL is not installed */
  async start(): Promise<void> {
    if (this.#programs === "") throw new Error(MISSING);
    mkdirSync(this.folder, { mode: 0o700 });
    if (isRoot()) chownSync(this.folder, UNPRIVILEGED, UNPRIVILEGED);
    // Fsync is off: no test of this server cuts the power.
    const initdb = ["-U", "santinela", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"];
    execFileSync(join(this.#programs, "initdb"), ["-D", this.#data, ...initdb], this.#unprivileged());
    await this.startAgain();
  }

  /** Starts it again after `kill`, with its data. */
  async startAgain(): Promise<void> {
    const usual = ["fsync=off", "listen_addresses=", "max_connections=60", "shared_buffers=32MB"];
    const settings = [...usual, `port=${this.#port}`, ...this.#settings];
    const options = ["-D", this.#data, "-k", this.folder, ...settings.flatMap((one) => ["-c", one])];
    this.#process = spawn(join(this.#programs, "postgres"), options, this.#unprivileged());
    await eventually("PostgreSQL answers", () =>
      this.query("postgres", "SELECT 1").then(
        () => true,
        () => false,
      ),
    );
  }

  /** A new, empty database. @returns its URL */
  async newDatabase(): Promise<string> {
    return newDatabase(this.folder, this.#port);
  }

  /** Writes a file into its data directory, readable for the server only, such as `server.key`. */
  writeData(name: string, text: string): void {
    const file = join(this.#data, name);
    writeFileSync(file, text, { mode: 0o600 });
    if (isRoot()) chownSync(file, UNPRIVILEGED, UNPRIVILEGED);
  }

  /** Id of the first of its processes; undefined before the start. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Ends all its processes at once. */
  async kill(): Promise<void> {
    await this.#end("SIGQUIT");
  }

  /** Stops it and removes its folder. */
  async stop(): Promise<void> {
    await this.#end("SIGINT");
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The contents of a database as SQL, as its backup with pg_dump has them. */
  dump(url: string): string {
    return execFileSync(join(this.#programs, "pg_dump"), ["--no-owner", url], { encoding: "utf8" });
  }

  /** Restores a dump in a new database. @returns its URL */
  async restored(dump: string): Promise<string> {
    const url = await this.newDatabase();
    const options = ["--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1", url];
    execFileSync(join(this.#programs, "psql"), options, {
      input: dump,
      stdio: ["pipe", "ignore", "inherit"],
    });
    return url;
  }

  query(database: string, sql: string): Promise<unknown[]> {
    return query(urlOf(this.folder, database, this.#port), sql);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const running = this.#process;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    running.kill(signal);
    await ended;
  }

  get #data(): string {
    return join(this.folder, "data");
  }

  #unprivileged() {
    const user = isRoot() ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
    return { ...user, cwd: this.folder, stdio: "ignore" as const };
  }
}

/** A new, empty database of the server with its socket in a folder. @returns its URL */
export async function newDatabase(folder: string, port = USUAL_PORT): Promise<string> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await query(urlOf(folder, "postgres", port), `CREATE DATABASE ${name}`);
  return urlOf(folder, name, port);
}

function urlOf(folder: string, name: string, port: number): string {
  const at = port === USUAL_PORT ? "" : `:${port}`;
  return `postgres://santinela@${encodeURIComponent(folder)}${at}/${name}`;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows as unknown[];
  } finally {
    await client.end();
  }
}

/** Describes tests that need PostgreSQL; they are skipped where it is missing, and fail in CI. */
export function describeWithPostgres(name: string, tests: () => void): void {
  describeUnless(programFolder() === undefined ? MISSING : undefined, name, tests);
}

/** Describes tests that share a PostgreSQL server, which runs while they do. */
export function describeOnPostgres(name: string, tests: (server: PostgresServer) => void): void {
  describeWithPostgres(name, () => {
    const server = new PostgresServer();
    beforeAll(() => server.start());
    afterAll(() => server.stop());
    tests(server);
  });
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The programs in TEST_POSTGRES_BIN, or those of the newest version that Debian has installed. */
function programFolder(): string | undefined {
  return process.env["TEST_POSTGRES_BIN"] ?? postgresPrograms();
}
