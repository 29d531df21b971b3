// Attacks a separate daemon for the given time, and up to 60 s longer until the expected result; prints the resources that
// the daemon used. npm test does the same briefly.
//   npm run attacks -- [--seconds N] [--requests N] [name of a test file ...]
import { parseArgs } from "node:util";
import { runTests } from "./run-tests.mjs";

const { values, positionals } = parseArgs({
  options: {
    seconds: { type: "string", default: "20" },
    requests: { type: "string", default: "5000" },
  },
  allowPositionals: true,
});
const files = positionals.length > 0 ? positionals.map((name) => `test/attacks/${name}`) : ["test/attacks/"];
runTests(["--reporter=verbose", "--no-file-parallelism", ...files], {
  PROOF_ATTACK_SECONDS: values.seconds,
  PROOF_ATTACK_REQUESTS: values.requests,
});
