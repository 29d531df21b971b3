import { Worker } from "node:worker_threads";
import { AppError, type AppErrorCode } from "../domain/errors.ts";
import { BackupCheckProcess, restarting } from "./backup-check-process.ts";
import type { BackupTasks } from "./backup-tasks.ts";
import type { RestorePlan } from "./restore.ts";

/** The input of a thread. */
export interface BackupTask {
  readonly work: keyof BackupTasks;
  readonly dataDir: string;
  /** The backup to create or to check. */
  readonly file: string;
}

/** The result of a thread. The class of an error cannot be passed between threads, so its values are. */
export type BackupResult =
  | { readonly value: RestorePlan | void }
  | { readonly error: { readonly code: AppErrorCode; readonly message: string; readonly hint: string } };

/**
 * Runs each task in its own thread, so that contacts and messages are still processed. A thread ends with the
 * daemon even if that is killed, so it never writes afterwards. It needs less memory than a process.
 */
export class BackupWorker implements BackupTasks {
  readonly #threads = new Set<Worker>();
  /** For files from unknown sources. */
  readonly #process = new BackupCheckProcess();
  #isStopped = false;

  async backUp(dataDir: string, out: string): Promise<void> {
    await this.#run({ work: "backUp", dataDir, file: out });
  }

  planRestore(dataDir: string, file: string): Promise<RestorePlan> {
    return this.#process.planRestore(dataDir, file);
  }

  /**
   * Ends running tasks; their callers get `unavailable`. The check of a new backup still runs to its end, and the
   * process exits only then: Node waits for native calls of its threads.
   */
  stop(): void {
    this.#isStopped = true;
    this.#process.stop();
    for (const thread of this.#threads) void thread.terminate();
  }

  #run(task: BackupTask): Promise<RestorePlan | void> {
    return new Promise((resolve, reject) => {
      if (this.#isStopped) return reject(restarting());
      // The daemon only runs as compiled JavaScript.
      const thread = new Worker(new URL("backup-worker-main.js", import.meta.url), { workerData: task });
      this.#threads.add(thread);
      thread.on("message", (result: BackupResult) => {
        if ("error" in result) {
          const { code, message, hint } = result.error;
          reject(new AppError(code, message, { hint }));
        } else resolve(result.value);
      });
      thread.on("error", reject);
      thread.on("exit", () => {
        this.#threads.delete(thread);
        // Has no effect after a result.
        reject(restarting());
      });
    });
  }
}
