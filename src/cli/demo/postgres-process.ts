import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Where Debian has the programs of each version, which are not in PATH. */
const DEBIAN = "/usr/lib/postgresql";
/** Debian's user without rights: PostgreSQL refuses to run as root. */
const UNPRIVILEGED = 65_534;

/** The folder with the programs of the newest version that Debian has installed; undefined without one. */
export function postgresPrograms(): string | undefined {
  if (!existsSync(DEBIAN)) return undefined;
  return readdirSync(DEBIAN)
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN, version, "bin"))
    .find(hasServer);
}

/** Whether a folder has the server's programs. */
export function hasServer(programs: string): boolean {
  return ["initdb", "postgres"].every((name) => existsSync(join(programs, name)));
}

/** A PostgreSQL server in a process and a folder of its own, reached over a Unix socket only. */
export class PostgresProcess {
  readonly #programs: string;
  readonly #folder: string;
  #process: ChildProcess | undefined;

  /**
   * @param programs folder of `initdb` and `postgres`
   * @param parent a folder that every user may enter; the server's own is created in it
   */
  constructor(programs: string, parent: string) {
    this.#programs = programs;
    this.#folder = mkdtempSync(join(parent, "santinela-demo-pg-"));
  }

  /** URL of its only database. */
  get url(): string {
    return `postgres://santinela@${encodeURIComponent(this.#folder)}/postgres`;
  }

  /** Creates its files. @throws Error with the output of `initdb` */
  create(): void {
    if (isRoot()) chownSync(this.#folder, UNPRIVILEGED, UNPRIVILEGED);
    const options = ["-U", "santinela", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"];
    execFileSync(join(this.#programs, "initdb"), ["-D", this.#data, ...options], {
      ...this.#unprivileged(),
      stdio: "pipe",
    });
  }

  /** Starts it. It accepts connections some time after this returns. */
  start(): void {
    // At most as much as two processes of a centre and their commands need.
    const settings = ["listen_addresses=", "max_connections=30", "shared_buffers=16MB"];
    const options = ["-D", this.#data, "-k", this.#folder, ...settings.flatMap((one) => ["-c", one])];
    this.#process = spawn(join(this.#programs, "postgres"), options, {
      ...this.#unprivileged(),
      stdio: "ignore",
    });
  }

  /** Ends it. @param how `at-once` as a crash does, `cleanly` otherwise */
  async stop(how: "at-once" | "cleanly"): Promise<void> {
    const running = this.#process;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, "exit");
    running.kill(how === "at-once" ? "SIGQUIT" : "SIGINT");
    await ended;
  }

  /** Removes its files. */
  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  #unprivileged(): { readonly cwd: string; readonly uid?: number; readonly gid?: number } {
    return { cwd: this.#folder, ...(isRoot() ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}) };
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
