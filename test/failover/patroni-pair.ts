import { spawn, type ChildProcess } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/loopback.ts";
import { HERE, type Place } from "./network.ts";
import { patroniYaml, type Member } from "./patroni-configuration.ts";

/** Debian's user without rights: PostgreSQL refuses to run as root. */
const UNPRIVILEGED = 65_534;
const AS: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
const LONG_MS = 120_000;

/** Where the two servers and etcd run. */
export interface Places {
  readonly a: Place;
  readonly b: Place;
  readonly etcd: Place;
}

/** Two PostgreSQL servers under Patroni with one etcd, and haproxy, as processes of the test. */
export class PatroniPair {
  readonly folder = mkdtempSync(join(tmpdir(), "santinela-failover-"));
  readonly #running = new Map<string, ChildProcess>();
  #members: Member[] = [];

  static async start({ a, b, etcd }: Places): Promise<PatroniPair> {
    const pair = new PatroniPair();
    const sockets = join(pair.folder, "sockets");
    mkdirSync(sockets);
    if (AS.uid !== undefined)
      for (const folder of [pair.folder, sockets]) chownSync(folder, AS.uid, AS.gid ?? AS.uid);
    const [etcdPort, peerPort] = [await freePort(), await freePort()];
    const [client, peer] = [`http://${etcd.host}:${etcdPort}`, `http://${etcd.host}:${peerPort}`];
    pair.#start("etcd", etcd, "/usr/bin/etcd", [
      "--name=one",
      `--data-dir=${join(pair.folder, "etcd")}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=one=${peer}`,
    ]);
    for (const [name, place] of [["a", a] as const, ["b", b] as const]) {
      const member = { name, place, restPort: await freePort(), port: await freePort() };
      pair.#members.push(member);
      const yaml = patroniYaml(pair.folder, member, `${etcd.host}:${etcdPort}`);
      writeFileSync(join(pair.folder, `${name}.yaml`), yaml);
    }
    for (const { name } of pair.#members) pair.startMember(name);
    await pair.whole();
    return pair;
  }

  /** Starts haproxy at a place, where it reaches the primary. @returns its port there, on the loopback */
  async startDatabasePort(place: Place): Promise<number> {
    const port = await freePort();
    const servers = this.#members.map(
      ({ name, place: { host }, port: at, restPort }) =>
        `  server ${name} ${host}:${at} check port ${restPort} on-marked-down shutdown-sessions`,
    );
    this.#haproxy(
      `primary-${port}`,
      place,
      `listen primary
  bind 127.0.0.1:${port}
  option httpchk HEAD /primary
  http-check expect status 200
${servers.join("\n")}
`,
    );
    return port;
  }

  /** Starts haproxy before the centres at these addresses. @returns the URL that sites use */
  async startCentresPort(centres: readonly string[]): Promise<string> {
    const port = await freePort();
    const servers = centres.map((address, index) => `  server c${index + 1} ${address} check`);
    this.#haproxy(
      "centres",
      HERE,
      `listen santinela
  mode http
  bind 127.0.0.1:${port}
  option redispatch 1
  option httpchk GET /site/setup
  http-check expect status 200
  http-error status 503 content-type application/json string "{}" hdr Retry-After 2
${servers.join("\n")}
`,
    );
    return `http://127.0.0.1:${port}`;
  }

  /** The database at a port of haproxy, as `database` of a centre. */
  urlAt(port: number): string {
    return `postgres://santinela:santinela@127.0.0.1:${port}/postgres`;
  }

  /** The database at one server, leader or not. */
  urlOf(name: string): string {
    const { place, port } = this.#member(name);
    return `postgres://santinela:santinela@${place.host}:${port}/postgres`;
  }

  /** Waits until there is a leader with a synchronous standby. */
  async whole(): Promise<void> {
    await eventually(
      "a leader and a synchronous standby",
      async () => {
        const roles = (await this.#cluster()).map(({ role }) => role);
        return roles.toSorted().join() === "leader,sync_standby";
      },
      LONG_MS,
    );
  }

  /** Waits until another server than this one is the leader. */
  async isLedByOther(name: string): Promise<void> {
    const isLed = async () => ![name, undefined].includes(await this.#leader(name));
    await eventually("the other one leads", isLed, LONG_MS);
  }

  /** The name of the leader, as soon as Patroni of any server answers: a busy machine can keep both from it. */
  leader(): Promise<string> {
    return eventually("a leader is known", () => this.#leader(), LONG_MS);
  }

  startMember(name: string): void {
    this.#start(name, this.#member(name).place, "/usr/bin/patroni", [join(this.folder, `${name}.yaml`)]);
  }

  /** Ends Patroni and the server of a member at once, as a power cut does. */
  async killMember(name: string): Promise<void> {
    const postmaster = this.postmasterOf(name);
    await this.#end(name, "SIGKILL");
    process.kill(postmaster, "SIGKILL");
  }

  get names(): string[] {
    return this.#members.map(({ name }) => name);
  }

  /** Process id of the server of a member. */
  postmasterOf(name: string): number {
    return Number(readFileSync(join(this.folder, name, "postmaster.pid"), "utf8").split("\n")[0]);
  }

  async stop(): Promise<void> {
    for (const { name } of this.#members) await this.#end(name, "SIGTERM");
    for (const name of this.#running.keys()) await this.#end(name, "SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }

  #member(name: string): Member {
    const member = this.#members.find((one) => one.name === name);
    if (!member) throw new Error(`no server ${name}`);
    return member;
  }

  /** @param butOf a server that is not asked; its Patroni may be cut off */
  async #leader(butOf?: string): Promise<string | undefined> {
    return (await this.#cluster(butOf)).find(({ role }) => role === "leader")?.name;
  }

  async #cluster(butOf?: string): Promise<{ name: string; role: string }[]> {
    for (const { name, place, restPort } of this.#members)
      try {
        if (name === butOf) continue;
        const answer = await fetch(`http://${place.host}:${restPort}/cluster`, {
          signal: AbortSignal.timeout(5_000),
        });
        return ((await answer.json()) as { members: { name: string; role: string }[] }).members;
      } catch {
        // The other one may answer.
      }
    return [];
  }

  #start(name: string, { entry }: Place, program: string, options: readonly string[]): void {
    const log = openSync(join(this.folder, `${name}.log`), "a");
    const asUser = ["setpriv", `--reuid=${UNPRIVILEGED}`, `--regid=${UNPRIVILEGED}`, "--clear-groups"];
    // Another namespace can be entered by root only, who then becomes the user without rights.
    const [first = "", ...words] = [...entry, ...(entry.length > 0 ? asUser : []), program, ...options];
    const user = entry.length > 0 ? {} : AS;
    const child = spawn(first, words, { ...user, cwd: this.folder, stdio: ["ignore", log, log] });
    this.#running.set(name, child);
  }

  #haproxy(name: string, place: Place, text: string): void {
    const file = join(this.folder, `${name}.cfg`);
    writeFileSync(
      file,
      `defaults
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  default-server inter 1s fall 2 rise 1
${text}`,
    );
    this.#start(name, place, "/usr/sbin/haproxy", ["-db", "-f", file]);
  }

  async #end(name: string, signal: NodeJS.Signals): Promise<void> {
    const child = this.#running.get(name);
    this.#running.delete(name);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }
}
