import { parentPort, workerData } from "node:worker_threads";
import { openReadOnly } from "../store/database.ts";
import { errorValue } from "../store/error-values.ts";
import { InterventionLists, type ListPage, type RowWatch } from "../store/intervention-lists.ts";
import { ObjectiveStore } from "../store/objectives.ts";
import { failpointOf } from "./failpoint.ts";
import { SystemClock } from "./system-clock.ts";
import type { ListAnswer, ListOrder, ListWorkerData } from "./list-worker.ts";

// Entry point of the thread that `ListWorker` starts: it reads lists until it is ended.

/** Rows between two checks of the flag: some milliseconds on a Raspberry Pi. */
const ROWS_PER_CHECK = 1024;

const { path, flag, failpoint: spec } = workerData as ListWorkerData;
const failpoint = failpointOf(spec, () => process.kill(process.pid, "SIGKILL"));
const clock = new SystemClock();
const isCancelled = new Int32Array(flag);
const database = openReadOnly(path);
const interventions = new InterventionLists(database);
const objectives = new ObjectiveStore(database);
const watch: RowWatch = (row) => {
  if (row % ROWS_PER_CHECK === 0 && Atomics.load(isCancelled, 0) !== 0)
    throw new Error("the list was cancelled");
};
parentPort?.on("message", (order: ListOrder) => {
  failpoint("list-read");
  // A defect that nothing handles ends the thread before the next turn.
  clock.afterEventLoopTurn(() => parentPort?.postMessage(answerTo(order), []));
});

function answerTo(order: ListOrder): ListAnswer {
  try {
    return { page: pageOf(order) };
  } catch (error) {
    return { error: errorValue(error) };
  }
}

function pageOf(order: ListOrder): ListPage {
  return "objectives" in order
    ? objectives.list(order.objectives, watch)
    : interventions.read(order.interventions, watch);
}
