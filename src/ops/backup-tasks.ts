import { backUp } from "./backups.ts";
import { planRestore, type RestorePlan } from "./restore.ts";

/** The work on whole database files that people ask a running daemon for. It takes a Raspberry Pi many seconds. */
export interface BackupTasks {
  /** @throws AppError as `backUp` */
  backUp(dataDir: string, out: string): Promise<void>;
  /** @throws AppError as `planRestore` */
  planRestore(dataDir: string, file: string): Promise<RestorePlan>;
}

/** Does it where it is asked for, and nothing else meanwhile. */
export const IN_PROCESS_TASKS: BackupTasks = {
  backUp,
  planRestore: async (dataDir, file) => planRestore(dataDir, file),
};
