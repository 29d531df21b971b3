// Runs a site for the given time while its link and its broker fail, and writes a table and a chart of the resources that it
// used; npm test does the same for some seconds.
//   npm run soak -- [--hours H] [--seed N] [--out FOLDER]
import { parseArgs } from "node:util";
import { runTests } from "./run-tests.mjs";

const { values } = parseArgs({
  options: {
    hours: { type: "string", default: "24" },
    seed: { type: "string", default: "1" },
    out: { type: "string", default: "soak" },
  },
});
const seconds = Math.round(Number(values.hours) * 3600);
if (!(seconds > 0)) throw new Error(`--hours must be a number above 0 and is ${values.hours}`);
runTests(["--reporter=verbose", "test/faults/soak.test.ts"], {
  PROOF_SOAK_SECONDS: String(seconds),
  PROOF_SEED: values.seed,
  PROOF_SOAK_OUT: values.out,
});
