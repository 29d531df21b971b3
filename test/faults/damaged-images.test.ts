import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { backUpRegularly } from "../../src/ops/backups.ts";
import { ReserveFile } from "../../src/ops/reserve-file.ts";
import { Databases } from "../../src/ops/databases.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { InterventionService } from "../../src/service/interventions.ts";
import { ObjectiveService } from "../../src/service/objectives.ts";
import { Journal } from "../../src/store/journal.ts";
import type { Database } from "../../src/store/database.ts";
import { OPERATOR_USER } from "../support/app.ts";
import {
  DAMAGES,
  damaged,
  imageOf,
  isReadable,
  withoutFiles,
  writeImage,
  TARGETS,
  type Damage,
  type Image,
  type Target,
} from "../support/damaged-images.ts";
import { excessOf, noImages, outcomeTable, sumOf, type Outcome } from "../support/image-outcomes.ts";
import { NO_RECOVER, recoverProgram, recoveredRows, rowTexts } from "../support/sqlite-recover.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { saidLossOf } from "../support/named-rows.ts";
import { report, RUN_LENGTH } from "../support/run-length.ts";
import { tripRow } from "../support/trip-row.ts";

/*
 * Files of a data directory are damaged at random, and the daemon's own start opens the rest. All acknowledged
 * data is searched for: data on an intact page must exist, and missing data must be reported by a condition that
 * names each missing row, and no intact one. The index of a log (-shm) and its mark are as a killed process leaves them, or one or
 * both are missing, as after a power cut. A log truncated at the end of a commit where both are missing can only be detected by record numbers.
 * Where sqlite3 is installed, its own recovery reads the same files: it must not have a row that is missing after the start.
 */

const IMAGES = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const LIMIT_MS = 3_600_000;
const PROGRAM = recoverProgram();

interface AcknowledgedRecord {
  readonly text: string;
  readonly name: string;
  readonly rev: number;
  readonly deleted: number;
  readonly uid: string;
}

/** Acknowledged data at one time, by its unique text. */
interface Acknowledged {
  readonly records: ReadonlyMap<number, AcknowledgedRecord>;
  readonly trips: ReadonlyMap<string, { seq: number; text: string; state: string }>;
  /** The rows of each judged table with all columns. */
  readonly rows: ReadonlyMap<string, ReadonlySet<string>>;
}

interface Moment {
  readonly name: string;
  readonly image: Image;
  readonly older: Image;
  readonly acknowledged: Acknowledged;
}

/** A lost row: whether it is missing or an earlier state of it is left. */
interface LostRow {
  readonly row: number;
  readonly isMissing: boolean;
}

const clock = new ManualClock();
const log = new JsonLog({ level: "error", clock, write: () => {} });
const randomByte = seededRandom(0);
/** Reproducible, because the ids determine the layout of the pages. */
const newUuid = (): string => {
  const hex = Array.from({ length: 32 }, () => Math.floor(randomByte() * 16).toString(16)).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
};
let folder: string;
let moments: Moment[];

beforeAll(async () => {
  folder = mkdtempSync(join(IMAGES, "santinela-images-"));
  moments = await momentsOf(join(folder, "site"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function opened(dataDir: string): { databases: Databases; health: ConditionRegistry } {
  const health = new ConditionRegistry(clock, log);
  const reserveFile = new ReserveFile(dataDir);
  const databases = new Databases({
    dataDir,
    clock,
    log,
    conditions: health,
    reserveFile,
    newIdentity: newUuid,
  });
  return { databases, health };
}

/** An active site: records of trips and users, changed and deleted, and images from different times. */
async function momentsOf(dataDir: string): Promise<Moment[]> {
  mkdirSync(dataDir);
  const site = opened(dataDir).databases;
  const found: Moment[] = [];
  let older: Image = new Map();
  let number = 0;
  const work = (times: number): void => {
    for (let time = 0; time < times; time += 1) workOnce(site, (number += 1));
  };
  const note = (name: string): void => {
    const acknowledged = acknowledgedBy(site);
    found.push({ name, image: imageOf(dataDir), older, acknowledged });
  };
  new ObjectiveService(site.main).import({ "obiective/cladiri": [{ id: 1, name: "Hall" }] }, "config");
  work(40);
  note("killed, all in the log");
  older = imageOf(dataDir);
  site.main.pragma("wal_checkpoint(TRUNCATE)");
  site.journal.pragma("wal_checkpoint(TRUNCATE)");
  site.noteNumbers();
  work(30);
  note("killed, half in the log");
  await backUpRegularly(dataDir, clock.wallMs());
  work(20);
  site.noteNumbers();
  note("killed, with a copy");
  site.main.pragma("wal_checkpoint(PASSIVE)");
  work(15);
  note("killed, the log in use again, with a copy");
  const acknowledged = acknowledgedBy(site);
  site.close();
  found.push({ name: "stopped in order, with a copy", image: imageOf(dataDir), older, acknowledged });
  const last = found.at(-1);
  const image = new Map([...(last?.image ?? [])].filter(([name]) => !name.startsWith("backups/")));
  found.push({ name: "stopped in order", image, older, acknowledged });
  return found;
}

/** Trips with records and records of users; some are changed, some deleted, some trips are pending. */
function workOnce({ main, journal: database }: Databases, number: number): void {
  clock.advance(60_000);
  const journal = new Journal(database, clock);
  const service = new InterventionService({
    database: main,
    clock,
    timezone: "Europe/Bucharest",
    dispeceratId: 1,
    newUid: newUuid,
    onChange: () => {},
  });
  const key = `key-${number}`;
  const text = textOf(number, 1);
  const body = {
    name: `Alarm ${number}`,
    objectiveType: "obiective/cladiri" as const,
    objectiveId: 1,
    description: text,
  };
  const isTrip = number % 3 !== 0;
  if (isTrip)
    journal.commit({
      zoneId: "door",
      state: { contact: "open", sinceWallMs: clock.wallMs(), autoRestored: false, sensor: null },
      trips: [{ ...tripRow(key, body, clock.wallMs()), line: `line ${text}` }],
    });
  if (number % 7 === 0 && isTrip) return;
  const { record } = service.create(body, OPERATOR_USER, isTrip ? { key, fingerprint: key } : undefined);
  if (isTrip) journal.trips.resolve(key, "posted", record.id);
  if (number % 5 === 0) service.update(record.id, { description: textOf(number, 2) }, OPERATOR_USER);
  if (number % 11 === 0) service.delete(record.id, OPERATOR_USER);
}

/** Long enough for a few rows to fill a page, and unique to one row. */
function textOf(number: number, rev: number): string {
  return `<${number}.${rev}:${"seen at the gate ".repeat(8)}${number}.${rev}>`;
}

function acknowledgedBy({ main, journal }: Pick<Databases, "main" | "journal">): Acknowledged {
  const rows = new Map([
    ["interventions", rowTexts(main, "interventions")],
    ["trips", rowTexts(journal, "trips")],
  ]);
  return { records: recordsIn(main), trips: tripsIn(journal), rows };
}

function recordsIn(main: Database): Map<number, AcknowledgedRecord> {
  const rows = main
    .prepare(
      "SELECT id, uid, description AS text, rev, deleted_at IS NOT NULL AS deleted, name, status, priority FROM interventions",
    )
    .all() as (AcknowledgedRecord & { id: number })[];
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

function tripsIn(journal: Database): Map<string, { seq: number; text: string; state: string }> {
  const rows = journal.prepare("SELECT key, seq, line AS text, state, zone_id, body FROM trips").all() as {
    key: string;
    seq: number;
    text: string;
    state: string;
  }[];
  return new Map(rows.map(({ key, ...row }) => [key, row]));
}

/** Opens an image like the daemon, and compares it with the acknowledged data. */
function judge(moment: Moment, after: Image, outcome: Outcome, mayMiss: boolean): string[] {
  const { acknowledged, image } = moment;
  const place = join(folder, "place");
  writeImage(after, place);
  const { databases, health } = opened(place);
  const faults: string[] = [];
  try {
    const now = acknowledgedBy(databases);
    const lostRecords = [...acknowledged.records].filter(([id, record]) => {
      if (JSON.stringify(now.records.get(id)) === JSON.stringify(record)) return false;
      return record.rev > 1 || now.trips.get(record.uid)?.state !== "waiting";
    });
    const lostTrips = [...acknowledged.trips].filter(([key, { state, ...trip }]) => {
      const { state: found, ...kept } = now.trips.get(key) ?? { state: "" };
      return JSON.stringify(kept) !== JSON.stringify(trip) || (found !== state && found !== "waiting");
    });
    const parts = [
      {
        table: "interventions",
        said: saidLossOf(health.list(), "santinela.db", "interventions"),
        lost: lostRecords.map(([id]): LostRow => ({ row: id, isMissing: !now.records.has(id) })),
        whole: [...acknowledged.records].flatMap(([id, record]) =>
          JSON.stringify(now.records.get(id)) === JSON.stringify(record) ? [id] : [],
        ),
      },
      {
        table: "trips",
        said: saidLossOf(health.list(), "journal.db", "trips"),
        lost: lostTrips.map(([key, { seq }]): LostRow => ({ row: seq, isMissing: !now.trips.has(key) })),
        whole: [...acknowledged.trips].flatMap(([key, trip]) =>
          JSON.stringify(now.trips.get(key)) === JSON.stringify(trip) ? [trip.seq] : [],
        ),
      },
    ];
    const silent = parts.filter(({ said, lost }) => lost.length > 0 && said === undefined);
    outcome.silent += silent.length > 0 ? 1 : 0;
    if (!mayMiss) faults.push(...silent.map(({ table, lost }) => `silent: ${table} ${rowsText(lost)}`));
    outcome.unnamed += parts.some(({ said, lost }) => said && !lost.every(({ row }) => said.names(row)))
      ? 1
      : 0;
    for (const { table, said, lost, whole } of parts) {
      if (!said) continue;
      const unnamed = lost.filter(({ row }) => !said.names(row));
      // Of the numbers before and after the known ones, the pages show that something is missing.
      const hidden = unnamed.filter(({ row, isMissing }) => isMissing && row > said.first && row < said.last);
      if (hidden.length > 0) faults.push(`not named: ${table} ${rowsText(hidden)}`);
      if (unnamed.length > 0 && said.pages === 0 && !mayMiss)
        faults.push(`without pages: ${table} ${rowsText(unnamed)}`);
      // Of an altered row, the checksum may be what is damaged.
      const wrong = whole.filter((row) => said.names(row));
      if (wrong.length > said.altered) faults.push(`named although intact: ${table} ${wrong.join(" ")}`);
    }
    const unsaved = [
      ...lostRecords.filter(([, { name, text }]) =>
        isReadable(`${name}${text}`, "santinela.db", image, after),
      ),
      ...lostTrips.filter(([, { text }]) => isReadable(text, "journal.db", image, after)),
    ];
    if (unsaved.length > 0 && !mayMiss) faults.push(`unsaved: ${unsaved.map(([name]) => name).join(" ")}`);
    outcome.images += 1;
    outcome.unsaved += unsaved.length > 0 ? 1 : 0;
    const isWhole = lostRecords.length + lostTrips.length === 0;
    outcome[isWhole ? "whole" : "lost"] += 1;
    faults.push(...compare(moment, after, now, databases, outcome));
    for (const [name, database] of [
      ["main", databases.main],
      ["journal", databases.journal],
    ] as const) {
      const problem = String(database.pragma("integrity_check", { simple: true }));
      if (problem !== "ok") faults.push(`unsound: ${name}: ${problem}`);
    }
  } finally {
    databases.close();
  }
  return faults;
}

/** The judged table of each database. */
const JUDGED = [
  ["santinela.db", "interventions"],
  ["journal.db", "trips"],
] as const;

/**
 * Counts the intact rows of the damaged databases after the start, and those that `.recover` reads from the same files.
 * @returns the rows that only `.recover` has
 */
function compare(
  { acknowledged, image }: Moment,
  after: Image,
  now: Acknowledged,
  { main, journal }: Databases,
  outcome: Outcome,
): string[] {
  const damagedOnes = JUDGED.filter(([name]) =>
    ["", "-wal"].some((ending) => image.get(name + ending) !== after.get(name + ending)),
  );
  const place = join(folder, "recovered");
  const likes = [
    ["interventions", main],
    ["trips", journal],
  ] as const;
  // Of swapped files, a person finds the rows in the other one.
  const theirs = new Set(
    damagedOnes.flatMap(([name]) =>
      PROGRAM === undefined ? [] : [...recoveredRows(PROGRAM, { image: after, name, folder: place }, likes)],
    ),
  );
  return damagedOnes.flatMap(([name, table]) => {
    const stored = [...(acknowledged.rows.get(table) ?? [])];
    const ours = now.rows.get(table);
    const texts =
      table === "interventions"
        ? [...acknowledged.records.values()].map((record) => `${record.name}${record.text}`)
        : [...acknowledged.trips.values()].map(({ text }) => text);
    outcome.rows += stored.length;
    outcome.readable += texts.filter((text) => isReadable(text, name, image, after)).length;
    outcome.saved += stored.filter((row) => ours?.has(row)).length;
    outcome.recovered += stored.filter((row) => theirs.has(row)).length;
    return stored
      .filter((row) => theirs.has(row) && ours?.has(row) !== true)
      .map((row) => `only .recover has: ${table} ${row}`);
  });
}

function rowsText(rows: readonly LostRow[]): string {
  return rows.map(({ row }) => row).join(" ");
}

test(
  "the intact part of a damaged data directory is available after the start, and the lost part is reported",
  { timeout: LIMIT_MS },
  () => {
    const random = seededRandom(RUN_LENGTH.seed);
    const outcomes = new Map<string, Outcome>();
    const faults: string[] = [];
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    let unknownEnds = noImages();
    let images = 0;
    while (images < RUN_LENGTH.images) {
      const moment = pick(moments);
      const target: Target = pick(TARGETS);
      const damage: Damage = pick(DAMAGES);
      const [ends, missing] = pick(LOG_ENDS);
      const spoilt = damaged(moment.image, target, damage, moment.older, random);
      if (spoilt === undefined) continue;
      const after = withoutFiles(spoilt, missing);
      images += 1;
      const isLog = target.endsWith("-wal");
      const hasBackup = [...moment.image.keys()].some((name) => name.startsWith("backups/"));
      const what = [
        damage,
        isLog ? "log" : "database",
        ends,
        hasBackup ? "with backup" : "without backup",
      ].join(", ");
      const outcome = noImages();
      const isUnknownEnd = isLog && missing.length > 1;
      for (const fault of judge(moment, after, outcome, isUnknownEnd)) {
        faults.push(
          `image ${images} of seed ${RUN_LENGTH.seed} (${moment.name}; ${target}; ${what}): ${fault}`,
        );
        report(faults.at(-1) ?? "");
      }
      outcomes.set(what, sumOf([outcomes.get(what) ?? noImages(), outcome]));
      if (isUnknownEnd) unknownEnds = sumOf([unknownEnds, outcome]);
      if (images % 100 === 0) report(`${images} images, ${faults.length} faults`);
    }
    faults.push(...excessOf(unknownEnds));
    const sorted = [...outcomes].sort(([a], [b]) => a.localeCompare(b));
    report(outcomeTable(sorted, PROGRAM !== undefined));
    report(outcomeTable(totalsOf(sorted), PROGRAM !== undefined));
    if (PROGRAM === undefined) report(`not compared: ${NO_RECOVER}`);
    expect(faults).toEqual([]);
    expect([...outcomes.values()].reduce((sum, { lost }) => sum + lost, 0)).toBeGreaterThan(0);
  },
);

/** The outcomes by the damage and the file, then by whether there is a backup, then of all images. */
function totalsOf(outcomes: readonly (readonly [string, Outcome])[]): Map<string, Outcome> {
  const totals = new Map<string, Outcome>();
  for (const part of [/^.*?, (?:log|database)/, /with(?:out)? backup$/, /^/])
    for (const [what, outcome] of outcomes) {
      const name = part.exec(what)?.[0] || "all";
      totals.set(name, sumOf([totals.get(name) ?? noImages(), outcome]));
    }
  return totals;
}

/** What shows how far a log goes, and the files that are missing in the image. */
const LOG_ENDS = [
  ["with index", []],
  ["with mark", ["-shm"]],
  ["with neither", ["-shm", "-mark"]],
] as const;
