import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../domain/errors.ts";
import { openLists, type RowWatch } from "../store/intervention-lists.ts";
import type { InterventionQuery } from "../store/intervention-query.ts";
import type { ListAnswer, ListWorkerData } from "./list-worker.ts";

// The beginning of the thread that `ListWorker` starts: it answers one list after the other until it is ended.

/** The rows between two looks at the flag: some milliseconds on a Raspberry Pi. */
const ROWS_BETWEEN_LOOKS = 1024;

const { path, flag } = workerData as ListWorkerData;
const isUnwanted = new Int32Array(flag);
const lists = openLists(path);
const watch: RowWatch = (row) => {
  if (row % ROWS_BETWEEN_LOOKS === 0 && Atomics.load(isUnwanted, 0) !== 0)
    throw new Error("the list is no longer wanted");
};
parentPort?.on("message", (query: InterventionQuery) => parentPort?.postMessage(answerTo(query), []));

function answerTo(query: InterventionQuery): ListAnswer {
  try {
    return { page: lists.read(query, watch) };
  } catch (error) {
    return { error: messageOf(error) };
  }
}
