// Simulates days in a building with the whole daemon, from seeds: npm run promise -- --seeds 200 --from 1, or --seed 17.
// A failed story is shrunk and printed: --shrink 300 shrinks for 300 seconds, --shrink 0 not at all.
import { parseArgs } from "node:util";
import { runTests } from "./run-tests.mjs";

/** Default time for shrinking a failed story, in seconds. */
const SHRINK_S = "120";

const { values } = parseArgs({
  args: process.argv
    .slice(2)
    .map((word, index, words) =>
      word === "--shrink" && !/^\d+$/.test(words[index + 1] ?? "") ? `--shrink=${SHRINK_S}` : word,
    ),
  options: {
    seeds: { type: "string", default: "200" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    plain: { type: "boolean", default: false },
    shrink: { type: "string", default: SHRINK_S },
  },
});
runTests(["test/promise"], {
  PROMISE_SEEDS: values.seed === undefined ? values.seeds : "1",
  PROMISE_FROM: values.seed ?? values.from,
  PROMISE_STORY: values.seed === undefined ? "0" : "1",
  PROMISE_PLAIN: values.plain ? "1" : "0",
  PROMISE_SHRINK_S: values.shrink,
});
