import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { AcknowledgedWrites } from "../support/acknowledged-writes.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { countByObjective, MAIN, seededRandom } from "../support/installation.ts";
import { report, RUN_LENGTH } from "../support/run-length.ts";
import { allOf, SiteAndCentre } from "../support/site-and-centre.ts";
import { describeWithStrace, TracedDaemon } from "../support/traced-daemon.ts";

/*
 * Fault injection into one disk call of the shipped program, selected by count: a power cut before the nth sync
 * or write, or errors from the nth call for a time. This interrupts every commit on the path of a trip once,
 * without a hook in the program.
 */

/** A start makes a few syncs and two dozen writes until it is ready; this test then needs more than the others. */
const SYNCS = 26;
const WRITES = 84;
const every = RUN_LENGTH.everyCall;
const numbers = (last: number, step: number): number[] =>
  Array.from({ length: Math.floor(last / step) }, (_, index) => (index + 1) * step);

type Kill = readonly [what: string, call: number, name: string];
const KILLS: readonly Kill[] = [
  ...(every ? numbers(SYNCS, 1) : [6, 11]).map((call): Kill => ["sync", call, "fsync"]),
  ...(every ? numbers(WRITES, 2) : [41]).map((call): Kill => ["write", call, "pwrite64"]),
];

type Refusal = readonly [what: string, call: number, name: string, error: string];
const REFUSALS: readonly Refusal[] = [
  ...(every ? numbers(WRITES, 6) : [30]).map((call): Refusal => [
    "has no space left",
    call,
    "pwrite64",
    "ENOSPC",
  ]),
  ...(every ? numbers(WRITES, 6) : [36]).map((call): Refusal => ["fails to write", call, "pwrite64", "EIO"]),
  ...(every ? numbers(SYNCS, 2) : [9]).map((call): Refusal => ["fails to sync", call, "fsync", "EIO"]),
];
/** Number of consecutive failing calls. */
const REFUSED_CALLS = 25;

const ZONES = KILLS.length + REFUSALS.length;
const zoneYaml = Array.from(
  { length: ZONES },
  (_, index) =>
    `  - { id: door-${index}, name: Door ${index}, kind: intrusion, objective: { type: obiective/cladiri, id: ${index + 2} }, input: { simulated: true } }\n`,
).join("");

describeWithStrace("a disk that fails at one call", () => {
  const both = new SiteAndCentre({ siteYaml: `mqtt: off\nzones:\n${zoneYaml}`, buildings: 1 + ZONES });
  const siteDir = (): string => join(both.installation.folder, "site");
  const recording = (): string => join(both.installation.folder, "calls");
  const writes = new AcknowledgedWrites(() => siteDir(), seededRandom(RUN_LENGTH.seed));
  /** Buildings whose contact was acknowledged. */
  const tripped: number[] = [];
  let zones = 0;
  let traced: TracedDaemon | undefined;

  beforeAll(async () => {
    await both.start();
    for (let zone = 0; zone < ZONES; zone += 1) await simulate(zone, "normal");
    await both.site.end("SIGTERM");
  });
  afterEach(() => traced?.end("SIGKILL"));
  afterAll(() => both.remove());

  function simulate(zone: number, contact: "open" | "normal"): Promise<number> {
    return askDaemon(siteDir(), "POST", "/site/simulate", { zone: `door-${zone}`, contact }).then(
      ({ status }) => status,
      () => 0,
    );
  }

  /** Starts the site with a failing disk, opens a contact and writes as a client. @returns whether it became ready */
  async function workWith(inject: string): Promise<boolean> {
    traced = new TracedDaemon({
      main: MAIN,
      configFile: join(both.installation.folder, "site.yaml"),
      trace: ["-e", "trace=fsync,pwrite64", "-e", `inject=${inject}`],
      output: recording(),
    });
    const zone = zones;
    zones += 1;
    if (!(await traced.start())) return false;
    const [status] = await Promise.all([simulate(zone, "open"), writes.write(4)]);
    if (status === 200) tripped.push(zone + 2);
    return true;
  }

  /** Starts the site on a working disk, on which writes work again, and checks all acknowledged data. */
  async function expectNothingLost(): Promise<void> {
    await both.site.start();
    // Also of a site that did not come to serve while its disk failed.
    await eventually("a write to be accepted", async () => (await writes.write(1)) > 0, 60_000);
    await eventually("every trip to have its record", async () => {
      const counts = countByObjective(await allOf(siteDir()));
      return tripped.every((building) => counts.has(building));
    });
    await both.settle(90_000);
    const records = await allOf(siteDir());
    const counts = countByObjective(records.filter(({ objectiveId }) => objectiveId > 1));
    expect([...counts].filter(([, count]) => count !== 1)).toEqual([]);
    expect(writes.faults(records)).toEqual([]);
    await both.expectExactlyOnce();
    await both.site.end("SIGTERM");
  }

  test.each(KILLS)(
    "a power cut before %s number %i: acknowledged data exists once",
    { timeout: 120_000 },
    async (_what, call, name) => {
      const wasReady = await workWith(`${name}:signal=SIGKILL:when=${call}`);
      await eventually("the power cut, or the end of all work", async () => {
        return traced?.isGone === true || (await both.ask()).summary.waiting === 0;
      });
      const when = wasReady ? (traced?.isGone === true ? "at work" : "never") : "while starting";
      await traced?.end("SIGTERM");
      if (!every) expect(when).not.toBe("never");
      await expectNothingLost();
      report(`killed before ${name} ${call} (${when}): 0 lost, 0 twice`);
    },
  );

  test.each(REFUSALS)(
    "the disk %s from call %i on for a time: acknowledged data exists once, and writes work again",
    { timeout: 120_000 },
    async (_what, call, name, error) => {
      const wasReady = await workWith(`${name}:error=${error}:when=${call}..${call + REFUSED_CALLS}`);
      if (wasReady)
        await eventually("a write to be taken again", async () => (await writes.write(1)) > 0, 60_000);
      await traced?.end("SIGTERM");
      const refused = readFileSync(recording(), "latin1").match(/\(INJECTED\)/g)?.length ?? 0;
      if (!every) expect(refused).toBeGreaterThan(0);
      await expectNothingLost();
      report(
        `${refused} times ${error} at ${name} ${call} (${wasReady ? "at work" : "while starting"}): 0 lost, 0 twice`,
      );
    },
  );
});
