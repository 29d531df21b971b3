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

/** Milliseconds after which a warning becomes an error: a router restarts in less; default of `fleet.silentS`. */
const ERROR_AFTER_MS: Readonly<Partial<Record<ConditionCode, number>>> = {
  "upstream-unreachable": 600_000,
};

interface OpenCondition {
  readonly condition: Condition;
  /** When it was raised, monotonic: the wall clock may be set. */
  readonly sinceMs: number;
}

/** The open conditions. Raising, changing and clearing one is logged. */
export class ConditionRegistry implements Conditions {
  readonly #open = new Map<string, OpenCondition>();
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
    if (earlier?.condition.text === text) return;
    const since = earlier?.condition.since ?? new Date(this.#clock.wallMs()).toISOString();
    const { severity, title } = CONDITIONS[code];
    const condition = { code, subject, severity, title, text, values, since };
    this.#open.set(key, { condition, sinceMs: earlier?.sinceMs ?? this.#clock.monotonicMs() });
    this.#log[severity === "error" ? "error" : "warn"]("condition-raised", { code, subject, text });
  }

  clear(code: ConditionCode, subject = ""): void {
    if (this.#open.delete(`${code}/${subject}`)) this.#log.info("condition-cleared", { code, subject });
  }

  /** Closes a condition for each of its subjects. */
  clearAll(code: ConditionCode): void {
    const open = [...this.#open.values()].filter(({ condition }) => condition.code === code);
    for (const { condition } of open) this.clear(code, condition.subject);
  }

  isOpen(code: ConditionCode, subject = ""): boolean {
    return this.#open.has(`${code}/${subject}`);
  }

  /** The open conditions, worst first, then the oldest. */
  list(): Condition[] {
    return [...this.#open.values()]
      .map((open) => this.#withAge(open))
      .sort((a, b) => a.severity.localeCompare(b.severity) || a.since.localeCompare(b.since));
  }

  #withAge({ condition, sinceMs }: OpenCondition): Condition {
    const limitMs = ERROR_AFTER_MS[condition.code] ?? Infinity;
    return this.#clock.monotonicMs() - sinceMs < limitMs ? condition : { ...condition, severity: "error" };
  }
}
