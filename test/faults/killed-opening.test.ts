import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import { readDatabase } from "../../src/store/database.ts";
import { EventLog } from "../../src/store/event-log.ts";
import { askDaemon } from "../support/control-socket.ts";
import { imageOf, writeImage, type Image } from "../support/damaged-images.ts";
import { eventually } from "../support/eventually.ts";
import { buildingsYaml, Installation, MAIN } from "../support/installation.ts";
import { report, RUN_LENGTH } from "../support/run-length.ts";
import { allOf } from "../support/site-and-centre.ts";
import { describeWithStrace, TracedDaemon } from "../support/traced-daemon.ts";

/*
 * A site whose database is damaged, and whose starts are killed: the first one before a call that changes its files, the
 * second one before the same call of its own, and so on in the same directory. The last start must have each record and
 * trip that one start without kills has, report the same loss, and have the damaged file in quarantine once.
 */

const CALLS = ["rename", "link", "unlink", "fsync", "fdatasync", "mkdir", "rmdir", "ftruncate"];
/** Content is written in many calls; a sample of them. */
const WRITES = ["pwrite64", "write"];
const KILLED_STARTS = 2;
const PAGE_BYTES = 4096;
const LIMIT_MS = 3_600_000;
const ZONES = 12;

const YAML = `site: { ref: killed }
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
${buildingsYaml(ZONES)}zones:
${Array.from({ length: ZONES }, (_, index) => `  - { id: door-${index}, name: Door ${index}, kind: intrusion, objective: { type: obiective/cladiri, id: ${index + 1} }, input: { simulated: true } }\n`).join("")}`;

/** What the last start shows. */
interface Outcome {
  readonly records: ReadonlyMap<number, string>;
  readonly conditions: readonly string[];
  readonly events: readonly string[];
  readonly sentences: readonly string[];
  readonly quarantined: number;
}

type Damage = readonly [
  what: string,
  apply: (image: Map<string, Buffer>) => Map<string, Buffer>,
  sentence: RegExp,
];

const DAMAGES: readonly Damage[] = [
  ["the main database", (image) => without(image, "santinela.db", 0.3, 3), /santinela\.db was damaged/],
  ["the journal", (image) => without(image, "journal.db", 0.5, 3), /journal\.db was damaged/],
  [
    "the main database, which is missing",
    (image) => {
      image.delete("santinela.db");
      return image;
    },
    /santinela\.db was damaged/,
  ],
  [
    "both databases",
    (image) => without(without(image, "journal.db", 0.5, 3), "santinela.db", 0.3, 3),
    /journal\.db was damaged.*santinela\.db was damaged/s,
  ],
];

/** Overwrites pages, from a fraction of a file on. */
function without(image: Map<string, Buffer>, name: string, at: number, pages: number): Map<string, Buffer> {
  const bytes = Buffer.from(image.get(name) ?? []);
  const start = Math.floor((bytes.length * at) / PAGE_BYTES) * PAGE_BYTES;
  return image.set(name, bytes.fill(0xa5, start, start + pages * PAGE_BYTES));
}

describeWithStrace("a start with a damaged database", () => {
  const installation = Installation.temporary(afterAll);
  const path = (...names: string[]): string => join(installation.folder, ...names);
  let site: DaemonProcess;
  let worked: Image;
  let traced: TracedDaemon | undefined;

  beforeAll(async () => {
    site = installation.daemon("site", YAML);
    await site.start();
    const ask = (order: string, body: object) => askDaemon(path("site"), "POST", order, body);
    for (let zone = 0; zone < ZONES; zone += 1) {
      await ask("/site/simulate", { zone: `door-${zone}`, contact: "normal" });
      await ask("/site/simulate", { zone: `door-${zone}`, contact: "open" });
      // Bypasses are rows that a user has made, and texts fill the pages.
      await ask("/interventii", {
        name: `Call ${zone}`,
        objectiveType: "obiective/cladiri",
        objectiveId: 1 + zone,
        description: "seen at the gate ".repeat(100),
      });
      if (zone === ZONES / 2) await site.run(["backup"]);
    }
    await eventually("a record of each trip", async () => (await allOf(path("site"))).length >= 2 * ZONES);
    await site.end("SIGTERM");
    worked = imageOf(path("site"));
  });
  afterEach(() => traced?.end("SIGKILL"));

  function put(image: Image): void {
    rmSync(path("site"), { recursive: true, force: true });
    writeImage(image, path("site"));
  }

  /** A start with a trace; @returns whether it became ready */
  async function start(kill?: string): Promise<boolean> {
    traced = new TracedDaemon({
      main: MAIN,
      configFile: path("site.yaml"),
      trace: [
        "-e",
        `trace=${[...CALLS, ...WRITES].join(",")}`,
        ...(kill === undefined ? [] : ["-e", `inject=${kill}`]),
      ],
      output: path("calls"),
    });
    const isReady = await traced.start();
    await traced.end("SIGKILL");
    return isReady;
  }

  /** Counts of the calls of the main thread in the last traced start. */
  function counts(): Map<string, number> {
    const lines = readFileSync(path("calls"), "latin1").split("\n");
    const [main = ""] = lines[0]?.split(" ") ?? [];
    const found = new Map<string, number>();
    for (const line of lines) {
      const [, thread, name = ""] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
      if (thread === main) found.set(name, (found.get(name) ?? 0) + 1);
    }
    return found;
  }

  /** The last start, without a kill. */
  async function outcome(): Promise<Outcome> {
    await site.start();
    await eventually("no pending trip", async () => {
      const { trips } = await site.get<{ trips: { waiting: number } }>("/site/status");
      return trips.waiting === 0;
    });
    const all = await allOf(path("site"));
    const { conditions } = await site.get<{ conditions: { code: string; subject: string | null }[] }>(
      "/site/status",
    );
    await site.end("SIGTERM");
    const events = readDatabase(path("site", "santinela.db"), (database) =>
      new EventLog(database).newest(100),
    );
    const text = existsSync(path("site", "recovery.txt"))
      ? readFileSync(path("site", "recovery.txt"), "utf8")
      : "";
    const quarantine = path("site", "quarantine");
    return {
      records: new Map(all.map(({ id, name, description }) => [id, `${name} (${description?.length ?? 0})`])),
      conditions: conditions.map(({ code, subject }) => `${code} ${subject ?? ""}`).sort(),
      // A report that was interrupted is written again.
      events: [...new Set(events.map(({ event, subject }) => `${event} ${subject}`))].filter((each) =>
        /^data|recovered/.test(each),
      ),
      sentences: [
        ...new Set(
          text.match(
            /(?:santinela|journal)\.db (?:was damaged.*?(?=\. The damaged)|has lost data.*? altered)/g,
          ) ?? [],
        ),
      ],
      quarantined: existsSync(quarantine) ? readdirSync(quarantine).length : 0,
    };
  }

  test.each(DAMAGES)(
    "%s, that is killed again and again: the last start reports the same, and nothing more is lost",
    { timeout: LIMIT_MS },
    async (what, apply, sentence) => {
      const damaged = apply(new Map(worked));
      put(damaged);
      const expected = await outcome();
      expect(expected.sentences.join("\n")).toMatch(sentence);
      put(damaged);
      expect(await start()).toBe(true);
      const places = placesIn(counts());
      let [kills, unkilled] = [0, 0];
      for (const [name, nth] of places) {
        put(damaged);
        for (let round = 0; round < KILLED_STARTS; round += 1) {
          if (await start(`${name}:signal=SIGKILL:when=${nth}`)) unkilled += 1;
          else kills += 1;
        }
        expect(await outcome(), `${what}, killed before ${name} ${nth}`).toEqual(expected);
      }
      report(`${what}: ${places.length} places, ${kills} killed starts, ${unkilled} that had become ready`);
      expect(kills).toBeGreaterThan(places.length / 2);
    },
  );
});

/** The calls to kill before: with PROOF_EVERY_CALL each that changes names or syncs and some writes, otherwise a sample. */
function placesIn(found: ReadonlyMap<string, number>): [name: string, nth: number][] {
  return [...found].flatMap(([name, count]) => {
    const wanted = RUN_LENGTH.everyCall ? (CALLS.includes(name) ? count : 12) : 1;
    const step = count / wanted;
    const last = RUN_LENGTH.everyCall ? 1 : Math.ceil(count / 2);
    return Array.from({ length: Math.min(wanted, count) }, (_, index): [string, number] => [
      name,
      last + Math.floor(index * step),
    ]);
  });
}
