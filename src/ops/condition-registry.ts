import type { Clock } from "../domain/clock.ts";
import {
  CONDITIONS,
  type Condition,
  type ConditionCode,
  type Conditions,
  formatConditionMessage,
  type ConditionDetail,
} from "../domain/condition.ts";
import type { Log } from "../domain/log.ts";

/** The open conditions. Raising, changing and clearing one is logged. */
export class ConditionRegistry implements Conditions {
  readonly #open = new Map<string, Condition>();
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  raise<Code extends ConditionCode>(code: Code, detail: ConditionDetail<Code>, subject = ""): void {
    const text = formatConditionMessage(code, detail);
    const values = typeof detail === "string" ? null : detail;
    const key = `${code}/${subject}`;
    const earlier = this.#open.get(key);
    if (earlier?.text === text) return;
    const since = earlier?.since ?? new Date(this.#clock.wallMs()).toISOString();
    const condition = { code, subject, ...CONDITIONS[code], text, values, since };
    this.#open.set(key, condition);
    this.#log[condition.severity === "error" ? "error" : "warn"]("condition-raised", { code, subject, text });
  }

  clear(code: ConditionCode, subject = ""): void {
    if (this.#open.delete(`${code}/${subject}`)) this.#log.info("condition-cleared", { code, subject });
  }

  isOpen(code: ConditionCode, subject = ""): boolean {
    return this.#open.has(`${code}/${subject}`);
  }

  /** The open conditions, worst first, then the oldest. */
  list(): Condition[] {
    return [...this.#open.values()].sort(
      (a, b) => a.severity.localeCompare(b.severity) || a.since.localeCompare(b.since),
    );
  }
}
