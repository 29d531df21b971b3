import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import { eventually } from "../support/eventually.ts";
import { MAIN } from "../support/built-program.ts";
import { RUN_LENGTH } from "../support/run-length.ts";
import { describeWithStrace, TracedDaemon } from "../support/traced-daemon.ts";
import { allSent, atCentre, expectedAtCentre } from "./both-sides.ts";
import { LeftInstallation } from "./left-installation.ts";

/*
 * The first start of this release with the files of 0.1.0 is ended by SIGKILL: at each of its syncs to the disk until it is
 * ready, and at points of its first work. The next start continues, and nothing is lost or doubled.
 */

const ARCHIVE = fileURLToPath(new URL("0.1.0/killed.tar.br", import.meta.url));
/** The start syncs about 34 times; later calls are at the mercy of timers. */
const SYNCS = 34;
const STEP = RUN_LENGTH.everyCall ? 1 : 6;
const PLACES = Array.from({ length: Math.ceil(SYNCS / STEP) }, (_, index) => index * STEP + 1);
/** Places of the daemon where it can end in its first work, and at which of its times. */
const LIMIT_MS = 600_000;
const POINTS = ["sync-posting-committed:1", "sync-answered:1", "sync-answered:2", "sync-writing-committed:1"];

vi.setConfig({ hookTimeout: 120_000 });
let left: LeftInstallation;
let records: number;
beforeEach(() => {
  left = new LeftInstallation(ARCHIVE);
  records = left.left().records.filter(({ isDeleted }) => isDeleted === 0).length;
});
afterEach(() => left.remove());

/** The next start finds everything, and brings it to the dispatch centre once. */
async function continues(): Promise<void> {
  await left.startSite();
  const here = (): Promise<Intervention[]> => left.site.get<Intervention[]>("/interventii");
  // The swinger shutdown of the window, which is open, has ended since: it is listed, once, however often a start was ended.
  await eventually("the open window to be listed", async () =>
    (await here()).some(({ name }) => name.startsWith("Armare cu")),
  );
  await allSent(left);
  // The trip that had no record yet has one.
  expect(await here()).toHaveLength(records + 2);
  expect(await atCentre(left)).toEqual(await expectedAtCentre(left));
  expect(await left.command("events", "verify")).toMatchObject({ code: 0 });
  expect(await left.site.get("/site/status")).toMatchObject({ conditions: noDamage });
}

/** No condition reports a damaged or lost database. */
const noDamage: unknown = expect.not.arrayContaining([
  expect.objectContaining({ name: expect.stringMatching(/^database|data-lost/) }),
]);

describeWithStrace("a first start that a power cut ends", () => {
  test.each(PLACES)(
    "at sync %i is continued by the next one",
    async (place) => {
      await left.startCentre();
      const daemon = new TracedDaemon({
        main: MAIN,
        configFile: join(left.folder, "site.yaml"),
        trace: ["-e", "trace=fsync", "-e", `inject=fsync:signal=KILL:when=${place}`],
        output: join(left.folder, "trace"),
      });
      await daemon.start();
      // With fewer syncs than that it would run on, and nothing would be continued.
      await daemon.gone();
      await continues();
    },
    LIMIT_MS,
  );
});

test.each(POINTS)(
  "a daemon that ends at %s after the upgrade continues at the next start",
  async (point) => {
    await left.startCentre();
    await left.startSite(left.site, { ...process.env, SANTINELA_FAILPOINT: point }).catch(() => {});
    await left.site.exited();
    await continues();
  },
  LIMIT_MS,
);
