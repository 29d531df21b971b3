import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { AppError } from "../domain/errors.ts";
import type { BackupResult, BackupTask } from "./backup-worker.ts";
import type { RestorePlan } from "./restore.ts";

/** A poor card checks a copy of 256 MB, the largest that is taken, in less; a copy that takes longer is none of ours. */
export const CHECK_MS_MAX = 300_000;

/**
 * Looks at an uploaded copy in a process of its own. SQLite cannot be interrupted in the middle of a check, and a file
 * from elsewhere may have rules that take hours: a process can be ended at any moment, and it ends with the daemon.
 */
export class BackupCheckProcess {
  readonly #limitMs: number;
  readonly #children = new Set<ChildProcess>();
  #isStopped = false;

  constructor(limitMs = CHECK_MS_MAX) {
    this.#limitMs = limitMs;
  }

  /** @throws AppError as `planRestore`; `bad-data` past the limit; `unavailable` when the run ends before */
  planRestore(dataDir: string, file: string): Promise<RestorePlan> {
    const order: BackupTask = { work: "planRestore", dataDir, file };
    return new Promise((resolve, reject) => {
      if (this.#isStopped) return reject(restarting());
      // The built file: the daemon only runs built.
      const path = fileURLToPath(new URL("backup-check-main.js", import.meta.url));
      const child = fork(path, [JSON.stringify(order), String(this.#limitMs)], {
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      });
      this.#children.add(child);
      child.on("message", (answer: BackupResult) => {
        if ("error" in answer) {
          const { code, message, hint } = answer.error;
          reject(new AppError(code, message, { hint }));
        } else resolve(answer.value as RestorePlan);
      });
      child.on("error", reject);
      child.on("exit", () => {
        this.#children.delete(child);
        // Of no consequence after an answer.
        reject(restarting());
      });
    });
  }

  /** Ends what is under way; callers that wait for it get `unavailable`. */
  stop(): void {
    this.#isStopped = true;
    for (const child of this.#children) child.kill("SIGKILL");
  }
}

/** The run ends, and with it what was asked of it. */
export function restarting(): AppError {
  return new AppError("unavailable", "the daemon ends this run; try again in a moment", { retryAfterS: 5 });
}
