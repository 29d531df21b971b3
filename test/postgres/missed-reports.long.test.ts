import { afterEach, beforeEach, expect, test } from "vitest";
import type { Clock } from "../../src/domain/clock.ts";
import type { Fleet } from "../../src/service/fleet.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import type { SilenceTimes } from "../../src/domain/site-silence.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { PostgresFleet } from "../../src/postgres/postgres-fleet.ts";
import { SilenceWatch } from "../../src/service/silence-watch.ts";
import { OPERATOR_USER } from "../support/app.ts";
import { REPORT, SILENCE } from "../support/fleet.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* Two processes of a centre look for silent sites, and one of them, or their database, is the reason for missing reports. */

const SILENT_MS = 600_000;
/** Of all sites, and of one that has a time of its own. */
const TIMES: SilenceTimes = { silentS: 600, sites: { bank: 20 } };

/** One process: its fleet and its watch. */
interface Process {
  readonly centre: PostgresCentre;
  readonly fleet: Fleet;
  watch: SilenceWatch;
  looksOver: number;
  /** The timers that are due while the process stands still; undefined while it runs. */
  held: (() => void)[] | undefined;
}

describeOnPostgres("two processes that look for silent sites", (server) => {
  let url: string;
  let clock: ManualClock;
  /** How far the clock of the server is ahead of that of this machine. */
  let serverAheadMs: number;
  let both: [Process, Process];
  let silences: string[];
  let times: SilenceTimes;
  /** Interval of the looks. */
  let lookMs: number;

  function watchOf(one: Omit<Process, "watch">): SilenceWatch {
    const log = new JsonLog({ level: "warn", clock, write: (line) => void silences.push(line) });
    const counted: Clock = {
      wallMs: () => clock.wallMs(),
      monotonicMs: () => clock.monotonicMs(),
      afterEventLoopTurn: (action) => clock.afterEventLoopTurn(action),
      after: (delayMs, action) => {
        if (delayMs === lookMs) one.looksOver += 1;
        return clock.after(delayMs, () => (one.held ? void one.held.push(action) : action()));
      },
    };
    const conditions = new ConditionRegistry(clock, log);
    return new SilenceWatch({ fleet: one.fleet, clock: counted, conditions, log, times });
  }

  async function start(): Promise<Process> {
    const centre = await PostgresCentre.open(url, clock);
    await centre.accounts.ensureDevice();
    const fleet = new PostgresFleet({
      connections: centre.connections,
      clock,
      timezone: "Europe/Bucharest",
      dispeceratId: 7,
      newUid: () => crypto.randomUUID(),
      locale: "en",
      nowMs: () => clock.wallMs() + serverAheadMs,
    });
    const one: Omit<Process, "watch"> = { centre, fleet, looksOver: 0, held: undefined };
    const made = Object.assign(one, { watch: watchOf(one) });
    made.watch.start();
    return made;
  }

  beforeEach(async () => {
    url = await server.newDatabase();
    clock = new ManualClock();
    serverAheadMs = 0;
    silences = [];
    [times, lookMs] = [SILENCE, 15_000];
    both = [await start(), await start()];
  });
  afterEach(async () => {
    for (const { watch, centre } of both) {
      await watch.stop();
      await centre.close();
    }
  });

  const report = (at: Process, ref = REPORT.ref) => at.fleet.report({ ...REPORT, ref }, OPERATOR_USER);
  const repairs = async (): Promise<number> =>
    (await both[1].centre.connections.query(`SELECT 1 FROM interventions WHERE "type" = 'repair'`)).length;

  /** Passes time in steps of one look, each of which is completed by these processes. */
  async function pass(ms: number, looking: readonly Process[] = both, alive?: Process): Promise<void> {
    for (let passed = 0; passed < ms; passed += lookMs) {
      const due = looking.map((one) => [one, one.looksOver + 1] as const);
      clock.advance(lookMs);
      for (const [one, count] of due)
        while (one.looksOver < count) await new Promise((resolve) => void setImmediate(resolve));
      if (alive) await report(alive);
    }
  }

  test("do not call a site silent whose report one of them has refused, and the other could not know", async () => {
    const [first] = both;
    await pass(SILENT_MS + lookMs, both, first);
    await pass(SILENT_MS / 2);
    first.fleet.reportsMissed();
    await pass(SILENT_MS - lookMs);
    expect(await repairs()).toBe(0);
    await report(first);
    await pass(SILENT_MS - lookMs);
    expect(await repairs()).toBe(0);
    await pass(4 * lookMs);
    expect(await repairs()).toBe(1);
  });

  test("give a bank its whole time again after a stop of seconds of the one that it reports to, and the others no more", async () => {
    for (const { watch, centre } of both) {
      await watch.stop();
      await centre.close();
    }
    [times, lookMs] = [TIMES, 5_000];
    both = [await start(), await start()];
    const [first, second] = both;
    await pass(30_000, both, first);
    await report(first, "bank");
    await pass(10_000);
    // A report of the bank arrives in these seven seconds, and its connection is closed before it is read.
    first.held = [];
    await pass(5_000, [second]);
    clock.advance(2_000);
    const { held } = first;
    first.held = undefined;
    const before = first.looksOver;
    for (const action of held) action();
    while (first.looksOver === before) await new Promise((resolve) => void setImmediate(resolve));
    await pass(15_000);
    expect(await repairs()).toBe(0);
    await report(first, "bank");
    await pass(35_000);
    expect(await repairs()).toBe(1);
    await pass(530_000);
    expect(await repairs()).toBe(1);
    await pass(20_000);
    expect(await repairs()).toBe(2);
  });

  test("learn of a missed report also from a sign that was stored while they waited for the database", async () => {
    const [first, second] = both;
    const looks = { silentMs: SILENT_MS, signMs: lookMs };
    await pass(SILENT_MS + lookMs, both, first);
    first.fleet.reportsMissed();
    await first.fleet.reception(looks);
    // The second process has read the time of the server a second ago.
    serverAheadMs = -1_000;
    const { sinceMs } = await second.fleet.reception(looks);
    expect(sinceMs).toBe(clock.wallMs());
  });

  test("wait for a process that gives no sign, count it as lost, and give its sites the whole time", async () => {
    const [first, second] = both;
    await pass(SILENT_MS + lookMs, both, first);
    await pass(SILENT_MS - 2 * lookMs);
    await first.watch.stop();
    await pass(SILENT_MS, [second]);
    expect(await repairs()).toBe(0);
    await pass(8 * lookMs, [second]);
    expect(await repairs()).toBe(1);
  });

  test("do not wait for one that has just been started beside one that has been running", async () => {
    const [first, second] = both;
    await pass(SILENT_MS + lookMs, both, first);
    await pass(SILENT_MS - 2 * lookMs);
    const third = await start();
    // As late as with two processes: docs/fleet.md.
    await pass(5 * lookMs, [first, second, third]);
    expect(await repairs()).toBe(1);
    await third.watch.stop();
    await third.centre.close();
  });

  test("call no site silent because the server's clock, or that of the next primary, is a day ahead or behind", async () => {
    const [first] = both;
    await pass(SILENT_MS + lookMs, both, first);
    serverAheadMs = 86_400_000;
    await pass(SILENT_MS - lookMs, both);
    await report(first);
    serverAheadMs = -86_400_000;
    await pass(SILENT_MS - lookMs, both);
    expect(await repairs()).toBe(0);
    await pass(SILENT_MS + 4 * lookMs, both);
    expect(await repairs()).toBe(1);
  });

  test(
    "give each site the whole time after their database was gone for longer",
    { timeout: 120_000 },
    async () => {
      const [first] = both;
      await pass(SILENT_MS + lookMs, both, first);
      await server.kill();
      await pass(SILENT_MS + 4 * lookMs);
      await server.startAgain();
      await pass(SILENT_MS - lookMs);
      expect(await repairs()).toBe(0);
      await pass(4 * lookMs);
      expect(await repairs()).toBe(1);
    },
  );

  test("find a silence once, although both decide at the same moment", async () => {
    const [first] = both;
    await pass(SILENT_MS + lookMs, both, first);
    await pass(2 * SILENT_MS);
    expect(await repairs()).toBe(1);
    expect(silences.filter((line) => line.includes("site-silent"))).toHaveLength(1);
  });
});
