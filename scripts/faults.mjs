// Runs the fault tests for the given number of cycles; npm test runs the same tests briefly.
//   npm run faults -- [--cycles N] [--schedules N] [--writes N] [--crashes PERCENT] [--images N] [--every-call 1] [--foreign 1] [--panels N] [--events N] [--seed N] [name of a test file ...]
import { parseArgs } from "node:util";
import { runTests } from "./run-tests.mjs";

const number = { type: "string" };
const { values, positionals } = parseArgs({
  options: {
    cycles: number,
    schedules: number,
    writes: number,
    crashes: number,
    images: number,
    "every-call": number,
    foreign: number,
    panels: number,
    events: number,
    seed: number,
  },
  allowPositionals: true,
});
const chosen = Object.fromEntries(
  Object.entries(values).map(([name, value]) => [`PROOF_${name.toUpperCase().replace("-", "_")}`, value]),
);
const files = positionals.length > 0 ? positionals.map((name) => `test/faults/${name}`) : ["test/faults/"];
runTests(["--reporter=verbose", "--no-file-parallelism", ...files], chosen);
