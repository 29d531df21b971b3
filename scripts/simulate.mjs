// Plays the simulation of the sync with any number of seeds: npm run simulate -- --seeds 2000 --from 1
import { parseArgs } from "node:util";
import { runTests } from "./run-tests.mjs";

const { values } = parseArgs({
  options: { seeds: { type: "string", default: "2000" }, from: { type: "string", default: "1" } },
});
runTests(["test/simulation/simulation.test.ts"], {
  SIMULATE_SEEDS: values.seeds,
  SIMULATE_FROM: values.from,
});
