// Kills the leader of a PostgreSQL with Patroni, and a centre, in turn, and cuts the network between them, under 64 writers, and
// counts. Exits with 77 if a program is missing, or for --cuts without root.
//   npm run test:failover -- [--kills N] [--cuts N]      20 kills and no cuts without options
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { kills: { type: "string" }, cuts: { type: "string" } } });
const isDefault = values.kills === undefined && values.cuts === undefined;
const [kills, cuts] = [values.kills ?? (isDefault ? "20" : "0"), values.cuts ?? "0"];
for (const [name, value] of Object.entries({ kills, cuts }))
  if (!/^\d+$/.test(value)) throw new Error(`--${name} must be a whole number and is ${value}`);
if (Number(kills) + Number(cuts) === 0) throw new Error("one of --kills and --cuts must be above 0");

function skip(reason) {
  process.stderr.write(`test-failover: skipped: ${reason}\n`);
  process.exit(77);
}
const needed = ["/usr/bin/patroni", "/usr/bin/etcd", "/usr/sbin/haproxy", "/usr/lib/postgresql"];
const missing = needed.filter((path) => !existsSync(path));
if (missing.length > 0)
  skip(
    `${missing.join(", ")} missing.\n  sudo apt-get install --no-install-recommends patroni etcd-server haproxy postgresql`,
  );
if (Number(cuts) > 0 && process.getuid() !== 0) skip("--cuts needs root, for networks of its own");

function run(file, within, settings) {
  const vitest = ["node_modules/.bin/vitest", "run", "--config", "test/failover/vitest.config.ts", file];
  const [program, ...words] = [...within, ...vitest, "--reporter=verbose"];
  const { status } = spawnSync(program, words, { stdio: "inherit", env: { ...process.env, ...settings } });
  if (status !== 0) process.exit(status ?? 1);
}
if (Number(kills) > 0) run("failover.test.ts", [], { FAILOVER_KILLS: kills });
// The machines of the cuts are network namespaces within one that ends with the test.
if (Number(cuts) > 0)
  run("cuts.test.ts", ["unshare", "--net", "--kill-child", "--"], { FAILOVER_CUTS: cuts });
