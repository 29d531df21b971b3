import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../domain/errors.ts";
import { openLists, type RowWatch } from "../store/intervention-lists.ts";
import type { InterventionQuery } from "../store/intervention-query.ts";
import type { ListAnswer, ListWorkerData } from "./list-worker.ts";

// Entry point of the thread that `ListWorker` starts: it reads lists until it is ended.

/** Rows between two checks of the flag: some milliseconds on a Raspberry Pi. */
const ROWS_PER_CHECK = 1024;

const { path, flag } = workerData as ListWorkerData;
const isCancelled = new Int32Array(flag);
const lists = openLists(path);
const watch: RowWatch = (row) => {
  if (row % ROWS_PER_CHECK === 0 && Atomics.load(isCancelled, 0) !== 0)
    throw new Error("the list was cancelled");
};
parentPort?.on("message", (query: InterventionQuery) => parentPort?.postMessage(readList(query), []));

function readList(query: InterventionQuery): ListAnswer {
  try {
    return { page: lists.read(query, watch) };
  } catch (error) {
    return { error: messageOf(error) };
  }
}
