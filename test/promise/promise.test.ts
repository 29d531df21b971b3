import { expect, test } from "vitest";
import { weekOf } from "./building.ts";
import { RULES } from "./oracle.ts";
import { play } from "./play.ts";

/* `npm run promise -- --seeds 200 --from 1` sets these; `--seed 17` prints the story as well. */
const SEEDS = Number(process.env["PROMISE_SEEDS"] ?? 60);
const FROM = Number(process.env["PROMISE_FROM"] ?? 1);
const IS_TOLD = process.env["PROMISE_STORY"] === "1";
/** Seeds that once showed a fault, of the daemon or of this test. They are always played. */
const FOUND: readonly number[] = [68, 86, 91, 110, 111, 189, 207, 231, 260];
/** Rules that this release does not keep yet. One that no seed breaks any more must leave this list. */
const NOT_YET = new Set<string>();
/** Lines of a failure, so that a rule that every seed breaks can be read. */
const SHOWN_MAX = 5;

const seeds = IS_TOLD
  ? [FROM]
  : [...new Set([...Array.from({ length: SEEDS }, (_, index) => FROM + index), ...FOUND])];

test(`over ${seeds.length} stories of a building, no alarm goes without a word`, async () => {
  const broken = new Map<string, string[]>();
  let openings = 0;
  for (const seed of seeds) {
    const story = await play(weekOf(seed));
    openings += story.trips.length;
    if (IS_TOLD) process.stdout.write(`${story.lines.join("\n")}\n`);
    for (const [rule, breachesOf] of Object.entries(RULES)) {
      const [first, ...more] = breachesOf(story);
      if (first === undefined) continue;
      if (IS_TOLD) process.stdout.write(`${rule}:\n${[first, ...more].join("\n")}\n`);
      const others = more.length === 0 ? "" : ` (and ${more.length} more)`;
      broken.set(rule, [...(broken.get(rule) ?? []), `seed ${seed}: ${first}${others}`]);
    }
  }
  expect(openings, "rows of the journal").toBeGreaterThan(0);
  const failures = [...broken].filter(([rule]) => !NOT_YET.has(rule));
  expect(failures.map(([rule, all]) => [rule, ...all.slice(0, SHOWN_MAX), `${all.length} seeds`])).toEqual(
    [],
  );
  // One story may keep by chance what the release does not keep.
  if (seeds.length > 1) expect([...NOT_YET].filter((rule) => !broken.has(rule))).toEqual([]);
}, 3_600_000);
