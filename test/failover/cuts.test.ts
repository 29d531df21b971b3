import { spawn, type ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { buildingsYaml, EDGE, Installation, MAIN, pause } from "../support/installation.ts";
import { HERE, Network, type Place } from "./network.ts";
import { PatroniPair } from "./patroni-pair.ts";
import { LONG_MS, medianAndWorst, rows, signedIn, Writers } from "./writers.ts";

const CUTS = Number(process.env["FAILOVER_CUTS"] ?? "0");
const PORT = 8090;

/** Which machines lose each other; `leader` and `standby` are the servers of the moment. */
const KINDS: readonly { what: string; pairs: readonly (readonly [string, string])[]; isMoved: boolean }[] = [
  { what: "leader | standby", pairs: [["leader", "standby"]], isMoved: false },
  { what: "leader | etcd", pairs: [["leader", "etcd"]], isMoved: true },
  { what: "centre | leader", pairs: [["c1", "leader"]], isMoved: false },
  {
    what: "leader, centre | standby, centre, etcd",
    pairs: [
      ["leader", "standby"],
      ["leader", "etcd"],
      ["leader", "c2"],
      ["c1", "standby"],
    ],
    isMoved: true,
  },
  {
    what: "leader | everything",
    pairs: [
      ["leader", "standby"],
      ["leader", "etcd"],
      ["leader", "c1"],
      ["leader", "c2"],
    ],
    isMoved: true,
  },
];

/** Writes to one server of PostgreSQL directly, leader or not, and remembers what it has acknowledged. */
class StubbornWriter {
  readonly acknowledged: string[] = [];
  #isEnded = false;
  readonly #work: Promise<void>;

  constructor(url: string, name: string) {
    this.#work = this.#write(url, name);
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#work;
  }

  async #write(url: string, name: string): Promise<void> {
    for (let turn = 1; !this.#isEnded; turn += 1) {
      const id = `${name}${turn}`;
      const isStored = await rows(url, `INSERT INTO stubborn VALUES ('${id}') RETURNING id`).catch(() => []);
      if (isStored.length > 0) this.acknowledged.push(id);
      await pause(100);
    }
  }
}

test.runIf(CUTS > 0)(`no acknowledged record is lost or doubled in ${CUTS} cuts of the network`, async () => {
  const network = await Network.start(["a", "b", "etcd", "c1", "c2"]);
  const [a, b, etcd] = [network.place("a"), network.place("b"), network.place("etcd")];
  const pair = await PatroniPair.start({ a, b, etcd });
  const installation = new Installation();
  const centres: ChildProcess[] = [];
  try {
    const [first, second] = [network.place("c1"), network.place("c2")];
    for (const place of [first, second])
      centres.push(await startCentre(installation, place, pair.urlAt(await pair.startDatabasePort(place))));
    const addresses = [first, second].map(({ host }) => `${host}:${PORT}`);
    const url = pair.urlAt(await pair.startDatabasePort(HERE));
    const account = installation.centre("account", configuration(url));
    await eventually("an account", () => account.addAccount(EDGE, "administrator").then(() => true), LONG_MS);
    const base = await pair.startCentresPort(addresses);
    const token = await signedIn(base, EDGE);
    await rows(url, "CREATE TABLE stubborn(id text PRIMARY KEY)");
    const stubborn = ["a", "b"].map((name) => new StubbornWriter(pair.urlOf(name), name));
    // Each attempt goes to another door: a key is tried on both sides of a cut.
    const writers = new Writers([base, ...addresses.map((address) => `http://${address}`)], token);
    const gaps: number[] = [];
    await writers.grows(500);
    for (let cut = 1; cut <= CUTS; cut += 1) {
      const { what, pairs, isMoved } = KINDS[(cut - 1) % KINDS.length] ?? {
        what: "",
        pairs: [],
        isMoved: false,
      };
      const leader = await pair.leader();
      const standby = leader === "a" ? "b" : "a";
      const named = (name: string): string => ({ leader, standby })[name] ?? name;
      writers.gapMs = 0;
      for (const [one, other] of pairs) network.cut(named(one), named(other));
      if (isMoved) {
        await pair.isLedByOther(leader);
        // The router reaches the former leader also now: it must write nothing.
        await expect(rows(pair.urlOf(leader), `INSERT INTO stubborn VALUES ('cut${cut}')`)).rejects.toThrow();
      }
      await writers.grows(500);
      network.repair();
      await pair.whole();
      await writers.grows(200);
      gaps.push(writers.gapMs);
      process.stdout.write(
        `${cut}. ${what}: gap ${writers.gapMs} ms, ${writers.acknowledged.size} acknowledged\n`,
      );
    }
    process.stdout.write(`cuts: ${medianAndWorst(gaps)}\n`);
    await writers.expectStored(url);
    for (const writer of stubborn) await writer.end();
    const kept = (await rows(url, "SELECT id FROM stubborn")) as { id: string }[];
    const acknowledged = stubborn.flatMap((writer) => writer.acknowledged);
    const keptIds = kept.map(({ id }) => id);
    expect(keptIds).toEqual(expect.arrayContaining(acknowledged));
    process.stdout.write(`written directly: ${acknowledged.length} acknowledged, ${keptIds.length} stored\n`);
  } finally {
    for (const centre of centres) centre.kill("SIGKILL");
    await installation.remove();
    await pair.stop();
    network.stop();
  }
});

function configuration(url: string): string {
  return `database: "${url}"\nsite: { ref: centre, locale: en }\nhttp: { host: 0.0.0.0, port: ${PORT}, tls: off, connectionsPerAddressMax: 256 }\n${buildingsYaml(2)}`;
}

/** A centre at a place; it waits for its database itself. */
async function startCentre(installation: Installation, place: Place, url: string): Promise<ChildProcess> {
  const file = join(installation.folder, `${place.host}.yaml`);
  writeFileSync(file, `dataDir: ./${place.host}\n${configuration(url)}`);
  const [program, ...words] = [...place.entry, process.execPath, MAIN, "centre", "--config", file];
  const centre = spawn(program, words, { stdio: ["ignore", "ignore", "inherit"] });
  await eventually(
    "a centre",
    async () => (await fetch(`http://${place.host}:${PORT}/site/setup`)).status === 200,
    LONG_MS,
  );
  return centre;
}
