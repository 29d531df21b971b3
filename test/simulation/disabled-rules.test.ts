import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { SyncTimeouts } from "../../src/domain/backoff.ts";
import { BUILD } from "../support/built-program.ts";
import { loadBuild } from "./build.ts";
import { simulate, type SimulationOptions } from "./simulation.ts";

/* The simulation is useful only if it detects missing rules: each rule is removed from a copy of build/. */

const ROOT = new URL("../../", import.meta.url).pathname;
/** Maximum number of seeds until one fails. */
const SEEDS_MAX = 150;
const NEVER_SWEPT: Partial<SyncTimeouts> = { sweepDelaysMs: [] };
const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

interface RemovedRule {
  readonly file: string;
  readonly rule: string;
  readonly instead: string;
}

/** A copy of the built program without a rule. The text of the rule must occur exactly once. */
function without(rules: readonly RemovedRule[]): string {
  const folder = mkdtempSync(join(tmpdir(), "santinela-without-"));
  folders.push(folder);
  for (const part of ["client", "domain", "generated", "service", "store", "sync", "threads"])
    cpSync(join(BUILD, part), join(folder, "build", part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  for (const { file, rule, instead } of rules) {
    const path = join(folder, "build", file);
    const text = readFileSync(path, "utf8");
    expect(text.split(rule), `${file} has ${rule}`).toHaveLength(2);
    writeFileSync(
      path,
      text.replace(rule, () => instead),
    );
  }
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
  [
    "the frozen body, a change made meanwhile is sent under the key of another body",
    {},
    {
      file: "sync/recovery/unconfirmed-post.js",
      rule: "const attempt = entry.attempt && { ...entry.attempt, atMs: clock.wallMs() };",
      instead:
        "const attempt = store.newAttempt({ ...entry, attempt: null, sends: 0 }, store.record(entry.interventionId));",
    },
  ],
  [
    "the watermark of the first attempt, a record that arrived is not found",
    NEVER_SWEPT,
    {
      file: "sync/recovery/unconfirmed-post.js",
      rule: "await recordsAbove(centre.of(asked), watermarkOf(asked))",
      instead:
        "await recordsAbove(centre.of(asked), await centre.of(asked).newest(0, 1).then(({ value }) => ({ id: value?.[0]?.id ?? 0, rowFingerprint: null })))",
    },
  ],
  [
    "the record of a started attempt, a power cut creates a duplicate",
    NEVER_SWEPT,
    {
      file: "domain/outbox-phase.js",
      rule: 'restart: "unsure",\n    },\n    unsure',
      instead: 'restart: "new",\n    },\n    unsure',
    },
  ],
  [
    "the merge, changes of a dispatcher and of a user are not combined",
    {},
    { file: "domain/merge.js", rule: "else if (thereChanged && !hereChanged)", instead: "else if (false)" },
  ],
  [
    "the audit, records lost by a restored dispatch centre stay lost",
    {},
    {
      file: "sync/recovery/highest-id.js",
      rule: "store.outbox.linkedBetween(topId, linkedId) >= MIN_LOST_RECORDS",
      instead: "false",
    },
    {
      file: "store/outbox.js",
      rule: "SET verify_at = ${VERIFY_IMMEDIATELY} WHERE phase = 'linked'",
      instead: "SET verify_at = verify_at WHERE phase = 'linked'",
    },
    {
      file: "sync/recovery/gone-records.js",
      rule: "if (formerIdOf(entry) < fromId)",
      instead: "if (fromId >= 0)",
    },
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
  const rule = {
    file: "service/interventions.js",
    rule: "const earlier = idempotency && this.#replayedResponse(principal, idempotency, keyed);",
    instead: "const earlier = undefined;",
  };
  const build = await loadBuild(without([rule]), ".js");
  expect(await firstWrongSeed({ build, hasThreads: true })).toBeGreaterThan(0);
}, 600_000);

/*
 * Seeds whose dispatch centre has a single page, and seeds with delayed reads. Single ids show a record that has
 * arrived; only the whole list, part by part, proves that a lost one has not.
 */
test("at a dispatch centre without pages, without the partial reads, an unconfirmed record is never sent again", async () => {
  const rule = {
    file: "sync/recovery/record-search.js",
    rule: "const parts = await readByParts(centre, rows, centre.rowsMax);",
    instead: 'const parts = { kind: "cut", rows: [] };',
  };
  const build = await loadBuild(without([rule]), ".js");
  expect(await firstWrongSeed({ build }, { from: 7, step: 8 })).toBeGreaterThan(0);
}, 600_000);

test("at a dispatch centre with delayed reads, without the second read, a new record counts as deleted", async () => {
  const rule = {
    file: "domain/absence.js",
    rule: "if (sinceMs === null)",
    instead: 'if (true)\n        return { kind: "believe" };\n    if (sinceMs === null)',
  };
  const build = await loadBuild(without([rule]), ".js");
  expect(await firstWrongSeed({ build }, { from: 6, step: 7 })).toBeGreaterThan(0);
}, 600_000);

test.each<[what: string, timeouts: Partial<SyncTimeouts>, ...rules: RemovedRule[]]>([
  [
    "the ownership check, a record created by a user under the same id is changed",
    {},
    {
      file: "domain/match-candidate.js",
      rule: 'if (markersIn(row).length > 0 || isOlder || isElsewhere)\n        return "anothers";',
      instead: 'if (row.objectiveType === base.objectiveType)\n        return "ours";',
    },
  ],
  [
    "the second read, one 404 of a gateway makes an existing record count as deleted",
    {},
    {
      file: "domain/absence.js",
      rule: "if (sinceMs === null)",
      instead: 'if (true)\n        return { kind: "believe" };\n    if (sinceMs === null)',
    },
  ],
  [
    "the sweep after a success and the comparison, a request delivered twice leaves a duplicate",
    {},
    {
      file: "sync/attempt-outcome.js",
      rule: "return store.facts.honoursKeys || sweepDelaysMs.length === 0 ? undefined : resendAfterMs.other;",
      instead: "return undefined;",
    },
    {
      file: "sync/recovery/record-audit.js",
      rule: "if (clock.monotonicMs() < this.#dueAtMs || !linkFaults.isOpen)",
      instead: "if (this.#dueAtMs > -1)",
    },
  ],
])(
  "at a third-party dispatch centre without %s",
  async (_what, timeouts, ...rules) => {
    const build = await loadBuild(without(rules), ".js");
    expect(await firstWrongSeed({ build, timeouts }, { from: FOREIGN_FROM, step: 3 })).toBeGreaterThan(0);
  },
  600_000,
);
