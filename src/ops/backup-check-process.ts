import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { AppError } from "../domain/errors.ts";
import type { BackupResult, BackupTask } from "./backup-worker.ts";
import type { RestorePlan } from "./restore.ts";

/** Time limit of a check: a slow SD card checks the maximum of 256 MB faster, so a slower file is not one of ours. */
export const CHECK_MS_MAX = 300_000;

/**
 * Checks an uploaded backup in a separate process. SQLite cannot be interrupted during a check, and constraints of
 * a foreign file may take hours. A process can be killed at any time, and ends with the daemon.
 */
export class BackupCheckProcess {
  readonly #limitMs: number;
  readonly #children = new Set<ChildProcess>();
  #isStopped = false;

  constructor(limitMs = CHECK_MS_MAX) {
    this.#limitMs = limitMs;
  }

  /** @throws AppError as `planRestore`; `bad-data` after the time limit; `unavailable` if the daemon stops */
  planRestore(dataDir: string, file: string): Promise<RestorePlan> {
    const task: BackupTask = { work: "planRestore", dataDir, file };
    return new Promise((resolve, reject) => {
      if (this.#isStopped) return reject(restarting());
      // The daemon only runs as compiled JavaScript.
      const path = fileURLToPath(new URL("backup-check-main.js", import.meta.url));
      const child = fork(path, [JSON.stringify(task), String(this.#limitMs)], {
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      });
      this.#children.add(child);
      child.on("message", (result: BackupResult) => {
        if ("error" in result) {
          const { code, message, hint } = result.error;
          reject(new AppError(code, message, { hint }));
        } else resolve(result.value as RestorePlan);
      });
      child.on("error", reject);
      child.on("exit", () => {
        this.#children.delete(child);
        // Has no effect after a result.
        reject(restarting());
      });
    });
  }

  /** Ends running checks; their callers get `unavailable`. */
  stop(): void {
    this.#isStopped = true;
    for (const child of this.#children) child.kill("SIGKILL");
  }
}

/** Error of tasks that end because the daemon stops. */
export function restarting(): AppError {
  return new AppError("unavailable", "the daemon is restarting; try again shortly", { retryAfterS: 5 });
}
