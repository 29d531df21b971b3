import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { backUpRegularly } from "../../src/ops/backups.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { Databases } from "../../src/ops/databases.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { ReserveFile } from "../../src/ops/reserve-file.ts";
import { InterventionService } from "../../src/service/interventions.ts";
import { ObjectiveService } from "../../src/service/objectives.ts";
import { EventLog } from "../../src/store/event-log.ts";
import { Journal } from "../../src/store/journal.ts";
import { OPERATOR_USER } from "../support/app.ts";
import { CrashFolders, FOLDER_SURVIVALS } from "../support/crash-folders.ts";
import { imageOf, writeImage, type Image } from "../support/damaged-images.ts";
import { FOLDER_TRACE, readFolderCalls, type FolderCall } from "../support/folder-calls.ts";
import { MAIN, seededRandom } from "../support/installation.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { report, RUN_LENGTH } from "../support/run-length.ts";
import { describeWithStrace, TracedDaemon } from "../support/traced-daemon.ts";
import { tripRow } from "../support/trip-row.ts";

/*
 * A power cut during the start that recovers a damaged database. The disk calls of that start are recorded, and the
 * data directory is reconstructed as it may be after a power cut between any two of them. The next start must have
 * each row that a recovery without a power cut has, must report the same loss, and must have the damaged files in
 * quarantine. What `crash-folders.ts` says about names and syncs is assumed of the disk.
 */

/** Thousands of databases are opened and closed: in memory if there is a file system for it. */
const IMAGES = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const LIMIT_MS = 3_600_000;
const YAML = `dataDir: ./var
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 1, name: Hall } ] }
zones:
  - { id: door, name: Door, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }
`;

/** The data directory at two moments, with a backup from an earlier one. */
interface Site {
  readonly killed: Image;
  readonly stopped: Image;
}

/** What a start has made of a data directory. */
interface Start {
  readonly records: ReadonlyMap<number, string>;
  readonly trips: ReadonlySet<string>;
  /** The open conditions; those of a loss with its numbers. */
  readonly said: readonly string[];
  readonly events: ReadonlySet<string>;
  readonly report: string;
}

type Damage = readonly [what: string, apply: (site: Site) => Map<string, Buffer>, how: RegExp];

const DAMAGES: readonly Damage[] = [
  [
    "the main database, with a backup",
    ({ stopped }) => without(new Map(stopped), "santinela.db", 0.3),
    /santinela.db was damaged .* the backup of/s,
  ],
  [
    "the main database, without a backup",
    ({ stopped }) => withoutBackups(without(new Map(stopped), "santinela.db", 0.3)),
    /santinela.db was damaged .* no intact backup/s,
  ],
  [
    "the log of the main database",
    ({ killed }) => without(new Map(killed), "santinela.db-wal", 0.3, 110),
    /santinela.db was damaged .* an earlier state was rebuilt/s,
  ],
  [
    "the main database, which is missing, with its log left",
    ({ killed }) => remove(new Map(killed), "santinela.db"),
    /santinela.db was damaged .* the backup of/s,
  ],
  [
    "the journal",
    ({ stopped }) => without(new Map(stopped), "journal.db", 0.5),
    /journal.db was damaged .* a new database was created/s,
  ],
  [
    "the log of the journal",
    ({ killed }) => without(new Map(killed), "journal.db-wal", 0.6, 40),
    /journal.db was damaged .* an earlier state was rebuilt/s,
  ],
  [
    "both databases",
    ({ stopped }) => without(without(new Map(stopped), "journal.db", 0.5), "santinela.db", 0.3),
    /journal.db was damaged .*santinela.db was damaged/s,
  ],
  [
    "a value in a trip",
    ({ stopped }) => flipped(new Map(stopped), "journal.db"),
    /journal.db has lost data: 0 missing, 1 altered/,
  ],
  ["both databases, whose names are swapped", ({ killed }) => swapped(killed), /^$/],
  [
    "both databases, which are older files",
    ({ stopped }) => older(new Map(stopped)),
    /santinela.db has lost data: \d+ missing/,
  ],
];

const now = new ManualClock(Date.now());
const log = new JsonLog({ level: "error", clock: now, write: () => {} });
let folder: string;
let place: string;
let site: Site;
let daemon: TracedDaemon | undefined;
let olderFiles: Image;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "santinela-recovery-"));
  place = mkdtempSync(join(IMAGES, "santinela-recovery-"));
  site = await workedSite(join(folder, "site"));
});
afterEach(() => daemon?.end("SIGKILL"));
afterAll(() => {
  for (const each of [folder, place]) rmSync(each, { recursive: true, force: true });
});

describeWithStrace("a recovery or a restore that is interrupted", () => {
  test.each(DAMAGES)(
    "by a power cut, of %s: nothing is lost or left unreported",
    { timeout: LIMIT_MS },
    async (what, apply, how) => {
      const damaged = apply(site);
      const expected = started(damaged);
      expect(expected.report).toMatch(how);
      const { calls, isReady } = await recordedStart(damaged);
      expect(isReady).toBe(true);
      const { images, faults } = crashEverywhere(damaged, calls, (image) =>
        faultsOf(damaged, expected, started(image)),
      );
      expect(images).toBeGreaterThan(5);
      report(`${what}: ${calls.length} calls, ${images} images, ${JSON.stringify(faults)}`);
      expect(faults).toEqual({});
    },
  );

  test.each([
    ["is intact", (image: Map<string, Buffer>) => image],
    ["has a damaged log", (image: Map<string, Buffer>) => without(image, "santinela.db-wal", 0.6, 40)],
  ])(
    "by a power cut, from a backup over a database that %s: one of the two is complete",
    { timeout: LIMIT_MS },
    (what, apply) => {
      const before = apply(new Map(site.killed));
      const { calls, after } = recordedRestore(before);
      const [kept, restored] = [started(before), started(after)];
      expect(isRestored(kept)).toBe(false);
      expect(isRestored(restored)).toBe(true);
      let restores = 0;
      const { images, faults } = crashEverywhere(before, calls, (image): Fault[] => {
        const found = started(image);
        if (!isRestored(found)) return faultsOf(before, kept, found);
        restores += 1;
        const faults = faultsOf(before, restored, found);
        return isKept(before, "santinela.db") ? faults : [...faults, "not in quarantine"];
      });
      report(
        `a restore over one that ${what}: ${calls.length} calls, ${images} images, ${restores} restored, ${JSON.stringify(faults)}`,
      );
      expect(faults).toEqual({});
      expect(restores).toBeGreaterThan(3);
      expect(restores).toBeLessThan(images - 3);
    },
  );

  test.each([0.05, 0.3, 0.6, 0.9])(
    "by a disk that is full after %d of the writes: the damaged files are kept",
    { timeout: LIMIT_MS },
    async (share) => {
      const damaged = without(new Map(site.stopped), "santinela.db", 0.3);
      const expected = started(damaged);
      const { writes } = await recordedStart(damaged);
      const last = Math.ceil(writes * share);
      const full = `inject=pwrite64,copy_file_range:error=ENOSPC:when=${last}+`;
      const { isReady, after } = await recordedStart(damaged, ["-e", full]);
      expect(isReady).toBe(false);
      const bytes = damaged.get("santinela.db") ?? Buffer.alloc(0);
      const places = [...after].filter(([, each]) => each.equals(bytes)).map(([path]) => path);
      expect(places).toContainEqual(expect.stringMatching(/^(?:quarantine\/.*\/)?santinela\.db$/));
      expect([...after.keys()].filter((path) => path.includes("preparing"))).toEqual([]);
      expect(faultsOf(damaged, expected, started(after))).toEqual([]);
    },
  );
});

interface Recording {
  readonly calls: readonly FolderCall[];
  /** Calls of the main thread that write to any file; strace counts those of each thread for itself. */
  readonly writes: number;
  readonly isReady: boolean;
  readonly after: Image;
}

const WRITE = / (?:pwrite64|copy_file_range)\(/;

/** Starts the daemon on a data directory until it is ready or gives up, and records its disk calls. */
async function recordedStart(image: Image, options: readonly string[] = []): Promise<Recording> {
  const { dataDir, configFile, output } = homeOf(image);
  daemon = new TracedDaemon({ main: MAIN, configFile, trace: [...FOLDER_TRACE, ...options], output });
  const isReady = await daemon.start();
  await daemon.end("SIGKILL");
  const lines = readFileSync(output, "latin1").split("\n");
  const [main = ""] = lines[0]?.split(" ") ?? [];
  const writes = lines.filter((line) => line.startsWith(`${main} `) && WRITE.test(line)).length;
  return { calls: readFolderCalls(output, dataDir, isWatched), writes, isReady, after: treeOf(dataDir) };
}

/** Restores the backup of a data directory, and records the disk calls. */
function recordedRestore(image: Image): { calls: readonly FolderCall[]; after: Image } {
  const { dataDir, configFile, output } = homeOf(image);
  const [backup = ""] = readdirSync(join(dataDir, "backups"));
  const restore = [MAIN, "restore", join(dataDir, "backups", backup), "--config", configFile];
  const { status, stderr } = spawnSync("strace", [
    "-f",
    "-o",
    output,
    ...FOLDER_TRACE,
    process.execPath,
    ...restore,
  ]);
  expect(status, String(stderr)).toBe(0);
  return { calls: readFolderCalls(output, dataDir, isWatched), after: treeOf(dataDir) };
}

function homeOf(image: Image): { dataDir: string; configFile: string; output: string } {
  const home = mkdtempSync(join(folder, "home-"));
  const [dataDir, configFile] = [join(home, "var"), join(home, "site.yaml")];
  writeImage(image, dataDir);
  writeFileSync(configFile, YAML);
  return { dataDir, configFile, output: join(home, "calls") };
}

/** The files of a data directory that a power cut leaves. */
function treeOf(dataDir: string): Image {
  const names = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => relative(dataDir, join(each.parentPath, each.name)));
  return new Map(names.filter(isWatched).map((name) => [name, readFileSync(join(dataDir, name))]));
}

function isRestored({ events }: Start): boolean {
  return events.has("database-restored santinela.db");
}

/** All files but those that a start does not read, and the index of a log, which a power cut leaves behind invalid. */
function isWatched(path: string): boolean {
  return !/^(?:lock\.db|ballast|secrets|control|tls|last-good)|-shm$/.test(path); // words: allowed
}

/** Cuts the power behind calls of a program, and judges the disk. */
function crashEverywhere(
  before: Image,
  calls: readonly FolderCall[],
  judge: (image: Image) => readonly Fault[],
): { images: number; faults: Partial<Record<Fault, number>> } {
  const random = seededRandom(RUN_LENGTH.seed);
  const disk = new CrashFolders(before);
  const faults: Partial<Record<Fault, number>> = {};
  const judged = new Set<string>();
  for (const [index, call] of calls.entries()) {
    disk.take(call);
    // Pages are written in large numbers to files that have no effect yet.
    if (["write", "copy"].includes(call.kind) && random() >= RUN_LENGTH.crashShare) continue;
    for (const survival of FOLDER_SURVIVALS) {
      const image = disk.image(survival, random);
      const sum = sumOf(image);
      if (judged.has(sum)) continue;
      judged.add(sum);
      for (const fault of judge(image)) {
        faults[fault] = (faults[fault] ?? 0) + 1;
        report(`  call ${index} (${call.kind} ${call.path}), ${survival}: ${fault}`);
      }
    }
  }
  return { images: judged.size, faults };
}

/** Opens a data directory like the daemon, in the same place each time: paths are in the texts. */
function started(image: Image): Start {
  const dataDir = join(place, "var");
  writeImage(image, dataDir);
  const conditions = new ConditionRegistry(now, log);
  const databases = opened(dataDir, now, conditions);
  const { main, journal } = databases;
  try {
    for (const database of [main, journal])
      expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
    const records = main.prepare("SELECT id, name || description FROM interventions").raw().all() as [
      number,
      string,
    ][];
    const trips = journal.prepare("SELECT key || line FROM trips").pluck().all() as string[];
    const said = conditions.list().map(({ code, subject, values }) => {
      const { missing, altered, named } = values ?? {};
      return code === "data-lost" ? JSON.stringify({ subject, missing, altered, named }) : code;
    });
    const events = new EventLog(main).newest(100).map(({ event, subject }) => `${event} ${subject}`);
    const text = join(dataDir, "recovery.txt");
    return {
      records: new Map(records),
      trips: new Set(trips),
      said,
      events: new Set(events),
      report: existsSync(text) ? readFileSync(text, "utf8") : "",
    };
  } finally {
    databases.close();
  }
}

type Fault = "lost" | "unreported" | "not in quarantine";

/** Compares a start after a second power cut with one that had none. */
function faultsOf(damaged: Image, expected: Start, found: Start): Fault[] {
  const isSaved =
    [...expected.records].every(([id, text]) => found.records.get(id) === text) &&
    [...expected.trips].every((trip) => found.trips.has(trip));
  const isReported =
    expected.said.every((each) => found.said.includes(each)) &&
    expected.said.some(namesRows) === found.said.some(namesRows) &&
    [...expected.events].every((each) => isIn(each, found.events)) &&
    sentencesOf(expected.report).every((each) => found.report.includes(each));
  const isComplete = ["santinela.db", "journal.db"].every(
    (name) => !expected.report.includes(`${name} was damaged`) || isKept(damaged, name),
  );
  const checks: readonly (readonly [boolean, Fault])[] = [
    [isSaved, "lost"],
    [isReported, "unreported"],
    [isComplete, "not in quarantine"],
  ];
  return checks.flatMap(([isFine, fault]) => (isFine ? [] : [fault]));
}

/** Whether there is such an event. It may name both databases, if the second power cut has damaged the other one. */
function isIn(event: string, events: ReadonlySet<string>): boolean {
  return [...events].some((each) => event.split(/,? /).every((word) => each.includes(word)));
}

/** Whether a condition says that rows are missing. */
function namesRows(condition: string): boolean {
  return /"missing":[1-9]/.test(condition);
}

/** The sentences of a report without times, paths and pages: the second power cut may damage further pages. */
function sentencesOf(text: string): string[] {
  return (
    text.match(/(?:santinela|journal)\.db (?:was damaged.*?(?=\. The damaged)|has lost data.*? altered)/g) ??
    []
  );
}

/** Whether a directory of the quarantine has a database and its log as they were. */
function isKept(damaged: Image, name: string): boolean {
  const quarantine = join(place, "var", "quarantine");
  return (existsSync(quarantine) ? readdirSync(quarantine) : []).some((each) =>
    [name, `${name}-wal`].every((file) => {
      const path = join(quarantine, each, file);
      const bytes = damaged.get(file) ?? Buffer.alloc(0);
      return existsSync(path) ? readFileSync(path).equals(bytes) : bytes.length === 0;
    }),
  );
}

function opened(dataDir: string, clock: ManualClock, conditions: ConditionRegistry): Databases {
  return new Databases({
    dataDir,
    clock,
    log,
    conditions,
    reserveFile: new ReserveFile(dataDir),
    newIdentity: randomUUID,
  });
}

/** A site that has worked for an hour and a half, with a backup made after the first half hour. */
async function workedSite(dataDir: string): Promise<Site> {
  mkdirSync(dataDir);
  const clock = new ManualClock(Date.now() - 7_200_000);
  const databases = opened(dataDir, clock, new ConditionRegistry(clock, log));
  const { main, journal } = databases;
  new ObjectiveService(main).import({ "obiective/cladiri": [{ id: 1, name: "Hall" }] }, "config");
  const work = (from: number, to: number): void => {
    for (let number = from; number <= to; number += 1) workOnce(databases, clock, number);
  };
  const checkpoint = (): void => {
    for (const database of [main, journal]) database.pragma("wal_checkpoint(TRUNCATE)");
  };
  work(1, 30);
  checkpoint();
  await backUpRegularly(dataDir, clock.wallMs());
  olderFiles = imageOf(dataDir);
  work(31, 60);
  checkpoint();
  work(61, 90);
  databases.noteNumbers();
  const killed = withoutIndexes(imageOf(dataDir));
  databases.close();
  return { killed, stopped: withoutIndexes(imageOf(dataDir)) };
}

function workOnce({ main, journal: database }: Databases, clock: ManualClock, number: number): void {
  clock.advance(60_000);
  const journal = new Journal(database, clock);
  const key = `key-${number}`;
  const text = `<${number}: ${"seen at the gate ".repeat(20)}>`;
  const body = {
    name: `Alarm ${number}`,
    objectiveType: "obiective/cladiri" as const,
    objectiveId: 1,
    description: text,
  };
  journal.commit({
    zoneId: "door",
    state: { contact: "open", sinceWallMs: clock.wallMs(), autoRestored: false, sensor: null },
    trips: [{ ...tripRow(key, body, clock.wallMs()), line: text }],
  });
  const service = new InterventionService({
    database: main,
    clock,
    timezone: "Europe/Bucharest",
    dispeceratId: 1,
    newUid: randomUUID,
    onChange: () => {},
  });
  const { record } = service.create(body, OPERATOR_USER, { key, fingerprint: key });
  journal.trips.resolve(key, "posted", record.id);
}

const PAGE_BYTES = 4096;

/** Overwrites pages, from a fraction of a file on. */
function without(image: Map<string, Buffer>, name: string, at: number, pages = 3): Map<string, Buffer> {
  const bytes = Buffer.from(image.get(name) ?? []);
  const start = Math.floor((bytes.length * at) / PAGE_BYTES) * PAGE_BYTES;
  return image.set(name, bytes.fill(0xa5, start, start + pages * PAGE_BYTES));
}

/** Changes a letter in the text of a row. */
function flipped(image: Map<string, Buffer>, name: string): Map<string, Buffer> {
  const bytes = Buffer.from(image.get(name) ?? []);
  bytes.write("S", bytes.lastIndexOf("<77: seen") + 5);
  return image.set(name, bytes);
}

/** The databases of the first half hour, with the numbers of the last one. */
function older(image: Map<string, Buffer>): Map<string, Buffer> {
  for (const name of ["santinela.db", "journal.db"]) image.set(name, olderFiles.get(name) ?? Buffer.alloc(0));
  return image;
}

function swapped(image: Image): Map<string, Buffer> {
  const other = { santinela: "journal", journal: "santinela" } as const;
  return new Map(
    [...image].map(([name, bytes]) => [
      name.replace(/^(santinela|journal)/, (each) => other[each as keyof typeof other]),
      bytes,
    ]),
  );
}

function remove(image: Map<string, Buffer>, name: string): Map<string, Buffer> {
  image.delete(name);
  return image;
}

function withoutBackups(image: Map<string, Buffer>): Map<string, Buffer> {
  return new Map([...image].filter(([name]) => !name.startsWith("backups/")));
}

function withoutIndexes(image: Map<string, Buffer>): Map<string, Buffer> {
  return new Map([...image].filter(([name]) => !basename(name).endsWith("-shm")));
}

function sumOf(image: Image): string {
  const sum = createHash("sha1");
  for (const [name, bytes] of [...image].sort(([a], [b]) => (a < b ? -1 : 1)))
    sum.update(`${name} ${bytes.length} `).update(bytes);
  return sum.digest("hex");
}
