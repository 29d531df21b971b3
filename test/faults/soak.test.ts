import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { connectAsync, type MqttClient } from "mqtt";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import { askDaemon } from "../support/control-socket.ts";
import { pause, seededRandom } from "../support/installation.ts";
import { LINE_FAULT_NAMES, LINE_FAULTS } from "../support/line-faults.ts";
import { describeWithMosquitto, startMosquitto, type Mosquitto } from "../support/mosquitto.ts";
import { csvOf, drawingOf, resourcesOf, type ResourceUse } from "../support/resource-use.ts";
import { report, RUN_LENGTH } from "../support/run-length.ts";
import { SiteAndCentre } from "../support/site-and-centre.ts";

/*
 * A long run of a site with link outages, broker crashes, and restarts of the site as by upgrades: `npm run soak -- --hours
 * 24`. With `--commit` the site begins with the program of that commit, and its first restart is an upgrade. At the end both
 * sides match, and the resource use has not grown within any run of the daemon between two restarts.
 */

const ZONES = 20;
const LIVING_MAX = 100;
/** Growth is measured only after this time from each start of the daemon. */
const WARM_UP_S = 600;
/** Time after the warm-up in which growth can be seen. */
const JUDGED_S = 600;
/**
 * Both write-ahead logs: each is truncated to 4 MiB at a checkpoint (src/store/database.ts) and may grow until
 * the next.
 */
const WAL_MIB_MAX = 16;
const RUN_MS = RUN_LENGTH.soakSeconds * 1000;
/** At most two thousand rows, and at most one a second. */
const ROW_MS = Math.max(1000, RUN_MS / 2000);
/** A short run has two restarts. */
const RESTART_MS = Math.min(RUN_LENGTH.soakRestartS * 1000, RUN_MS / 3);
/** Whether a start lasts long enough for growth to be seen, with a minute for its rows: runs of more than an hour. */
const IS_JUDGED = (RESTART_MS > 0 ? RESTART_MS : RUN_MS) > (WARM_UP_S + JUDGED_S + 60) * 1000;
/** The program of a former release, see scripts/earlier-program.mjs. */
const FORMER_MAIN = process.env["UPGRADE_FIXTURE_MAIN"];

const zoneYaml = Array.from(
  { length: ZONES },
  (_, index) =>
    `  - { id: gate-${index}, name: Gate ${index}, kind: intrusion, objective: { type: obiective/cladiri, id: ${index + 2} }, input: { mqtt: sensors/gate-${index}, path: /contact, open: [false], normal: [true] } }\n`,
).join("");

describeWithMosquitto("a site that works for a long time", () => {
  const random = seededRandom(RUN_LENGTH.seed);
  let broker: Mosquitto;
  let sensors: MqttClient;
  let both: SiteAndCentre;
  const over = new AbortController();

  beforeAll(async () => {
    broker = await startMosquitto();
    sensors = await connectAsync(broker.url, { reconnectPeriod: 200 });
    both = new SiteAndCentre({
      siteYaml: `mqtt: { url: "${broker.url}" }\nzones:\n${zoneYaml}`,
      buildings: 1 + ZONES,
      formerMain: FORMER_MAIN,
    });
    await both.start();
  });
  afterAll(async () => {
    await sensors.endAsync(true);
    await both.remove();
    await broker.stop();
  });

  /** Waits for this time, or until the end of the run. */
  async function rest(ms: number): Promise<void> {
    // Short enough not to delay the end of the run.
    for (let left = ms; left > 0 && !over.signal.aborted; left -= 500) await pause(Math.min(left, 500));
  }

  /** Repeats an action with random pauses until the end of the run. */
  async function again(pauseMs: number, work: () => Promise<unknown>): Promise<void> {
    while (!over.signal.aborted) {
      await work();
      await rest(random() * 2 * pauseMs);
    }
  }

  let turn: Promise<unknown> = Promise.resolve();
  /** The site restarts between two requests of the clients; its sensors and its link do not wait. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = turn.then(work);
    turn = next.catch(() => {});
    return next;
  }

  async function write(living: Intervention[]): Promise<void> {
    const record = living[Math.floor(random() * living.length)];
    if (record && living.length > random() * LIVING_MAX) {
      living.splice(living.indexOf(record), 1);
      await both.delete(record);
    } else if (record && random() < 0.4) await both.change(record.id, { notes: `changed ${random()}` });
    else living.push(await both.create({ priority: random() < 0.5 ? "high" : "low" }));
  }

  async function spoilLine(): Promise<void> {
    const name = LINE_FAULT_NAMES[Math.floor(random() * LINE_FAULT_NAMES.length)];
    both.line.isDown = random() < 0.3;
    if (both.line.isDown) both.line.cut();
    both.line.faultFor = () => (name && random() < 0.5 ? LINE_FAULTS[name] : undefined);
    await pause(random() * Math.min(5_000, RUN_MS / 4));
    both.line.isDown = false;
    both.line.faultFor = () => undefined;
  }

  /** Number of the start of the site, from 1. */
  let start = 1;
  async function restartSometimes(): Promise<void> {
    if (RESTART_MS === 0) return;
    await rest(RESTART_MS);
    while (!over.signal.aborted) {
      await inTurn(() => both.restartSite());
      start += 1;
      await rest(RESTART_MS);
    }
  }

  async function watch(rows: ResourceUse[]): Promise<void> {
    const dataDir = join(both.installation.folder, "site");
    const startedMs = performance.now();
    let slowestAnswerMs = 0;
    let rowMs = startedMs;
    const look = async (): Promise<void> => {
      const askedMs = performance.now();
      const { value } = await askDaemon(dataDir, "GET", "/site/status");
      slowestAnswerMs = Math.max(slowestAnswerMs, performance.now() - askedMs);
      const { pid } = both.site;
      if (pid === undefined || performance.now() < rowMs + ROW_MS) return;
      rowMs = performance.now();
      const { waiting } = (value as { outbox: { waiting: number } }).outbox;
      const seconds = (rowMs - startedMs) / 1000;
      rows.push({ seconds, start, slowestAnswerMs, waiting, ...resourcesOf(pid, dataDir) });
      slowestAnswerMs = 0;
    };
    await again(50, () => inTurn(look));
  }

  test(
    `a site matches its dispatch centre after restarts in between${IS_JUDGED ? ", and uses no more resources the longer it runs" : ""}`,
    async () => {
      const rows: ResourceUse[] = [];
      const living: Intervention[] = [];
      const work = [
        watch(rows),
        again(250, () => inTurn(() => write(living))),
        again(500, async () => {
          const topic = `sensors/gate-${Math.floor(random() * ZONES)}`;
          await sensors.publishAsync(topic, JSON.stringify({ contact: random() < 0.5 }), { qos: 1 });
        }),
        again(Math.min(20_000, RUN_MS / 4), spoilLine),
        again(Math.min(300_000, RUN_MS / 2), async () => {
          await broker.kill();
          await broker.startAgain();
        }),
        restartSometimes(),
      ];
      await Promise.race([pause(RUN_MS), Promise.all(work)]);
      over.abort();
      await Promise.all(work);
      // A record of low priority that was deleted while unconfirmed is resolved after two and a half minutes.
      await both.settle(240_000);
      const { records, deleted } = await both.expectExactlyOnce();
      save(rows);
      const { trips } = await both.site.get<{ trips: { waiting: number; refused: number } }>("/site/status");
      expect(trips).toMatchObject({ waiting: 0, refused: 0 });
      report(
        `soak: ${RUN_LENGTH.soakSeconds} s, ${records} records and ${deleted} deleted ones, both sides agree after ${start - 1} restarts${FORMER_MAIN === undefined ? "" : ", the first of them an upgrade"}`,
      );
      if (RESTART_MS > 0) expect(start).toBeGreaterThan(1);
      expectNoGrowth(rows);
    },
    RUN_MS + 400_000,
  );
});

function save(rows: readonly ResourceUse[]): void {
  const folder = process.env["PROOF_SOAK_OUT"];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "soak.csv"), csvOf(rows));
  writeFileSync(join(folder, "soak.svg"), drawingOf(rows));
  report(`soak: ${rows.length} rows in ${resolve(folder)}`);
}

/** Compares, within each start of the daemon, the last third of the time after its warm-up with the first. */
function expectNoGrowth(rows: readonly ResourceUse[]): void {
  expect(Math.max(0, ...rows.map(({ walMiB }) => walMiB))).toBeLessThan(WAL_MIB_MAX);
  let judgedStarts = 0;
  for (const start of new Set(rows.map((row) => row.start))) {
    const all = rows.filter((row) => row.start === start);
    const warmS = (all[0]?.seconds ?? 0) + WARM_UP_S;
    const judged = all.filter(({ seconds }) => seconds >= warmS);
    if ((judged.at(-1)?.seconds ?? 0) < warmS + JUDGED_S) continue;
    judgedStarts += 1;
    const third = Math.ceil(judged.length / 3);
    const [early, late] = [judged.slice(0, third), judged.slice(-third)];
    const text = `start ${start}`;
    expect(middle(late, "rssMiB"), text).toBeLessThan(1.25 * middle(early, "rssMiB") + 10);
    expect(middle(late, "descriptors"), text).toBeLessThan(middle(early, "descriptors") + 5);
  }
  if (IS_JUDGED) expect(judgedStarts).toBeGreaterThan(0);
}

function middle(rows: readonly ResourceUse[], column: "rssMiB" | "descriptors"): number {
  const values = rows.map((row) => row[column]).sort((left, right) => left - right);
  return values[Math.floor(values.length / 2)] ?? 0;
}
