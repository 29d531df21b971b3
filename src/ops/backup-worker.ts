import { fork } from "node:child_process";
import type { EventEmitter } from "node:events";
import { fileURLToPath } from "node:url";
import { AppError, messageOf } from "../domain/errors.ts";
import { errorOf, type ErrorValue } from "../store/error-values.ts";
import { backupProblems, finishBackup, writeBackup } from "./backups.ts";
import { startThread } from "./limited-thread.ts";
import { planRestore, type RestorePlan } from "./restore.ts";
import type { ThreadFailures } from "./thread-failures.ts";

/**
 * Tasks on whole database files that users request from a running daemon. They take many seconds on a Raspberry Pi.
 */
export interface BackupTasks {
  /** @throws AppError as `backUp` */
  backUp(dataDir: string, out: string): Promise<void>;
  /** @throws AppError as `planRestore` */
  planRestore(dataDir: string, file: string): Promise<RestorePlan>;
}

/** What a thread or process runs. */
export const TASKS = {
  planRestore,
  writeBackup,
  backupProblems,
};

/** The input of a thread. */
export interface BackupTask {
  readonly work: keyof typeof TASKS;
  readonly dataDir: string;
  /** The backup to create or to check. */
  readonly file: string;
  readonly failpoint: string | undefined;
}

type ResultValue = Extract<BackupResult, { readonly value: unknown }>["value"];

/** The result of a thread. */
export type BackupResult = { readonly value: RestorePlan | string[] | void } | { readonly error: ErrorValue };

/** Time limit of a check: a slow SD card checks the maximum of 256 MB faster, so a slower file is not one of ours. */
const CHECK_MS_MAX = 300_000;
/** For the daemon's own database, which may be larger. */
const BACKUP_CHECK_MS_MAX = 3_600_000;
/** The identifiers of a million records, twice. */
export const TASK_HEAP_MB = 128;

interface BackupWorkerOptions {
  readonly checkMsMax?: number;
  readonly failures?: ThreadFailures;
  /** Of the threads; undefined for none. */
  readonly failpoint?: string | undefined;
}

/**
 * Runs the tasks outside the event loop, so that contacts and messages are still processed.
 *
 * A backup is written in a thread, which ends with the daemon even if that is killed, so it never writes afterwards. Files are
 * checked in a process: SQLite cannot be interrupted during a check, the thread that started one would end only after it, and
 * constraints of a foreign file may take hours. A process can be killed at any time.
 */
export class BackupWorker implements BackupTasks {
  readonly #checkMsMax: number;
  readonly #failures: ThreadFailures | undefined;
  readonly #failpoint: string | undefined;
  /** Functions that end the running tasks. */
  readonly #running = new Set<() => void>();
  #isStopped = false;

  constructor({ checkMsMax = CHECK_MS_MAX, failures, failpoint }: BackupWorkerOptions = {}) {
    this.#checkMsMax = checkMsMax;
    this.#failures = failures;
    this.#failpoint = failpoint;
  }

  async backUp(dataDir: string, out: string): Promise<void> {
    await this.#run({ work: "writeBackup", dataDir, file: out }, (task) => {
      // The daemon only runs as compiled JavaScript.
      const thread = startThread(new URL("backup-worker-main.js", import.meta.url), {
        workerData: task,
        heapMb: TASK_HEAP_MB,
      });
      return { runner: thread, end: () => void thread.terminate() };
    });
    const problems = await this.#run({ work: "backupProblems", dataDir, file: out }, (task) =>
      startCheck(task, BACKUP_CHECK_MS_MAX),
    );
    finishBackup(dataDir, out, problems as string[]);
  }

  /** @throws AppError as `planRestore`; `bad-data` after the time limit; `unavailable` if the daemon stops or the check fails */
  async planRestore(dataDir: string, file: string): Promise<RestorePlan> {
    const plan = await this.#run({ work: "planRestore", dataDir, file }, (task) =>
      startCheck(task, this.#checkMsMax),
    );
    return plan as RestorePlan;
  }

  /** Ends running tasks; their callers get `unavailable`. */
  stop(): void {
    this.#isStopped = true;
    for (const end of this.#running) end();
  }

  async #run(
    task: Omit<BackupTask, "failpoint">,
    start: (task: BackupTask) => Running,
  ): Promise<ResultValue> {
    if (this.#isStopped) throw restarting();
    const { runner, end } = start({ ...task, failpoint: this.#failpoint });
    this.#running.add(end);
    runner.once("exit", () => this.#running.delete(end));
    try {
      return await resultOf(runner);
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      if (this.#isStopped) throw restarting();
      this.#failures?.report(cause);
      throw new AppError("unavailable", `the work on the backup has failed: ${messageOf(cause)}`, {
        hint: "Try again. If it fails again, send a support bundle to the developers.",
        retryAfterS: 10,
        cause,
      });
    }
  }
}

interface Running {
  /** A thread or process that runs a task. */
  readonly runner: EventEmitter;
  readonly end: () => void;
}

/** Starts the process that checks a file. It ends with the thread that has started it. */
function startCheck(task: BackupTask, msMax: number): Running {
  const path = fileURLToPath(new URL("backup-check-main.js", import.meta.url));
  const child = fork(path, [JSON.stringify(task), String(msMax)], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  return { runner: child, end: () => void child.kill("SIGKILL") };
}

function resultOf(runner: EventEmitter): Promise<ResultValue> {
  return new Promise((resolve, reject) => {
    runner.on("message", (result: BackupResult) => {
      if ("error" in result) reject(errorOf(result.error));
      else resolve(result.value);
    });
    runner.on("error", reject);
    // Has no effect after a result or an error. Of a process, the reason is in the log.
    runner.on("exit", (code: number | null, signal?: string) =>
      // A stop from a terminal or of a container reaches this process before the daemon ends it.
      reject(
        signal === "SIGTERM" || signal === "SIGINT"
          ? restarting()
          : new Error(`its thread or process ended with code ${code ?? signal}`),
      ),
    );
  });
}

/** Error of tasks that end because the daemon stops. */
export function restarting(): AppError {
  return new AppError("unavailable", "the daemon is restarting; try again shortly", { retryAfterS: 5 });
}
