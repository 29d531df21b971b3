// Kills the leader of a PostgreSQL with Patroni, and a centre, in turn, under 64 writers, and counts. Exits with 77 if a program
// is missing.
//   npm run test:failover -- [--kills N]
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { kills: { type: "string", default: "20" } } });
if (!(Number(values.kills) > 0)) throw new Error(`--kills must be a number above 0 and is ${values.kills}`);
const needed = ["/usr/bin/patroni", "/usr/bin/etcd", "/usr/sbin/haproxy", "/usr/lib/postgresql"];
const missing = needed.filter((path) => !existsSync(path));
if (missing.length > 0) {
  process.stderr.write(
    `test-failover: skipped: ${missing.join(", ")} missing.\n  sudo apt-get install --no-install-recommends patroni etcd-server haproxy postgresql\n`,
  );
  process.exit(77);
}
const run = spawnSync(
  "node_modules/.bin/vitest",
  ["run", "--config", "test/failover/vitest.config.ts", "--reporter=verbose"],
  { stdio: "inherit", env: { ...process.env, FAILOVER_KILLS: values.kills } },
);
process.exit(run.status ?? 1);
