// Runs one attack for a time in its own process:
// node attacker.mjs '{"name":"deafReaders","port":1883,"seconds":5}'
// The attack runs in a worker thread. The main thread only watches the time, so it ends on time even if the
// attack blocks. It also ends when its parent process is gone.
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { absentSessions, deafReaders, separateQueues, subscriptions, unreleased } from "./broker-floods.mjs";
import { fuzzedRequests } from "./fuzzed-requests.mjs";
import { httpClients, unmatchedTopics } from "./heavy-use.mjs";
import * as tlsFloods from "./tls-floods.mjs";

const ATTACKS = {
  absentSessions,
  deafReaders,
  fuzzedRequests,
  httpClients,
  separateQueues,
  subscriptions,
  unmatchedTopics,
  unreleased,
  ...tlsFloods,
};

if (isMainThread) watch(JSON.parse(process.argv[2] ?? ""));
else await play(workerData);

/** Starts the attack, ends it, and prints its amount. */
function watch(order) {
  if (!Object.hasOwn(ATTACKS, order.name)) throw new Error(`there is no attack ${order.name}`);
  const counts = new BigInt64Array(new SharedArrayBuffer(16));
  // The parent learns how much the attack has had an effect so far: a line for each new amount.
  let told = 0n;
  setInterval(() => {
    const done = Atomics.load(counts, 0);
    if (done !== told) process.stdout.write(`${done}\n`);
    told = done;
  }, 100);
  const end = () => {
    const [done, failed] = [...counts].map(Number);
    process.stdout.write(JSON.stringify({ done, failed }), () => process.exit(0));
  };
  setTimeout(end, order.seconds * 1000);
  process.stdin.on("end", end).resume();
  const attack = new Worker(new URL(import.meta.url), { workerData: { ...order, counts } });
  attack.on("error", (error) => {
    process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  });
  attack.on("exit", () => {
    process.stderr.write("the attack ended before its time\n");
    process.exit(1);
  });
}

async function play({ counts, name, ...order }) {
  const add = (index) => (by) => void Atomics.add(counts, index, BigInt(by ?? 1));
  await ATTACKS[name]({ ...order, count: add(0), countFailed: add(1) });
}
