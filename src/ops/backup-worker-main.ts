import { parentPort, workerData } from "node:worker_threads";
import { AppError } from "../domain/errors.ts";
import type { BackupResult, BackupTask } from "./backup-worker.ts";
import { IN_PROCESS_TASKS } from "./backup-tasks.ts";

// The beginning of the thread that `CopyThread` starts: it does what it was ordered, says so, and ends.
parentPort?.postMessage(await answerTo(workerData as BackupTask), []);

/** Errors of operation are an answer; anything else ends the thread and, told to the daemon, the daemon. */
async function answerTo({ work, dataDir, file }: BackupTask): Promise<BackupResult> {
  try {
    return { value: await IN_PROCESS_TASKS[work](dataDir, file) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, hint } = error;
    return { error: { code, message, hint } };
  }
}
