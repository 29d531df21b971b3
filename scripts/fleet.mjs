// Simulates a fleet against two processes of a dispatch centre on PostgreSQL, with a storm of alarms and a fail-over in it, counts
// every record, and prints a table; npm run test:long does the same with a few sites.
//   npm run fleet -- [--sites N] [--daemons N] [--minutes M] [--report-s S] [--records N] [--storm-s S] [--out FOLDER]
import { parseArgs } from "node:util";
import { runTests } from "./run-tests.mjs";

const { values } = parseArgs({
  options: {
    sites: { type: "string", default: "10000" },
    daemons: { type: "string", default: "20" },
    minutes: { type: "string", default: "10" },
    "report-s": { type: "string", default: "60" },
    records: { type: "string", default: "5" },
    "storm-s": { type: "string", default: "10" },
    out: { type: "string", default: "fleet" },
  },
});
const seconds = Math.round(Number(values.minutes) * 60);
if (!(seconds > 0)) throw new Error(`--minutes must be a number above 0 and is ${values.minutes}`);
runTests(["--project", "long", "--reporter=verbose", "test/fleet/fleet.test.ts"], {
  PROOF_FLEET_SITES: values.sites,
  PROOF_FLEET_DAEMONS: values.daemons,
  PROOF_FLEET_SECONDS: String(seconds),
  PROOF_FLEET_REPORT_S: values["report-s"],
  PROOF_FLEET_RECORDS: values.records,
  PROOF_FLEET_STORM_S: values["storm-s"],
  PROOF_FLEET_OUT: values.out,
});
