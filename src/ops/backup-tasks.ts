import { backUp } from "./backups.ts";
import { planRestore, type RestorePlan } from "./restore.ts";

/**
 * Tasks on whole database files that users request from a running daemon. They take many seconds on a Raspberry Pi.
 */
export interface BackupTasks {
  /** @throws AppError as `backUp` */
  backUp(dataDir: string, out: string): Promise<void>;
  /** @throws AppError as `planRestore` */
  planRestore(dataDir: string, file: string): Promise<RestorePlan>;
}

/** Runs the tasks in the calling process, which they block. */
export const IN_PROCESS_TASKS: BackupTasks = {
  backUp,
  planRestore: async (dataDir, file) => planRestore(dataDir, file),
};
