import { backUp } from "../../src/ops/backups.ts";
import type { BackupTasks } from "../../src/ops/backup-worker.ts";
import { planRestore } from "../../src/ops/restore.ts";

/** Runs the tasks in the calling process: the threads and processes of the daemon are compiled. */
export const IN_PROCESS_TASKS: BackupTasks = {
  backUp,
  planRestore: async (dataDir, file) => planRestore(dataDir, file),
};
