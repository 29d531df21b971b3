import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";

/** A thread that has run this long without a failure is healthy: its condition is cleared. */
export const HEALTHY_MS = 60_000;

/** The threads that are started when needed. A trip never waits for them. */
export const ON_DEMAND_THREADS = ["lists", "backup"] as const;
export type OnDemandThread = (typeof ON_DEMAND_THREADS)[number];

interface ThreadFailuresParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

/**
 * Failures of a thread that is started when needed. They are one condition, cleared after a minute without a further one:
 * a success between two failures must not hide them.
 */
export class ThreadFailures {
  readonly #thread: OnDemandThread;
  readonly #parts: ThreadFailuresParts;
  #cancelClear: CancelTimer = () => {};

  constructor(thread: OnDemandThread, parts: ThreadFailuresParts) {
    this.#thread = thread;
    this.#parts = parts;
  }

  /** Clears the condition of an earlier run that has ended within its minute. */
  start(): void {
    this.#parts.conditions.clear("thread-failed", this.#thread);
  }

  /** @param error what has ended the thread, or the reason in words */
  report(error: unknown): void {
    const { clock, log, conditions } = this.#parts;
    const thread = this.#thread;
    log.error("thread-failed", { thread, error });
    conditions.raise("thread-failed", { thread, reason: messageOf(error) }, thread);
    this.#cancelClear();
    this.#cancelClear = clock.after(HEALTHY_MS, () => conditions.clear("thread-failed", thread));
  }

  stop(): void {
    this.#cancelClear();
  }
}
