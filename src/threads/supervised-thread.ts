import type { MessagePort, Worker } from "node:worker_threads";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Remote } from "../domain/remote.ts";
import { endThread, startedWithin, startThread } from "../ops/limited-thread.ts";
import { HEALTHY_MS } from "../ops/thread-failures.ts";
import type { ThreadUse } from "../ops/thread-use.ts";
import { Channel, Connection, unavailable, type Components } from "./channel.ts";
import { mainThreadOf } from "./main-thread-connection.ts";
import type { ThreadControl } from "./thread-control.ts";
import { ThreadPings } from "./thread-pings.ts";

export type ThreadName = "records" | "front" | "broker";

interface ThreadOptions {
  readonly name: ThreadName;
  /** Its module, which serves the component `thread`. */
  readonly entry: URL;
  /** Its `workerData`, read at each start. */
  readonly data: () => object;
  /** Heap that it may use beyond that of every thread, in MB; none by default. */
  readonly moreHeapMb?: number;
  /** Limit of each of its starts, in milliseconds; none by default: the first start of the records may restore a database. */
  readonly startMsMax?: number;
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
/** A thread that has ended and does not run again after this time is silent too. */
const ENDED_MS_MAX = 20_000;
/** Longer than the server (5 s) and the sync (3 s) wait for requests in flight. Systemd ends the process after 20 s. */
const STOP_MS_MAX = 8_000;
/** Leaves time for the others: Node ends a thread only after its native calls, such as a query. */
const END_MS_MAX = 1_000;
const RESTART_MS = 200;
/** Half of `ENDED_MS_MAX`: one that starts but does not last must not end the process, which watches the contacts. */
const RESTART_MS_MAX = 10_000;

/**
 * A thread that is started again when a defect ends it, while this thread continues. Calls in the meantime are rejected
 * with `unavailable`.
 */
export class SupervisedThread<Started> {
  readonly #options: ThreadOptions;
  readonly #control: Remote<ThreadControl<Started>>;
  readonly #connection = new Connection();
  readonly #pings: ThreadPings;
  #worker: Worker | undefined;
  /** Why it was ended, if it has not responded. */
  #silence: Error | undefined;
  #channel: Channel | undefined;
  #onRestarted: (started: Started) => void = () => {};
  #cancelTimer: CancelTimer = () => {};
  #restartMs = RESTART_MS;
  #isRestarting = false;
  /** When it has ended, monotonic; undefined while it runs. */
  #endedMs: number | undefined;
  #state: "starting" | "running" | "stopped" = "starting";

  constructor(options: ThreadOptions) {
    this.#options = options;
    this.#control = this.remote("thread");
    const onSilent = (): void => this.#endSilent();
    this.#pings = new ThreadPings({ ...options, ping: () => this.#control.ping(), onSilent });
  }

  /** Whether it does not answer, or cannot be started again. */
  get isSilent(): boolean {
    if (this.#state !== "running") return false;
    const endedMs = this.#endedMs;
    if (endedMs !== undefined) return this.#options.clock.monotonicMs() - endedMs > ENDED_MS_MAX;
    return this.#pings.isSilent;
  }

  /** What it uses: see `ThreadPings`. */
  takeUse(): ThreadUse | undefined {
    return this.#pings.takeUse();
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

  /**
   * As `start`, but a start that fails is reported and repeated as after a defect.
   * @param onStarted called after each later start
   * @returns undefined if this one has failed
   */
  async startOrRetry(onStarted: (started: Started) => void): Promise<Started | undefined> {
    this.#onRestarted = onStarted;
    try {
      return await this.#run(this.#options.data());
    } catch (error) {
      await this.#endFailedStart();
      if (this.#state === "starting") this.#state = "running";
      this.#endedMs ??= this.#options.clock.monotonicMs();
      if (this.#state === "running") this.#failed(error);
      return undefined;
    }
  }

  /** Passes a connection to another thread. */
  pass(port: MessagePort): void {
    this.#channel?.pass(port);
  }

  /**
   * Stops the thread in order, and ends it if it does not, or is just being started again.
   * @returns whether it has closed its files: it cannot be ended in a native call, such as a query, and keeps them open until then
   */
  async stop(): Promise<boolean> {
    const { clock, log, name } = this.#options;
    const isRunning = this.#state === "running" && this.#endedMs === undefined;
    this.#state = "stopped";
    this.#cancelTimer();
    this.#pings.stop();
    const isInOrder = isRunning && (await this.#stopInOrder());
    const hasEnded = this.#worker === undefined || (await endThread(this.#worker, clock, END_MS_MAX));
    if (!isInOrder && !hasEnded) log.error("thread-end-failed", { thread: name });
    this.#channel?.close();
    return isInOrder || hasEnded;
  }

  /** @returns whether the thread has stopped in time */
  async #stopInOrder(): Promise<boolean> {
    const { clock, log, name } = this.#options;
    // Rejects the call.
    const cancel = clock.after(STOP_MS_MAX, () => this.#channel?.close());
    try {
      await this.#control.stop();
      return true;
    } catch (error) {
      log.warn("thread-stop-failed", { thread: name, reason: messageOf(error) });
      return false;
    } finally {
      cancel();
    }
  }

  async #run(workerData: object): Promise<Started> {
    const { entry, components, clock, onSpawned, moreHeapMb = 0, startMsMax } = this.#options;
    const worker = startThread(entry, { workerData, heapMb: HEAP_MB_MAX + moreHeapMb });
    this.#silence = undefined;
    let cause: unknown;
    worker.on("error", (error) => (cause = error));
    const ended = new Promise<never>((_resolve, reject) => {
      worker.on("exit", () => {
        this.#ended(worker, cause ?? this.#silence);
        reject(cause ?? unavailable());
      });
    });
    ended.catch(() => "reported by `#ended`");
    this.#worker = worker;
    this.#channel = new Channel(worker, clock, { main: mainThreadOf(this.#options), ...components });
    this.#connection.use(this.#channel);
    onSpawned?.();
    const started = await startedWithin(startMsMax, Promise.race([ended, this.#control.start()]), clock);
    if (this.#state === "starting") this.#state = "running";
    this.#endedMs = undefined;
    this.#pings.start();
    return started;
  }

  /** An error of its start leaves it running. One in a native call, as a read of a failing card, ends later. */
  async #endFailedStart(): Promise<void> {
    if (this.#worker) await endThread(this.#worker, this.#options.clock, END_MS_MAX);
  }

  #endSilent(): void {
    this.#options.log.error("thread-silent", { thread: this.#options.name });
    this.#silence = new Error("it did not respond for 20 s");
    void this.#worker?.terminate();
  }

  #ended(worker: Worker, cause: unknown): void {
    if (worker !== this.#worker) return;
    this.#channel?.close();
    this.#pings.stop();
    this.#endedMs ??= this.#options.clock.monotonicMs();
    if (this.#state === "running" && !this.#isRestarting) this.#failed(cause);
  }

  /** Reports its end, and starts it again. @param cause undefined if it has ended without an error */
  #failed(cause: unknown): void {
    const { name, log, conditions, onFailed } = this.#options;
    const reason = cause === undefined ? "it ended" : messageOf(cause);
    log.error("thread-failed", { thread: name, error: cause ?? reason });
    conditions.raise("thread-failed", { thread: name, reason }, name);
    onFailed?.();
    this.#scheduleRestart();
  }

  #scheduleRestart(): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#options.clock.after(this.#restartMs, () => void this.#restart());
    this.#restartMs = Math.min(2 * this.#restartMs, RESTART_MS_MAX);
  }

  async #restart(): Promise<void> {
    const { name, log, conditions, clock, data } = this.#options;
    // Without it the thread can never start again, and the process ends.
    const workerData = data();
    this.#isRestarting = true;
    try {
      const started = await this.#run(workerData);
      // The daemon may have been stopped meanwhile.
      if (this.#state !== "running") return;
      log.info("thread-restarted", { thread: name });
      this.#onRestarted(started);
      this.#cancelTimer = clock.after(HEALTHY_MS, () => {
        this.#restartMs = RESTART_MS;
        conditions.clear("thread-failed", name);
      });
    } catch (error) {
      if (this.#state === "running") log.error("thread-start-failed", { thread: name, error });
      await this.#endFailedStart();
      if (this.#state === "running") this.#scheduleRestart();
    } finally {
      this.#isRestarting = false;
    }
  }
}
