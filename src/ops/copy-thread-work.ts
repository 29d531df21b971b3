import { parentPort, workerData } from "node:worker_threads";
import { AppError } from "../domain/errors.ts";
import type { CopyAnswer, CopyOrder } from "./copy-thread.ts";
import { WORK_HERE } from "./copy-work.ts";

// The beginning of the thread that `CopyThread` starts: it does what it was ordered, says so, and ends.
parentPort?.postMessage(await answerTo(workerData as CopyOrder), []);

/** Errors of operation are an answer; anything else ends the thread and, told to the daemon, the daemon. */
async function answerTo({ work, dataDir, file }: CopyOrder): Promise<CopyAnswer> {
  try {
    return { value: await WORK_HERE[work](dataDir, file) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, hint } = error;
    return { error: { code, message, hint } };
  }
}
