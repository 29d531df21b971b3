import { expect, test } from "vitest";
import { loadBuild } from "./build.ts";
import { simulate, type Report } from "./simulation.ts";

/* `npm run simulate -- --seeds 2000 --from 1` sets these. */
const SEEDS = Number(process.env["SIMULATE_SEEDS"] ?? 60);
const FROM = Number(process.env["SIMULATE_FROM"] ?? 1);

test(`in ${SEEDS} runs with random faults, each record is at the dispatch centre exactly once at the end`, async () => {
  const build = await loadBuild();
  const reports: Report[] = [];
  for (let seed = FROM; seed < FROM + SEEDS; seed += 1) reports.push(await simulate({ build, seed }));
  const wrong = reports.filter(({ problems }) => problems.length > 0);
  const sum = (of: (report: Report) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  process.stdout.write(
    `${SEEDS} seeds from ${FROM}: ${sum(({ records }) => records)} records, ${sum(({ ambiguous }) => ambiguous)} writes ` +
      `left unanswered, ${sum(({ late }) => late)} that came late, ${sum(({ crashes }) => crashes)} power cuts, ` +
      `${sum(({ requests }) => requests)} requests; ${wrong.length} seeds wrong\n`,
  );
  expect(wrong.map(({ seed, problems }) => ({ seed, problems }))).toEqual([]);
}, 3_600_000);

test(`in ${SEEDS} runs in which the records are a thread that ends in the middle of calls, it is there exactly once too`, async () => {
  const build = await loadBuild();
  const reports: Report[] = [];
  for (let seed = FROM; seed < FROM + SEEDS; seed += 1)
    reports.push(await simulate({ build, seed, hasThreads: true }));
  const sum = (of: (report: Report) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  process.stdout.write(
    `${SEEDS} seeds from ${FROM} with threads: ${sum(({ records }) => records)} records, ${sum(({ ends }) => ends)} ends of the ` +
      `records, ${sum(({ unanswered }) => unanswered)} calls without an answer\n`,
  );
  expect(sum(({ unanswered }) => unanswered)).toBeGreaterThan(0);
  const wrong = reports.filter(({ problems }) => problems.length > 0);
  expect(wrong.map(({ seed, problems }) => ({ seed, problems }))).toEqual([]);
}, 3_600_000);

test.each([
  [2224, "was rejected and deleted on site during an earlier attempt"],
  [635, "needed a correction, whose attempt failed, and the old value counted as known"],
  [3692, "needed a correction, whose attempt failed, and was not retried"],
  [1040, "reached a restored dispatch centre late, under the id of another record"],
  [1106, "had a duplicate, and a later local text looked like a change by a dispatcher"],
  [1037, "was due for a sweep, with a clock step during the back-off before a power cut"],
  [2782, "was unconfirmed during a clock step, and counted as resolved by the new time"],
  [3929, "reached a restored dispatch centre with new records late, below its watermark"],
  [5128, "had a duplicate, and in-flight values were dropped before it was found"],
  [1341, "was missing at a restored dispatch centre, whose list was unreadable at that time"],
  [
    263,
    "was deleted at the dispatch centre before its late duplicate was found, whose old values counted as a dispatcher's",
  ],
  [559, "was deleted on site before the response to its POST, at a dispatch centre with one-page lists"],
])("regression seed %i: a record %s", async (seed) => {
  expect((await simulate({ build: await loadBuild(), seed })).problems).toEqual([]);
});
