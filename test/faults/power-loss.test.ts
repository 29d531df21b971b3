import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Database } from "../../src/store/database.ts";
import { openJournalDatabase } from "../../src/store/journal-database.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { askDaemon } from "../support/control-socket.ts";
import { CrashImages, SURVIVALS } from "../support/crash-images.ts";
import { DISK_TRACE, readDiskCalls, type DiskCall } from "../support/disk-calls.ts";
import { BUILD } from "../support/built-program.ts";
import { MAIN, seededRandom } from "../support/installation.ts";
import { FULL_SYNC, removeRules } from "../support/removed-rules.ts";
import { report, RUN_LENGTH } from "../support/run-length.ts";
import { describeWithStrace, TracedDaemon } from "../support/traced-daemon.ts";

/*
 * A power cut. The disk calls of an active daemon are recorded, and the disk is reconstructed as it may be
 * after a power cut between any two calls: synced data is there, later data may be. This tests the order of
 * writes and syncs on a reliable disk; a disk that reports false syncs is not covered.
 */

/** Hundreds of databases are opened and closed: in memory if there is a file system for it. */
const IMAGES = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const ZONES = 4;
/** Every image takes a few milliseconds, and a long run writes tens of thousands. */
const LIMIT_MS = 3_600_000;
const YAML = `dataDir: ./var
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 1, name: Hall } ] }
zones:
${Array.from({ length: ZONES }, (_, index) => `  - { id: door-${index}, name: Door, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }\n`).join("")}`;

interface Outcome {
  /** Number of acknowledged records and trips. */
  told: number;
  images: number;
  unopenable: number;
  corrupt: number;
  lost: number;
}

describeWithStrace("with the power going between any two calls to the disk", () => {
  let folder: string;
  let place: string;
  let daemon: TracedDaemon | undefined;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "santinela-power-"));
    place = mkdtempSync(join(IMAGES, "santinela-power-"));
  });
  afterEach(() => daemon?.end("SIGKILL"));
  afterAll(() => {
    for (const each of [folder, place]) rmSync(each, { recursive: true, force: true });
  });

  test("no database is damaged and no acknowledged data is lost", { timeout: LIMIT_MS }, async () => {
    const calls = await recordingOf("full", MAIN);
    const { images, told: acknowledged, ...bad } = crashEverywhere(calls, RUN_LENGTH.crashShare);
    report(
      `power loss: ${calls.length} calls, ${acknowledged} promises, ${images} images, ${JSON.stringify(bad)}`,
    );
    expect(bad).toEqual({ unopenable: 0, corrupt: 0, lost: 0 });
    expect(acknowledged).toBeGreaterThanOrEqual(RUN_LENGTH.writes + ZONES);
    expect(images).toBeGreaterThan(50);
  });

  test(
    "a build that calls fsync only at checkpoints loses data, so this test would detect it",
    { timeout: LIMIT_MS },
    async () => {
      const calls = await recordingOf("normal", buildWithLazySync());
      const { images, lost } = crashEverywhere(calls, RUN_LENGTH.crashShare, ["only what was synced"]);
      report(`power loss with synchronous=NORMAL: ${images} images, ${lost} with something lost`);
      expect(lost).toBeGreaterThan(0);
    },
  );

  /** Runs a daemon until its clean shutdown, and records its disk calls and responses. */
  async function recordingOf(name: string, main: string): Promise<DiskCall[]> {
    const home = join(folder, name);
    mkdirSync(home);
    writeFileSync(join(home, "site.yaml"), YAML);
    const output = join(home, "calls");
    daemon = new TracedDaemon({ main, configFile: join(home, "site.yaml"), trace: DISK_TRACE, output });
    expect(await daemon.start()).toBe(true);
    const ask = (path: string, body: object) => askDaemon(join(home, "var"), "POST", path, body);
    const client = async (number: number): Promise<void> => {
      for (let call = 0; call < RUN_LENGTH.writes / 3; call += 1)
        await ask("/interventii", {
          name: `Call ${number}.${call}`,
          objectiveType: "obiective/cladiri",
          objectiveId: 1,
        });
    };
    const contacts = async (): Promise<void> => {
      for (let zone = 0; zone < ZONES; zone += 1) {
        await ask("/site/simulate", { zone: `door-${zone}`, contact: "normal" });
        await ask("/site/simulate", { zone: `door-${zone}`, contact: "open" });
      }
    };
    await Promise.all([client(1), client(2), client(3), contacts()]);
    await daemon.end("SIGTERM");
    return readDiskCalls(output, (file) => /^(santinela|journal)\.db(-wal|-journal)?$/.test(file));
  }

  /** The same program with a weaker synchronous pragma. */
  function buildWithLazySync(): string {
    const copy = join(folder, "build");
    cpSync(BUILD, copy, { recursive: true });
    symlinkSync(join(BUILD, "..", "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    removeRules(copy, [FULL_SYNC]);
    return join(copy, "main.js");
  }

  /** Cuts the power after this fraction of the calls, and checks the result. */
  function crashEverywhere(calls: readonly DiskCall[], share: number, survivals = SURVIVALS): Outcome {
    const random = seededRandom(RUN_LENGTH.seed);
    const disk = new CrashImages();
    const acknowledged = { "santinela.db": [] as string[], "journal.db": [] as string[] };
    const outcome: Outcome = { told: 0, images: 0, unopenable: 0, corrupt: 0, lost: 0 };
    for (const call of calls) {
      disk.take(call);
      if (call.kind === "told") {
        const { records, trips } = acknowledgedBy(call.text);
        acknowledged["santinela.db"].push(...records);
        acknowledged["journal.db"].push(...trips);
        outcome.told += records.length + trips.length;
      }
      if (random() >= share) continue;
      const databases =
        call.kind === "told"
          ? (["santinela.db", "journal.db"] as const)
          : ([call.file.startsWith("journal") ? "journal.db" : "santinela.db"] as const);
      for (const database of databases)
        for (const survival of survivals) {
          disk.writeImage(database, place, survival, random);
          outcome.images += 1;
          judge(join(place, database), acknowledged[database], outcome);
        }
    }
    return outcome;
  }
});

/** Data acknowledged by a response: records by name, trips by key. */
function acknowledgedBy(answer: string): { records: string[]; trips: string[] } {
  const body = answer.slice(answer.indexOf("\r\n\r\n"));
  if (answer.startsWith("HTTP/1.1 201"))
    return { records: [...body.matchAll(/"name":"([^"]+)"/g)].map(([, name = ""]) => name), trips: [] };
  const [, keys = ""] = (answer.startsWith("HTTP/1.1 200") && /"trips":\[([^\]]*)\]/.exec(body)) || [];
  return { records: [], trips: [...keys.matchAll(/"([^"]+)"/g)].map(([, key = ""]) => key) };
}

function judge(path: string, acknowledged: readonly string[], outcome: Outcome): void {
  const isJournal = path.endsWith("journal.db");
  let database: Database;
  try {
    database = isJournal ? openJournalDatabase(path) : openMainDatabase(path);
  } catch {
    outcome.unopenable += 1;
    return;
  }
  try {
    if (database.pragma("integrity_check", { simple: true }) !== "ok") outcome.corrupt += 1;
    const column = isJournal ? "SELECT key FROM trips" : "SELECT name FROM interventions";
    const found = database.prepare(column).pluck().all();
    if (!acknowledged.every((wanted) => remove(found, wanted))) outcome.lost += 1;
  } finally {
    database.close();
  }
}

/** Removes one such value from a list; false if there is none. */
function remove(list: unknown[], value: string): boolean {
  const index = list.indexOf(value);
  if (index >= 0) list.splice(index, 1);
  return index >= 0;
}
