import { backOffMs } from "../domain/backoff.ts";
import type { Conditions } from "../domain/condition.ts";

const BACK_OFF_BASE_MS = 100;
const BACK_OFF_CAP_MS = 30_000;
/** Consecutive failures after which a condition is raised. */
const FAILURES_BEFORE_CONDITION = 3;

/** Consecutive runs of the dispatcher with a failure. */
export class DispatchFailures {
  readonly #conditions: Conditions;
  #count = 0;

  constructor(conditions: Conditions) {
    this.#conditions = conditions;
  }

  get count(): number {
    return this.#count;
  }

  /** @param what failed, as shown in the condition */
  add(what: string): void {
    this.#count += 1;
    if (this.#count >= FAILURES_BEFORE_CONDITION)
      this.#conditions.raise(
        "dispatch-failing",
        `${what}; it stays in the journal and is retried automatically`,
      );
  }

  clear(): void {
    this.#count = 0;
    this.#conditions.clear("dispatch-failing");
  }

  /** The wait before the next run. @param random uniform in [0, 1) */
  waitMs(random: number): number {
    return backOffMs(this.#count - 1, random, BACK_OFF_BASE_MS, BACK_OFF_CAP_MS);
  }
}
