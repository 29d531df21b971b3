import { expect, test } from "vitest";
import { weekOf } from "./additions.ts";
import { plainWeekOf, type Week } from "./building.ts";
import { RULES } from "./oracle.ts";
import { play } from "./play.ts";
import { shrunk } from "./shrink.ts";
import type { Story } from "./story.ts";

/*
 * `npm run promise -- --seeds 2000 --from 1` sets these; `--seed 17` also prints the run, `--plain` runs the
 * plain week of a seed, and failing runs are reduced and printed.
 */
const SEEDS = Number(process.env["PROMISE_SEEDS"] ?? 200);
const FROM = Number(process.env["PROMISE_FROM"] ?? 1);
const IS_ONE = process.env["PROMISE_STORY"] === "1";
const IS_PLAIN = process.env["PROMISE_PLAIN"] === "1";
/** Time limit for reducing a failing run; 0 disables it. */
const SHRINK_MS = Number(process.env["PROMISE_SHRINK_S"] ?? 0) * 1000;
/** Only the first failures are printed. */
const SHRUNK_MAX = 3;
/** Regression weeks: earlier failures of the daemon or of this test. They always run. */
const FOUND: readonly number[] = [68, 86, 91, 110, 111, 186, 189, 207, 231, 260];
/** Rules that this release still violates. A rule that no seed violates must be removed from this list. */
const NOT_YET = new Set<string>();
/** Maximum lines of a failure, for rules that every seed violates. */
const SHOWN_MAX = 5;

/** The seeds are divided between files, so that they run in parallel. */
const FILES = 4;

interface Played {
  readonly name: string;
  readonly week: () => Week;
}

function stories(): Played[] {
  const numbers = Array.from({ length: SEEDS }, (_, index) => FROM + index);
  const plain = (seed: number): Played => ({ name: `${seed} --plain`, week: () => plainWeekOf(seed) });
  const whole = numbers.map((seed): Played =>
    IS_PLAIN ? plain(seed) : { name: `${seed}`, week: () => weekOf(seed) },
  );
  return IS_ONE ? whole : [...whole, ...FOUND.map(plain)];
}

/** Runs the seeds of one file as one test each. @param part number of the file, from 0 */
export function tellStories(part: number): void {
  const own = stories().filter((_, index) => index % FILES === part);
  test.skipIf(own.length === 0)(
    `over ${own.length} stories of a building, no alarm is left out of the records`,
    () => tell(own),
    3_600_000,
  );
}

async function tell(own: readonly Played[]): Promise<void> {
  const broken = new Map<string, string[]>();
  let openings = 0;
  let shrinkings = 0;
  for (const { name, week } of own) {
    const story = await play(week());
    openings += story.trips.length;
    if (IS_ONE) print(story);
    const violations = violationsOf(story);
    for (const [rule, [first, ...more]] of violations) {
      const others = more.length === 0 ? "" : ` (and ${more.length} more)`;
      broken.set(rule, [...(broken.get(rule) ?? []), `seed ${name}: ${first ?? ""}${others}`]);
    }
    if (violations.length === 0 || SHRINK_MS === 0 || shrinkings >= SHRUNK_MAX) continue;
    shrinkings += 1;
    await printShrunk(
      name,
      week(),
      violations.map(([rule]) => rule),
    );
  }
  expect(openings, "rows of the journal").toBeGreaterThan(0);
  const failures = [...broken].filter(([rule]) => !NOT_YET.has(rule));
  expect(failures.map(([rule, all]) => [rule, ...all.slice(0, SHOWN_MAX), `${all.length} seeds`])).toEqual(
    [],
  );
  // A single run may satisfy by chance a rule that the release violates.
  if (own.length > 1) expect([...NOT_YET].filter((rule) => !broken.has(rule))).toEqual([]);
}

function violationsOf(story: Story): [rule: string, violations: string[]][] {
  return Object.entries(RULES)
    .map(([rule, violations]): [string, string[]] => [rule, violations(story)])
    .filter(([, violations]) => violations.length > 0);
}

function print(story: Story): void {
  process.stdout.write(`${story.lines.join("\n")}\n`);
  for (const [rule, violations] of violationsOf(story))
    process.stdout.write(`${rule}:\n${violations.join("\n")}\n`);
}

async function printShrunk(name: string, week: Week, rules: readonly string[]): Promise<void> {
  const breaks = async (shorter: Week): Promise<boolean> =>
    violationsOf(await play(shorter)).some(([rule]) => rules.includes(rule));
  const short = await shrunk(week, breaks, SHRINK_MS);
  const counts = `${short.happenings.length} of ${week.happenings.length} happenings, ${short.building.zones.length} of ${week.building.zones.length} zones`;
  process.stdout.write(`\nseed ${name}, made shorter (${counts}):\n`);
  for (const { id, name: zone, kind, gate, style } of short.building.zones)
    process.stdout.write(`${id} ${zone}: ${kind}, ${gate}, ${style}\n`);
  print(await play(short));
}
