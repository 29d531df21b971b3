import { Worker } from "node:worker_threads";
import { AppError, type AppErrorCode } from "../domain/errors.ts";
import { BackupCheckProcess, restarting } from "./backup-check-process.ts";
import type { BackupTasks } from "./backup-tasks.ts";
import type { RestorePlan } from "./restore.ts";

/** What a thread is started with. */
export interface BackupTask {
  readonly work: keyof BackupTasks;
  readonly dataDir: string;
  /** The copy to be made, or the one to be looked at. */
  readonly file: string;
}

/** What a thread says at its end; an error's class does not pass from one thread to another, its words do. */
export type BackupResult =
  | { readonly value: RestorePlan | void }
  | { readonly error: { readonly code: AppErrorCode; readonly message: string; readonly hint: string } };

/**
 * Does the work in a thread of its own, one for each order, so that contacts and messages are taken meanwhile. A thread
 * and no process: it ends with the daemon, also with one that is killed, so nobody goes on writing behind its back; and
 * it takes the memory for one more isolate and not for one more Node.js.
 */
export class BackupWorker implements BackupTasks {
  readonly #threads = new Set<Worker>();
  /** For files from elsewhere. */
  readonly #process = new BackupCheckProcess();
  #isStopped = false;

  async backUp(dataDir: string, out: string): Promise<void> {
    await this.#run({ work: "backUp", dataDir, file: out });
  }

  planRestore(dataDir: string, file: string): Promise<RestorePlan> {
    return this.#process.planRestore(dataDir, file);
  }

  /**
   * Ends what is under way; callers that wait for it get `unavailable`. The check of a copy that was just made goes on to its
   * end, and the process stays until then, with its databases closed: Node waits for the calls of its threads.
   */
  stop(): void {
    this.#isStopped = true;
    this.#process.stop();
    for (const thread of this.#threads) void thread.terminate();
  }

  #run(order: BackupTask): Promise<RestorePlan | void> {
    return new Promise((resolve, reject) => {
      if (this.#isStopped) return reject(restarting());
      // The built file: the daemon only runs built.
      const thread = new Worker(new URL("backup-worker-main.js", import.meta.url), { workerData: order });
      this.#threads.add(thread);
      thread.on("message", (answer: BackupResult) => {
        if ("error" in answer) {
          const { code, message, hint } = answer.error;
          reject(new AppError(code, message, { hint }));
        } else resolve(answer.value);
      });
      thread.on("error", reject);
      thread.on("exit", () => {
        this.#threads.delete(thread);
        // Of no consequence after an answer.
        reject(restarting());
      });
    });
  }
}
