import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { SyncTimeouts } from "../../src/domain/backoff.ts";
import { BUILD } from "../support/built-program.ts";
import { removeRules, type RemovedRule } from "../support/removed-rules.ts";
import { loadBuild } from "./build.ts";
import { RULES } from "./rules.ts";
import { simulate, type SimulationOptions } from "./simulation.ts";

/* The simulation is useful only if it detects missing rules: each rule is removed from a copy of build/. */

const ROOT = new URL("../../", import.meta.url).pathname;
/** Maximum number of seeds until one fails. */
const SEEDS_MAX = 150;
const NEVER_SWEPT: Partial<SyncTimeouts> = { sweepDelaysMs: [] };
const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

/** A copy of the built program without these rules. */
function without(rules: readonly RemovedRule[]): string {
  const folder = mkdtempSync(join(tmpdir(), "santinela-without-"));
  folders.push(folder);
  for (const part of ["client", "domain", "generated", "service", "store", "sync", "threads"])
    cpSync(join(BUILD, part), join(folder, "build", part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  removeRules(join(folder, "build"), rules);
  return `${folder}/build/`;
}

/** Seeds with a third-party dispatch centre: every third one from here. */
const FOREIGN_FROM = 6_003;

async function firstWrongSeed(
  options: Omit<SimulationOptions, "seed">,
  { from = 1, step = 1 }: { from?: number; step?: number } = {},
): Promise<number | undefined> {
  for (let seed = from; seed < from + SEEDS_MAX * step; seed += step)
    if ((await simulate({ ...options, seed })).problems.length > 0) return seed;
  return undefined;
}

test("without the wait and the sweeps, a request that arrives late creates a duplicate", async () => {
  const timeouts = { resendAfterMs: { alarm: 0, other: 0 }, ...NEVER_SWEPT };
  expect(await firstWrongSeed({ build: await loadBuild(), timeouts })).toBeGreaterThan(0);
}, 600_000);

test.each<[what: string, timeouts: Partial<SyncTimeouts>, ...rules: RemovedRule[]]>([
  ["the frozen body, a change made meanwhile is sent under the key of another body", {}, RULES.frozenBody],
  [
    "the watermark of the first attempt, a record that arrived is not found",
    NEVER_SWEPT,
    RULES.firstWatermark,
  ],
  ["the record of a started attempt, a power cut creates a duplicate", NEVER_SWEPT, RULES.startedAttempt],
  ["the merge, changes of a dispatcher and of a user are not combined", {}, RULES.merge],
  [
    "the audit, records lost by a restored dispatch centre stay lost",
    {},
    RULES.lostRecords,
    RULES.verification,
    RULES.formerIds,
  ],
])(
  "without %s",
  async (_what, timeouts, ...rules) => {
    const build = await loadBuild(without(rules), ".js");
    expect(await firstWrongSeed({ build, timeouts })).toBeGreaterThan(0);
  },
  600_000,
);

test("without the key of a call, a call whose answer was lost with its thread creates a duplicate when it is repeated", async () => {
  const build = await loadBuild(without([RULES.keyOfCall]), ".js");
  expect(await firstWrongSeed({ build, hasThreads: true })).toBeGreaterThan(0);
}, 600_000);

/*
 * Seeds whose dispatch centre has a single page, and seeds with delayed reads. Single ids show a record that has
 * arrived; only the whole list, part by part, proves that a lost one has not.
 */
test("at a dispatch centre without pages, without the partial reads, an unconfirmed record is never sent again", async () => {
  const build = await loadBuild(without([RULES.partialReads]), ".js");
  expect(await firstWrongSeed({ build }, { from: 7, step: 8 })).toBeGreaterThan(0);
}, 600_000);

test("at a dispatch centre with delayed reads, without the second read, a new record counts as deleted", async () => {
  const build = await loadBuild(without([RULES.secondRead]), ".js");
  expect(await firstWrongSeed({ build }, { from: 6, step: 7 })).toBeGreaterThan(0);
}, 600_000);

test.each<[what: string, timeouts: Partial<SyncTimeouts>, ...rules: RemovedRule[]]>([
  ["the ownership check, a record created by a user under the same id is changed", {}, RULES.ownership],
  ["the second read, one 404 of a gateway makes an existing record count as deleted", {}, RULES.secondRead],
  [
    "the sweep after a success and the comparison, a request delivered twice leaves a duplicate",
    {},
    RULES.sweepAfterSuccess,
    RULES.comparison,
  ],
])(
  "at a third-party dispatch centre without %s",
  async (_what, timeouts, ...rules) => {
    const build = await loadBuild(without(rules), ".js");
    expect(await firstWrongSeed({ build, timeouts }, { from: FOREIGN_FROM, step: 3 })).toBeGreaterThan(0);
  },
  600_000,
);
