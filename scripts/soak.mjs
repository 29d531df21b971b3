// Runs a site for the given time while its link and its broker fail and it is stopped and started as by upgrades, and writes a
// table and a chart of the resources that it used; npm run test:long does the same for some seconds.
//   npm run soak -- [--hours H] [--restart-minutes M] [--commit COMMIT] [--seed N] [--out FOLDER]
// The site is restarted every M minutes (30), or twice if that is too long for H; 0: never, to watch one process for all of
// the time. With --commit it begins with the program of that commit, and its first restart is an upgrade.
import { parseArgs } from "node:util";
import { withEarlierProgram } from "./earlier-program.mjs";
import { runTests } from "./run-tests.mjs";

const { values } = parseArgs({
  options: {
    hours: { type: "string", default: "24" },
    "restart-minutes": { type: "string", default: "30" },
    commit: { type: "string" },
    seed: { type: "string", default: "1" },
    out: { type: "string", default: "soak" },
  },
});
const seconds = Math.round(Number(values.hours) * 3600);
if (!(seconds > 0)) throw new Error(`--hours must be a number above 0 and is ${values.hours}`);
const restartS = Math.round(Number(values["restart-minutes"]) * 60);
if (!(restartS >= 0))
  throw new Error(`--restart-minutes must be a number from 0 and is ${values["restart-minutes"]}`);
if (restartS === 0 && values.commit !== undefined)
  throw new Error("--commit needs a restart: the first one is the upgrade");
withEarlierProgram(values.commit, (environment) => {
  runTests(["--reporter=verbose", "test/faults/soak.test.ts"], {
    PROOF_SOAK_SECONDS: String(seconds),
    PROOF_SOAK_RESTART_S: String(restartS),
    PROOF_SEED: values.seed,
    PROOF_SOAK_OUT: values.out,
    ...environment,
  });
});
