// Plays weeks in a building from seeds against the whole daemon: npm run promise -- --seeds 200 --from 1, or --seed 17
import { parseArgs } from "node:util";
import { runTests } from "./run-tests.mjs";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "200" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
  },
});
runTests(["test/promise"], {
  PROMISE_SEEDS: values.seed === undefined ? values.seeds : "1",
  PROMISE_FROM: values.seed ?? values.from,
  PROMISE_STORY: values.seed === undefined ? "0" : "1",
});
