import { spawn, type ChildProcess } from "node:child_process";
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/loopback.ts";

/** Debian's user without rights: PostgreSQL refuses to run as root. */
const UNPRIVILEGED = 65_534;
const AS: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
const LONG_MS = 120_000;

interface Member {
  readonly name: string;
  readonly restPort: number;
  readonly port: number;
}

/** Two PostgreSQL servers under Patroni with one etcd and haproxy, as processes of the test on the loopback. */
export class PatroniPair {
  readonly folder = mkdtempSync(join(tmpdir(), "santinela-failover-"));
  readonly #running = new Map<string, ChildProcess>();
  #members: Member[] = [];
  /** The port at which haproxy reaches the primary. */
  databasePort = 0;
  /** The port at which haproxy reaches the centres. */
  centresPort = 0;

  /** @param centrePorts those of the centres that haproxy spreads requests over */
  static async start(centrePorts: readonly number[]): Promise<PatroniPair> {
    const pair = new PatroniPair();
    if (AS.uid !== undefined) chownSync(pair.folder, AS.uid, AS.gid ?? AS.uid);
    const [etcdPort, peerPort] = [await freePort(), await freePort()];
    pair.#start("etcd", "/usr/bin/etcd", [
      "--name=one",
      `--data-dir=${join(pair.folder, "etcd")}`,
      `--listen-client-urls=http://127.0.0.1:${etcdPort}`,
      `--advertise-client-urls=http://127.0.0.1:${etcdPort}`,
      `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-cluster=one=http://127.0.0.1:${peerPort}`,
    ]);
    for (const name of ["a", "b"]) {
      const member = { name, restPort: await freePort(), port: await freePort() };
      pair.#members.push(member);
      writeFileSync(join(pair.folder, `${name}.yaml`), pair.#patroni(member, etcdPort));
    }
    pair.databasePort = await freePort();
    pair.centresPort = await freePort();
    writeFileSync(join(pair.folder, "haproxy.cfg"), pair.#haproxy(centrePorts));
    for (const { name } of pair.#members) pair.startMember(name);
    await pair.whole();
    pair.#start("haproxy", "/usr/sbin/haproxy", ["-db", "-f", join(pair.folder, "haproxy.cfg")]);
    return pair;
  }

  /** Waits until there is a leader with a synchronous standby. */
  async whole(): Promise<void> {
    await eventually(
      "a leader and a synchronous standby",
      async () => {
        const roles = (await this.#cluster()).map(({ role }) => role).toSorted();
        return roles.join() === "leader,sync_standby";
      },
      LONG_MS,
    );
  }

  /** The name of the leader, as Patroni sees it. */
  async leader(): Promise<string> {
    return (await this.#cluster()).find(({ role }) => role === "leader")?.name ?? "";
  }

  startMember(name: string): void {
    this.#start(name, "/usr/bin/patroni", [join(this.folder, `${name}.yaml`)]);
  }

  /** Ends Patroni and the server of a member at once, as a power cut does. */
  async killMember(name: string): Promise<void> {
    const postmaster = Number(readFileSync(join(this.folder, name, "postmaster.pid"), "utf8").split("\n")[0]);
    await this.#end(name, "SIGKILL");
    process.kill(postmaster, "SIGKILL");
  }

  async stop(): Promise<void> {
    for (const { name } of this.#members) await this.#end(name, "SIGTERM");
    for (const name of this.#running.keys()) await this.#end(name, "SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #cluster(): Promise<{ name: string; role: string; state: string }[]> {
    for (const { restPort } of this.#members)
      try {
        const answer = await fetch(`http://127.0.0.1:${restPort}/cluster`, {
          signal: AbortSignal.timeout(5_000),
        });
        return ((await answer.json()) as { members: { name: string; role: string; state: string }[] })
          .members;
      } catch {
        // The other one may answer.
      }
    return [];
  }

  #start(name: string, program: string, options: readonly string[]): void {
    const log = openSync(join(this.folder, `${name}.log`), "a");
    const child = spawn(program, options, { ...AS, cwd: this.folder, stdio: ["ignore", log, log] });
    this.#running.set(name, child);
  }

  async #end(name: string, signal: NodeJS.Signals): Promise<void> {
    const child = this.#running.get(name);
    this.#running.delete(name);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }

  #patroni({ name, restPort, port }: Member, etcdPort: number): string {
    const programs = join(
      "/usr/lib/postgresql",
      readdirSync("/usr/lib/postgresql").toSorted().at(-1) ?? "",
      "bin",
    );
    mkdirSync(join(this.folder, "sockets"), { recursive: true, mode: 0o777 });
    if (AS.uid !== undefined) chownSync(join(this.folder, "sockets"), AS.uid, AS.gid ?? AS.uid);
    return `scope: santinela
name: ${name}
restapi: { listen: "127.0.0.1:${restPort}", connect_address: "127.0.0.1:${restPort}" }
etcd3: { host: "127.0.0.1:${etcdPort}" }
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 5
    retry_timeout: 5
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters: { max_connections: 60, shared_buffers: 64MB, wal_log_hints: "on" }
  initdb: [ { encoding: UTF8 }, { locale: C.UTF-8 }, data-checksums ]
postgresql:
  listen: "127.0.0.1:${port}"
  connect_address: "127.0.0.1:${port}"
  data_dir: ${join(this.folder, name)}
  bin_dir: ${programs}
  pgpass: ${join(this.folder, `${name}.pgpass`)}
  authentication:
    superuser: { username: santinela, password: santinela }
    replication: { username: replication, password: replication }
  parameters: { unix_socket_directories: "${join(this.folder, "sockets")}" }
  pg_hba: [ "local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust" ]
`;
  }

  #haproxy(centrePorts: readonly number[]): string {
    const databases = this.#members.map(
      ({ name, port, restPort }) =>
        `  server ${name} 127.0.0.1:${port} check port ${restPort} on-marked-down shutdown-sessions`,
    );
    const centres = centrePorts.map((port, index) => `  server c${index + 1} 127.0.0.1:${port} check`);
    return `defaults
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  default-server inter 1s fall 2 rise 1
listen primary
  bind 127.0.0.1:${this.databasePort}
  option httpchk GET /primary
  http-check expect status 200
${databases.join("\n")}
listen santinela
  mode http
  bind 127.0.0.1:${this.centresPort}
  option httpchk GET /site/setup
  http-check expect status 200
  http-error status 503 content-type application/json string "{}" hdr Retry-After 2
${centres.join("\n")}
`;
  }
}
