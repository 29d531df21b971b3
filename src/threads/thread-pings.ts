import type { CancelTimer, Clock } from "../domain/clock.ts";
import { withLongerDelay, type ThreadUse } from "../ops/thread-use.ts";

interface ThreadPingsOptions {
  /** Asks the thread. @returns what it uses; rejects if the thread has ended */
  readonly ping: () => Promise<ThreadUse>;
  /** Called with each ping of a thread that is silent. */
  readonly onSilent: () => void;
  readonly clock: Clock;
}

const PING_INTERVAL_MS = 5_000;
/**
 * A thread that leaves these pings unanswered is silent. They are counted, because time also passes while this thread is stopped or
 * busy: its timers then run before it takes the answers that have arrived.
 */
const UNANSWERED_MAX = 4;

/** Asks a thread for signs of life while it runs. */
export class ThreadPings {
  readonly #options: ThreadPingsOptions;
  #cancel: CancelTimer = () => {};
  /** Pings since its last answer. */
  #unanswered = 0;
  #use: ThreadUse | undefined;

  constructor(options: ThreadPingsOptions) {
    this.#options = options;
  }

  get isSilent(): boolean {
    return this.#unanswered >= UNANSWERED_MAX;
  }

  /** Its heap at the last ping, and its longest delay since this was last read; undefined while there was no ping. */
  takeUse(): ThreadUse | undefined {
    const use = this.#use;
    this.#use = use && { ...use, longestDelayS: 0 };
    return use;
  }

  /** Called when the thread has started, with its first ping. */
  start(): void {
    this.#unanswered = 0;
    this.#next();
  }

  stop(): void {
    this.#cancel();
    this.#use = undefined;
  }

  #next(): void {
    this.#cancel();
    this.#cancel = this.#options.clock.after(PING_INTERVAL_MS, () => this.#next());
    if (this.isSilent) this.#options.onSilent();
    this.#unanswered += 1;
    this.#ping().catch(() => "it has ended, and `exit` follows");
  }

  async #ping(): Promise<void> {
    const use = await this.#options.ping();
    this.#unanswered = 0;
    this.#use = withLongerDelay(use, this.#use);
  }
}
