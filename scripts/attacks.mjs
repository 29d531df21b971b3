// Attacks a daemon of its own for as long as asked, and up to 60 s longer until what is waited for has been seen; prints
// what the daemon needed meanwhile. npm test does the same briefly.
//   npm run attacks -- [--seconds N] [name of a test file ...]
import { parseArgs } from "node:util";
import { runTests } from "./run-tests.mjs";

const { values, positionals } = parseArgs({
  options: { seconds: { type: "string", default: "20" } },
  allowPositionals: true,
});
const files = positionals.length > 0 ? positionals.map((name) => `test/attacks/${name}`) : ["test/attacks/"];
runTests(["--reporter=verbose", "--no-file-parallelism", ...files], {
  PROOF_ATTACK_SECONDS: values.seconds,
});
