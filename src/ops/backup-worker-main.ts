import { parentPort, workerData } from "node:worker_threads";
import { AppError } from "../domain/errors.ts";
import { errorValue } from "../store/error-values.ts";
import { TASKS, type BackupResult, type BackupTask } from "./backup-worker.ts";
import { failpointOf } from "./failpoint.ts";

// Entry point of the thread that `BackupWorker` starts: it runs one task, posts the result and ends.
// A rejection ends the thread.
void resultOf(workerData as BackupTask).then((result) => parentPort?.postMessage(result, []));

/** Operational errors are a result; any other error ends the thread, which `BackupWorker` reports. */
async function resultOf({ work, dataDir, file, failpoint }: BackupTask): Promise<BackupResult> {
  failpointOf(failpoint, () => process.kill(process.pid, "SIGKILL"))("backup-task");
  try {
    return { value: await TASKS[work](dataDir, file) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { error: errorValue(error) };
  }
}
