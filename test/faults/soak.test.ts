import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { connectAsync, type MqttClient } from "mqtt";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import { askDaemon } from "../support/control-socket.ts";
import { pause, seededRandom } from "../support/installation.ts";
import { LINE_FAULT_NAMES, LINE_FAULTS } from "../support/line-faults.ts";
import { describeWithMosquitto, startMosquitto, type Mosquitto } from "../support/mosquitto.ts";
import { csvOf, drawingOf, processOf, resourcesOf, type ResourceUse } from "../support/resource-use.ts";
import { report, RUN_LENGTH } from "../support/run-length.ts";
import { SiteAndCentre } from "../support/site-and-centre.ts";

/*
 * A long run of a site with link outages and broker crashes: `npm run soak -- --hours 24`. At the end both
 * sides match, and the resource use of the daemon has not grown.
 */

const ZONES = 20;
const LIVING_MAX = 100;
/** Growth is measured only after this warm-up of a longer run. */
const JUDGED_FROM_S = 600;
/**
 * Both write-ahead logs: each is truncated to 4 MiB at a checkpoint (src/store/database.ts) and may grow until
 * the next.
 */
const WAL_MIB_MAX = 16;
const RUN_MS = RUN_LENGTH.soakSeconds * 1000;
/** At most two thousand rows, and at most one a second. */
const ROW_MS = Math.max(1000, RUN_MS / 2000);

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
    });
    await both.start();
  });
  afterAll(async () => {
    await sensors.endAsync(true);
    await both.remove();
    await broker.stop();
  });

  /** Repeats an action with random pauses until the end of the run. */
  async function again(pauseMs: number, work: () => Promise<unknown>): Promise<void> {
    while (!over.signal.aborted) {
      await work();
      // Short enough not to delay the end of the run.
      for (let left = random() * 2 * pauseMs; left > 0 && !over.signal.aborted; left -= 500)
        await pause(Math.min(left, 500));
    }
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

  async function watch(rows: ResourceUse[]): Promise<void> {
    const folder = both.installation.folder;
    const pid = processOf(join(folder, "site.yaml"));
    const startedMs = performance.now();
    let slowestAnswerMs = 0;
    let rowMs = startedMs;
    await again(50, async () => {
      const askedMs = performance.now();
      const { value } = await askDaemon(join(folder, "site"), "GET", "/site/status");
      slowestAnswerMs = Math.max(slowestAnswerMs, performance.now() - askedMs);
      if (pid === undefined || performance.now() < rowMs + ROW_MS) return;
      rowMs = performance.now();
      const { waiting } = (value as { outbox: { waiting: number } }).outbox;
      const seconds = (rowMs - startedMs) / 1000;
      rows.push({ seconds, slowestAnswerMs, waiting, ...resourcesOf(pid, join(folder, "site")) });
      slowestAnswerMs = 0;
    });
  }

  test(
    "a site matches its dispatch centre at the end, and uses no more resources than at the start",
    async () => {
      const rows: ResourceUse[] = [];
      const living: Intervention[] = [];
      const work = [
        watch(rows),
        again(250, () => write(living)),
        again(500, async () => {
          const topic = `sensors/gate-${Math.floor(random() * ZONES)}`;
          await sensors.publishAsync(topic, JSON.stringify({ contact: random() < 0.5 }), { qos: 1 });
        }),
        again(Math.min(20_000, RUN_MS / 4), spoilLine),
        again(Math.min(300_000, RUN_MS / 2), async () => {
          await broker.kill();
          await broker.startAgain();
        }),
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
        `soak: ${RUN_LENGTH.soakSeconds} s, ${records} records and ${deleted} deleted ones, both sides agree`,
      );
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

/** Compares the last quarter with the second one, after the warm-up. */
function expectNoGrowth(rows: readonly ResourceUse[]): void {
  expect(Math.max(0, ...rows.map(({ walMiB }) => walMiB))).toBeLessThan(WAL_MIB_MAX);
  if ((rows.at(-1)?.seconds ?? 0) < JUDGED_FROM_S) return;
  const quarter = Math.floor(rows.length / 4);
  const middle = (column: "rssMiB" | "descriptors", from: number): number => {
    const values = rows.slice(from, from + quarter).map((row) => row[column]);
    return values.sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
  };
  expect(middle("rssMiB", 3 * quarter)).toBeLessThan(1.25 * middle("rssMiB", quarter) + 10);
  expect(middle("descriptors", 3 * quarter)).toBeLessThan(middle("descriptors", quarter) + 5);
}
