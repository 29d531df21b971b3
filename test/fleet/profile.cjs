// Writes where the processor time of this process went, at its end: npm run fleet -- --profile FOLDER. NODE_OPTIONS does not take --cpu-prof.
const { mkdirSync, writeFileSync } = require("node:fs");
const { Session } = require("node:inspector");
const path = require("node:path");
const { isMainThread } = require("node:worker_threads");

if (isMainThread) {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.start");
  process.on("exit", () => {
    session.post("Profiler.stop", (_error, { profile }) => {
      const folder = path.resolve(process.env.PROOF_FLEET_PROFILE);
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, `${process.pid}.cpuprofile`), JSON.stringify(profile));
    });
  });
}
