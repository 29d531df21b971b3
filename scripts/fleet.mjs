// Simulates a fleet against two processes of a dispatch centre on PostgreSQL, with a storm of alarms and a failover in it, counts
// every record, and prints a table; npm run test:long does the same with a few sites. With --pair the database is two servers under
// Patroni, and the leader is killed; it exits with 77 if a program for that is missing.
//   npm run fleet -- [--sites N] [--daemons N] [--minutes M] [--report-s S] [--records N] [--storm-s S] [--pair] [--out FOLDER]
// With --costs it measures the processor time of one process for each kind of request instead; --profile FOLDER writes where it goes.
//   npm run fleet -- --costs [--sites N] [--minutes M] [--profile FOLDER] [--out FOLDER]
import { parseArgs } from "node:util";
import { skipWithoutPatroni } from "./patroni-programs.mjs";
import { runTests } from "./run-tests.mjs";

const { values } = parseArgs({
  options: {
    sites: { type: "string", default: "10000" },
    daemons: { type: "string", default: "20" },
    minutes: { type: "string", default: "10" },
    "report-s": { type: "string", default: "60" },
    records: { type: "string", default: "5" },
    "storm-s": { type: "string", default: "10" },
    pair: { type: "boolean", default: false },
    costs: { type: "boolean", default: false },
    profile: { type: "string" },
    out: { type: "string", default: "fleet" },
  },
});
const seconds = Math.round(Number(values.minutes) * 60);
if (!(seconds > 0)) throw new Error(`--minutes must be a number above 0 and is ${values.minutes}`);
if (values.pair) skipWithoutPatroni("fleet");
const file = values.costs ? "test/fleet/costs.test.ts" : "test/fleet/fleet.test.ts";
runTests(["--project", "long", "--reporter=verbose", file], {
  ...(values.profile === undefined ? {} : { PROOF_FLEET_PROFILE: values.profile }),
  PROOF_FLEET_SITES: values.sites,
  PROOF_FLEET_DAEMONS: values.daemons,
  PROOF_FLEET_SECONDS: String(seconds),
  PROOF_FLEET_REPORT_S: values["report-s"],
  PROOF_FLEET_RECORDS: values.records,
  PROOF_FLEET_STORM_S: values["storm-s"],
  PROOF_FLEET_PAIR: values.pair ? "1" : "0",
  PROOF_FLEET_OUT: values.out,
});
