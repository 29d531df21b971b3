// Runs the simulation of the sync with any number of seeds: npm run simulate -- --seeds 2000 --from 1
// With --rules it runs builds without one of the rules each, which must fail.
import { parseArgs } from "node:util";
import { runTests } from "./run-tests.mjs";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "2000" },
    from: { type: "string", default: "1" },
    rules: { type: "boolean", default: false },
  },
});
runTests([`test/simulation/${values.rules ? "disabled-rules" : "simulation"}.test.ts`], {
  ...(values.rules ? { SIMULATE_RULES: "1" } : {}),
  SIMULATE_SEEDS: values.seeds,
  SIMULATE_FROM: values.from,
});
