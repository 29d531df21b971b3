// npm run upgrade-fixture -- [--to FOLDER] [--commit COMMIT]
// --to writes the data directories of a site and its dispatch centre in which every feature was used: killed.tar.br as after a
// power cut, stopped.tar.br as after an orderly stop. test/upgrade/story.ts uses the built program of this tree; with --commit
// that of 0.1.0, which is built from history in a folder of its own. --commit alone tests the way back to that program. Needs
// mosquitto and faketime. Exits with 1 if a table has no rows, with 64 without an option.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { withEarlierProgram } from "./earlier-program.mjs";
import { runTests } from "./run-tests.mjs";

const { values } = parseArgs({ options: { to: { type: "string" }, commit: { type: "string" } } });
const { to, commit } = values;
if (to === undefined && commit === undefined) {
  process.stderr.write(
    "upgrade-fixture: name the folder of the archives (--to FOLDER) or a commit (--commit COMMIT)\n",
  );
  process.exitCode = 64;
} else {
  withEarlierProgram(commit, (environment) => {
    const words = to === undefined ? ["main", "return.test.ts"] : ["long", "fixture.long.test.ts"];
    runTests([`--project=${words[0]}`, "--reporter=verbose", `test/upgrade/${words[1]}`], {
      ...(to === undefined ? {} : { UPGRADE_FIXTURE_TO: resolve(to) }),
      ...environment,
    });
  });
}
