import { isoTime, type Clock } from "../domain/clock.ts";
import {
  CONDITIONS,
  type Condition,
  type ConditionCode,
  type Conditions,
  formatConditionMessage,
  type ConditionDetail,
} from "../domain/condition.ts";
import { Instant } from "../domain/instant.ts";
import type { Log } from "../domain/log.ts";

/** Milliseconds after which a warning becomes an error: a router restarts in less; default of `fleet.silentS`. */
const ERROR_AFTER_MS: Readonly<Partial<Record<ConditionCode, number>>> = {
  "upstream-unreachable": 600_000,
};

interface OpenCondition {
  readonly condition: Omit<Condition, "since">;
  readonly raised: Instant;
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
    const { severity, title } = CONDITIONS[code];
    const condition = { code, subject, severity, title, text, values };
    this.#open.set(key, { condition, raised: earlier?.raised ?? new Instant(this.#clock) });
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
      .sort((a, b) => a.raised.monotonicMs - b.raised.monotonicMs)
      .map(withAge)
      .sort((a, b) => a.severity.localeCompare(b.severity));
  }
}

function withAge({ condition, raised }: OpenCondition): Condition {
  const isError = raised.ageMs >= (ERROR_AFTER_MS[condition.code] ?? Infinity);
  return {
    ...condition,
    since: isoTime(raised.wallMs),
    severity: isError ? "error" : condition.severity,
  };
}
