// Kills the leader of a PostgreSQL with Patroni, and a centre, in turn, and cuts the network between them, under 64 writers, and
// counts. Exits with 77 if a program is missing, or for --cuts where networks of its own are not permitted.
//   npm run test:failover -- [--kills N] [--cuts N]      20 kills and 5 cuts without options
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { skipWithoutPatroni } from "./patroni-programs.mjs";

const { values } = parseArgs({ options: { kills: { type: "string" }, cuts: { type: "string" } } });
const isDefault = values.kills === undefined && values.cuts === undefined;
const [kills, cuts] = [values.kills ?? (isDefault ? "20" : "0"), values.cuts ?? (isDefault ? "5" : "0")];
for (const [name, value] of Object.entries({ kills, cuts }))
  if (!/^\d+$/.test(value)) throw new Error(`--${name} must be a whole number and is ${value}`);
if (Number(kills) + Number(cuts) === 0) throw new Error("one of --kills and --cuts must be above 0");

/** The machines of the cuts are network namespaces within one that ends with the test. */
const OWN_NETWORK = ["unshare", "--net", "--kill-child", "--"];

function skip(reason) {
  process.stderr.write(`test-failover: skipped: ${reason}\n`);
  process.exit(77);
}
skipWithoutPatroni("test-failover");

/** Why the network cannot be cut here; undefined where it can: tried with a router, a machine and a cut, as the test does. */
function noCuts() {
  if (process.getuid() !== 0) return "cuts need root, for networks of their own";
  const tried = `ip link set lo up && echo 1 > /proc/sys/net/ipv4/ip_forward &&
    ip link add to-one type veth peer name one && ip rule add from 10.77.1.2 to 10.77.2.2 blackhole &&
    nsenter --target $$ --net -- true && setpriv --reuid=65534 --regid=65534 --clear-groups true`;
  const [program, ...words] = [...OWN_NETWORK, "sh", "-c", tried];
  const { status, error, stderr } = spawnSync(program, words, { encoding: "utf8" });
  if (status === 0) return undefined;
  return `cuts need networks of their own, which this machine does not permit: ${error?.message ?? stderr.trim()}`;
}
const reason = Number(cuts) > 0 ? noCuts() : undefined;
if (reason !== undefined && !isDefault) skip(reason);

function run(file, within, settings) {
  const vitest = ["node_modules/.bin/vitest", "run", "--config", "test/failover/vitest.config.ts", file];
  const [program, ...words] = [...within, ...vitest, "--reporter=verbose"];
  const { status } = spawnSync(program, words, { stdio: "inherit", env: { ...process.env, ...settings } });
  if (status !== 0) process.exit(status ?? 1);
}
if (Number(kills) > 0) run("failover.test.ts", [], { FAILOVER_KILLS: kills });
if (Number(cuts) > 0 && reason === undefined) run("cuts.test.ts", OWN_NETWORK, { FAILOVER_CUTS: cuts });
// Last, where it is read: the kills have passed, and the cuts were not tried.
if (reason !== undefined) process.stderr.write(`test-failover: cuts of the network skipped: ${reason}\n`);
