import type { MessagePort, Worker } from "node:worker_threads";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Remote } from "../domain/remote.ts";
import { startThread } from "../ops/limited-thread.ts";
import { HEALTHY_MS } from "../ops/thread-failures.ts";
import { withLongerDelay, type ThreadUse } from "../ops/thread-use.ts";
import { Channel, Connection, unavailable, type Components } from "./channel.ts";
import type { MainThread } from "./main-thread-connection.ts";
import type { ThreadControl } from "./thread-control.ts";

export type ThreadName = "records" | "front" | "broker";

interface ThreadOptions {
  readonly name: ThreadName;
  /** Its module, which serves the component `thread`. */
  readonly entry: URL;
  /** Its `workerData`, read at each start. */
  readonly data: () => object;
  /** Heap that it may use beyond that of every thread, in MB; none by default. */
  readonly moreHeapMb?: number;
  /** Called before each of its starts, to pass it connections. */
  readonly onSpawned?: () => void;
  /** Called when a defect has ended it, before it is started again. */
  readonly onFailed?: () => void;
  /** What it may call in this thread, besides the log and the conditions (`MainThread`). */
  readonly components: Components;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

/** Of every thread: one that is full fits in the memory of the service beside the normal use of the others. */
const HEAP_MB_MAX = 96;
const PING_INTERVAL_MS = 5_000;
/**
 * A thread that leaves these pings unanswered is ended and started again. They are counted, because time also passes while this
 * thread is stopped or busy: its timers then run before it takes the answers that have arrived.
 */
const UNANSWERED_MAX = 4;
/** A thread that has ended and does not run again after this time is silent too. */
const ENDED_MS_MAX = 20_000;
/** Longer than the server (5 s) and the sync (3 s) wait for requests in flight. Systemd ends the process after 20 s. */
const STOP_MS_MAX = 8_000;
/** So that two threads that hang leave time for the others: Node ends a thread only after its native calls, such as a query. */
const END_MS_MAX = 1_000;
const RESTART_MS = 200;
/** Half of `ENDED_MS_MAX`: a thread that starts but does not last must not end the process, which watches the contacts. */
const RESTART_MS_MAX = 10_000;

/**
 * A thread that is started again when a defect ends it, while this thread continues. Calls in the meantime are rejected
 * with `unavailable`.
 */
export class SupervisedThread<Started> {
  readonly #options: ThreadOptions;
  readonly #control: Remote<ThreadControl<Started>>;
  readonly #connection = new Connection();
  #worker: Worker | undefined;
  #channel: Channel | undefined;
  #onRestarted: (started: Started) => void = () => {};
  #cancelTimer: CancelTimer = () => {};
  #cancelPing: CancelTimer = () => {};
  #restartMs = RESTART_MS;
  #isRestarting = false;
  /** Pings since its last answer. */
  #unanswered = 0;
  /** When it has ended, monotonic; undefined while it runs. */
  #endedMs: number | undefined;
  #use: ThreadUse | undefined;
  #state: "starting" | "running" | "stopped" = "starting";

  constructor(options: ThreadOptions) {
    this.#options = options;
    this.#control = this.remote("thread");
  }

  /** Whether it does not answer, or cannot be started again. */
  get isSilent(): boolean {
    if (this.#state !== "running") return false;
    const endedMs = this.#endedMs;
    if (endedMs !== undefined) return this.#options.clock.monotonicMs() - endedMs > ENDED_MS_MAX;
    return this.#unanswered >= UNANSWERED_MAX;
  }

  /** Its heap at the last ping, and its longest delay since this was last read; undefined while there was no ping. */
  takeUse(): ThreadUse | undefined {
    const use = this.#use;
    this.#use = use && { ...use, longestDelayS: 0 };
    return use;
  }

  /** A component of the thread, also of its next runs. */
  remote<T extends object>(component: string): Remote<T> {
    return this.#connection.remote(component);
  }

  /**
   * Starts the thread.
   * @param onRestarted called after each later start
   * @throws the error of its start
   */
  async start(onRestarted: (started: Started) => void): Promise<Started> {
    this.#onRestarted = onRestarted;
    try {
      return await this.#run(this.#options.data());
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Passes a connection to another thread. */
  pass(port: MessagePort): void {
    this.#channel?.pass(port);
  }

  /** Stops the thread in order, and ends it if it does not, or is just being started again. */
  async stop(): Promise<void> {
    const isRunning = this.#state === "running" && this.#endedMs === undefined;
    this.#state = "stopped";
    this.#cancelTimer();
    this.#cancelPing();
    // Rejects the call.
    const cancel = this.#options.clock.after(STOP_MS_MAX, () => this.#channel?.close());
    if (isRunning)
      await this.#control.stop().catch((error: unknown) => {
        const { log, name } = this.#options;
        log.warn("thread-stop-failed", { thread: name, reason: messageOf(error) });
      });
    cancel();
    await this.#end();
    this.#channel?.close();
  }

  async #end(): Promise<void> {
    const late = new Promise<void>((resolve) => {
      this.#cancelTimer = this.#options.clock.after(END_MS_MAX, resolve);
    });
    await Promise.race([this.#worker?.terminate(), late]);
    this.#cancelTimer();
  }

  async #run(workerData: object): Promise<Started> {
    const { entry, components, clock, onSpawned, moreHeapMb = 0 } = this.#options;
    const worker = startThread(entry, { workerData, heapMb: HEAP_MB_MAX + moreHeapMb });
    let cause: unknown;
    worker.on("error", (error) => (cause = error));
    const ended = new Promise<never>((_resolve, reject) => {
      worker.on("exit", () => {
        this.#ended(worker, cause);
        reject(cause ?? unavailable());
      });
    });
    ended.catch(() => "reported by `#ended`");
    this.#worker = worker;
    this.#channel = new Channel(worker, clock, { main: this.#main(), ...components });
    this.#connection.use(this.#channel);
    onSpawned?.();
    const started = await Promise.race([ended, this.#control.start()]);
    if (this.#state === "starting") this.#state = "running";
    this.#endedMs = undefined;
    this.#unanswered = 0;
    this.#ping();
    return started;
  }

  #ping(): void {
    const { clock } = this.#options;
    this.#cancelPing();
    this.#cancelPing = clock.after(PING_INTERVAL_MS, () => this.#ping());
    if (this.isSilent) {
      this.#options.log.error("thread-silent", { thread: this.#options.name });
      void this.#worker?.terminate();
    }
    this.#unanswered += 1;
    this.#answerToPing().catch(() => "it has ended, and `exit` follows");
  }

  async #answerToPing(): Promise<void> {
    const use = await this.#control.ping();
    this.#unanswered = 0;
    this.#use = withLongerDelay(use, this.#use);
  }

  #ended(worker: Worker, cause: unknown): void {
    if (worker !== this.#worker) return;
    this.#channel?.close();
    this.#cancelPing();
    this.#endedMs ??= this.#options.clock.monotonicMs();
    this.#use = undefined;
    if (this.#state !== "running" || this.#isRestarting) return;
    const { name, log, conditions, onFailed } = this.#options;
    const reason = cause === undefined ? "it ended" : messageOf(cause);
    log.error("thread-failed", { thread: name, error: cause ?? reason });
    conditions.raise("thread-failed", { thread: name, reason }, name);
    onFailed?.();
    this.#scheduleRestart();
  }

  #main(): MainThread {
    const { log, conditions } = this.#options;
    return {
      log: (level, event, fields) => log[level](event, fields),
      raise: (code, detail, subject) => conditions.raise(code, detail, subject),
      clear: (code, subject) => conditions.clear(code, subject),
    };
  }

  #scheduleRestart(): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#options.clock.after(this.#restartMs, () => void this.#restart());
    this.#restartMs = Math.min(2 * this.#restartMs, RESTART_MS_MAX);
  }

  async #restart(): Promise<void> {
    const { name, log, conditions, clock, data } = this.#options;
    // Outside the `try`: without its data it can never start again, and the process ends.
    const workerData = data();
    this.#isRestarting = true;
    try {
      const started = await this.#run(workerData);
      // The daemon may have been stopped meanwhile.
      if (this.#state !== "running") return;
      log.info("thread-restarted", { thread: name });
      this.#onRestarted(started);
      // The next restart is quick again.
      this.#cancelTimer = clock.after(HEALTHY_MS, () => {
        this.#restartMs = RESTART_MS;
        conditions.clear("thread-failed", name);
      });
    } catch (error) {
      if (this.#state === "running") log.error("thread-start-failed", { thread: name, error });
      // An error of its start leaves the thread running.
      await this.#worker?.terminate();
      if (this.#state === "running") this.#scheduleRestart();
    } finally {
      this.#isRestarting = false;
    }
  }
}
