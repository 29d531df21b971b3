import type { Worker } from "node:worker_threads";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import { errorOf, type ErrorValue } from "../store/error-values.ts";
import {
  LIST_REMEDY,
  READING_MS_MAX,
  tooLong,
  type ListPage,
  type ListReader,
} from "../store/intervention-lists.ts";
import type { InterventionQuery } from "../store/intervention-query.ts";
import { OBJECTIVES_REMEDY, type ObjectiveReader, type ObjectiveRequest } from "../store/objectives.ts";
import { restarting } from "./backup-worker.ts";
import { startThread } from "./limited-thread.ts";
import type { ThreadFailures } from "./thread-failures.ts";

/** The input of the thread. */
export interface ListWorkerData {
  /** Path of `santinela.db`. */
  readonly path: string;
  /** One 32-bit number: not 0 if the current list is cancelled. */
  readonly flag: SharedArrayBuffer;
  readonly failpoint: string | undefined;
}

/** A list of interventions or of objectives. */
export type ListOrder =
  | { readonly interventions: InterventionQuery }
  | { readonly objectives: ObjectiveRequest };

/** The result for each list. */
export type ListAnswer = { readonly page: ListPage } | { readonly error: ErrorValue };

/** Maximum queue length and waiting time: lists are read one by one, and clients give up. */
const WAITING_MAX = 16;
const WAITING_MS_MAX = 30_000;
/** A cancelled read ends within milliseconds, unless SQLite or the disk does not return. */
const CANCELLED_MS_MAX = 5_000;
/** Idle time before the thread is ended to free its memory; until then it serves further pages. */
const IDLE_MS = 60_000;
/** As of the other threads: pages have a maximum size, and SQLite sorts in its own memory. */
const HEAP_MB_MAX = 96;

interface Task {
  readonly order: ListOrder;
  /** What its client can do if it takes too long. */
  readonly remedy: string;
  readonly resolve: (page: ListPage) => void;
  readonly reject: (error: unknown) => void;
  readonly cancelWait: CancelTimer;
}

interface ListWorkerOptions {
  readonly clock: Clock;
  readonly failures: ThreadFailures;
  /** Of the thread; undefined for none. */
  readonly failpoint?: string | undefined;
}

/**
 * Reads expensive lists, such as a search or a sort without an index, in a thread with its own connection.
 * Contacts, messages and other requests do not wait for them. The thread is started on demand.
 */
export class ListWorker implements ListReader, ObjectiveReader {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #failures: ThreadFailures;
  readonly #failpoint: string | undefined;
  readonly #isCancelled = new Int32Array(new SharedArrayBuffer(4));
  readonly #waiting: Task[] = [];
  #current: Task | undefined;
  #thread: Worker | undefined;
  #cancelTimer: CancelTimer = () => {};
  /** Whether the thread is to end and has not ended yet. A second one would be stuck as well. */
  #isStuck = false;
  #isStopped = false;

  /** @param path of `santinela.db` */
  constructor(path: string, { clock, failures, failpoint }: ListWorkerOptions) {
    this.#path = path;
    this.#clock = clock;
    this.#failures = failures;
    this.#failpoint = failpoint;
  }

  read(query: InterventionQuery, signal: AbortSignal): Promise<ListPage> {
    return this.#add({ interventions: query }, LIST_REMEDY, signal);
  }

  readObjectives(request: ObjectiveRequest, signal: AbortSignal): Promise<ListPage> {
    return this.#add({ objectives: request }, OBJECTIVES_REMEDY, signal);
  }

  #add(order: ListOrder, remedy: string, signal: AbortSignal): Promise<ListPage> {
    return new Promise((resolve, reject) => {
      if (this.#isStopped) return reject(restarting());
      if (this.#isStuck) return reject(stuck(remedy));
      if (this.#waiting.length >= WAITING_MAX)
        return reject(unavailable(`${WAITING_MAX} slow lists are already queued`, remedy));
      const cancelWait = this.#clock.after(WAITING_MS_MAX, () =>
        this.#drop(task, unavailable("other slow lists took too long", remedy)),
      );
      const onEnd = (): void => this.#drop(task, restarting());
      const settled = (): void => signal.removeEventListener("abort", onEnd);
      const task: Task = {
        order,
        remedy,
        resolve: (page) => {
          settled();
          resolve(page);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
        cancelWait,
      };
      signal.addEventListener("abort", onEnd, { once: true });
      this.#waiting.push(task);
      this.#next();
    });
  }

  /** Ends running reads; their callers get `unavailable`. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#dropWaiting(restarting);
    if (this.#current) this.#drop(this.#current, restarting());
    this.#cancelTimer();
    // The thread's connection is closed before the daemon's, which then removes the write-ahead log.
    await this.#thread?.terminate();
  }

  #next(): void {
    if (this.#current || this.#isStopped) return;
    this.#cancelTimer();
    const task = this.#waiting.shift();
    if (!task) {
      this.#cancelTimer = this.#clock.after(IDLE_MS, () => this.#endThread());
      return;
    }
    task.cancelWait();
    this.#current = task;
    Atomics.store(this.#isCancelled, 0, 0);
    try {
      this.#thread ??= this.#start();
    } catch (error) {
      // The machine allows no further thread now.
      this.#failures.report(error);
      this.#current = undefined;
      task.reject(unavailable("the list cannot be read: its thread cannot be started", task.remedy));
      return this.#next();
    }
    this.#thread.postMessage(task.order, []);
    this.#cancelTimer = this.#clock.after(READING_MS_MAX, () => {
      this.#drop(task, tooLong(READING_MS_MAX, task.remedy));
      this.#cancelTimer = this.#clock.after(CANCELLED_MS_MAX, () => this.#endStuckThread());
    });
  }

  #endStuckThread(): void {
    this.#isStuck = true;
    this.#failures.report("a list did not end at its time-out");
    void this.#thread?.terminate();
    this.#dropWaiting(({ remedy }) => stuck(remedy));
  }

  /** Rejects a caller at once; a running read ends soon after. */
  #drop(task: Task, error: AppError): void {
    const index = this.#waiting.indexOf(task);
    if (index >= 0) this.#waiting.splice(index, 1);
    task.cancelWait();
    if (this.#current === task) Atomics.store(this.#isCancelled, 0, 1);
    // Has no effect after a result.
    task.reject(error);
  }

  #dropWaiting(errorOf: (task: Task) => AppError): void {
    // A copy, because each one is removed.
    const waiting = this.#waiting.slice();
    for (const task of waiting) this.#drop(task, errorOf(task));
  }

  #endThread(): void {
    const thread = this.#thread;
    this.#thread = undefined;
    void thread?.terminate();
  }

  #start(): Worker {
    // The daemon only runs as compiled JavaScript.
    const workerData: ListWorkerData = {
      path: this.#path,
      flag: this.#isCancelled.buffer,
      failpoint: this.#failpoint,
    };
    const entry = new URL("list-worker-main.js", import.meta.url);
    const thread = startThread(entry, { workerData, heapMb: HEAP_MB_MAX });
    let cause: unknown = "it ended";
    thread.on("message", (answer: ListAnswer) => {
      const task = this.#current;
      this.#current = undefined;
      if (task) settle(task, answer);
      this.#next();
    });
    thread.on("error", (error) => (cause = error));
    thread.on("exit", () => {
      if (this.#thread !== thread) return;
      // A thread that was stuck is reported already.
      if (!this.#isStopped && !this.#isStuck) this.#failures.report(cause);
      const task = this.#current;
      this.#isStuck = false;
      this.#thread = undefined;
      this.#current = undefined;
      task?.reject(unavailable("the list cannot be read: its thread has ended", task.remedy));
      this.#next();
    });
    return thread;
  }
}

function settle({ resolve, reject, remedy }: Task, answer: ListAnswer): void {
  if ("page" in answer) return resolve(answer.page);
  const error = errorOf(answer.error);
  // Its client has to change the list; any other error may be over with the next attempt.
  const isRefusal = error instanceof AppError && error.code === "invalid";
  reject(isRefusal ? error : unavailable(`the list cannot be read: ${error.message}`, remedy, error));
}

function stuck(remedy: string): AppError {
  return unavailable("the list cannot be read: an earlier one has not ended", remedy);
}

/** For example because the disk has no space for sorting. */
function unavailable(message: string, remedy: string, cause?: Error): AppError {
  return new AppError("unavailable", message, { hint: remedy, retryAfterS: 10, cause });
}
