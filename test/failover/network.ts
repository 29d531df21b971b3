import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { readlinkSync, writeFileSync } from "node:fs";
import { eventually } from "../support/eventually.ts";

/** Where a process runs: an address, and the words before its command that bring it there. */
export interface Place {
  readonly host: string;
  readonly entry: readonly string[];
}

/** The network of the test itself. */
export const HERE: Place = { host: "127.0.0.1", entry: [] };

/**
 * Machines with a network of their own each (a network namespace), joined by a router, which is the namespace of the test: it
 * reaches each of them always. Needs root in a network namespace of its own; what it changes ends with that namespace.
 */
export class Network {
  readonly #places: ReadonlyMap<string, Place>;
  readonly #holders: readonly ChildProcess[];
  #rules: (readonly string[])[] = [];

  private constructor(places: ReadonlyMap<string, Place>, holders: readonly ChildProcess[]) {
    this.#places = places;
    this.#holders = holders;
  }

  static async start(names: readonly string[]): Promise<Network> {
    ip("link", "set", "lo", "up");
    writeFileSync("/proc/sys/net/ipv4/ip_forward", "1");
    const holders: ChildProcess[] = [];
    const places = new Map<string, Place>();
    for (const [index, name] of names.entries()) {
      const holder = spawn("unshare", ["--net", "sleep", "infinity"], { stdio: "ignore" });
      holders.push(holder);
      const pid = `${holder.pid}`;
      const own = readlinkSync("/proc/self/ns/net");
      await eventually("a namespace", () => readlinkSync(`/proc/${pid}/ns/net`) !== own);
      const [entry, router] = [["nsenter", "--target", pid, "--net", "--"], `10.77.${index + 1}.1`];
      const host = `10.77.${index + 1}.2`;
      ip("link", "add", `to-${name}`, "type", "veth", "peer", "name", "eth0", "netns", pid);
      ip("address", "add", `${router}/24`, "dev", `to-${name}`);
      ip("link", "set", `to-${name}`, "up");
      const within = (...words: readonly string[]): void => run([...entry, "ip", ...words]);
      within("link", "set", "lo", "up");
      within("address", "add", `${host}/24`, "dev", "eth0");
      within("link", "set", "eth0", "up");
      within("route", "add", "default", "via", router);
      places.set(name, { host, entry });
    }
    return new Network(places, holders);
  }

  place(name: string): Place {
    const place = this.#places.get(name);
    if (!place) throw new Error(`no machine ${name}`);
    return place;
  }

  /** Drops each packet between the two from now on, as a broken cable does, without an answer. */
  cut(one: string, other: string): void {
    const [first, second] = [this.place(one).host, this.place(other).host];
    for (const [from, to] of [
      [first, second],
      [second, first],
    ] as const) {
      const rule = ["from", from, "to", to, "blackhole"];
      ip("rule", "add", ...rule);
      this.#rules.push(rule);
    }
  }

  /** Ends all cuts. */
  repair(): void {
    for (const rule of this.#rules) ip("rule", "del", ...rule);
    this.#rules = [];
  }

  stop(): void {
    for (const holder of this.#holders) holder.kill("SIGKILL");
  }
}

function ip(...words: readonly string[]): void {
  run(["ip", ...words]);
}

function run([program = "", ...words]: readonly string[]): void {
  execFileSync(program, words);
}
