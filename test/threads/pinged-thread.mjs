/* A thread that answers calls as those of the daemon do, and can hang or end. */
import { parentPort, threadId, workerData } from "node:worker_threads";
import Sqlite from "better-sqlite3";

/** Takes some ten seconds. */
const ENDLESS =
  "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 30000000) SELECT count(*) FROM n";

const control = {
  start: () => {
    if (workerData.hangs?.[0] === 1) for (;;);
    if (workerData.hangs?.[0] === 2) control.query();
    return workerData.isBroken ? process.exit(1) : threadId;
  },
  ping: () => 4096,
  stop: () => null,
  hang: () => {
    for (;;);
  },
  /** In a native call, which cannot be interrupted. The test reads in `queries` that it has begun. */
  query: () => {
    const statement = new Sqlite(":memory:").prepare(ENDLESS);
    Atomics.add(workerData.queries, 0, 1);
    return statement.get();
  },
  end: () => process.exit(1),
  /** Keeps 144 MB. */
  fill: () =>
    (globalThis.kept = Array.from({ length: 18 }, () => Array.from({ length: 1_000_000 }, () => 0.5))).length,
};

parentPort.on("message", ({ calls }) => {
  const replies = calls.map(({ id, method }) => ({ id, value: control[method]() }));
  if (replies.length > 0) parentPort.postMessage({ calls: [], replies }, []);
});
