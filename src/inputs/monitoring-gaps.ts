import type { Clock } from "../domain/clock.ts";
import type { ConditionCode, Conditions } from "../domain/condition.ts";
import { formatConditionMessage, type ConditionDetail } from "../domain/condition-sentence.ts";
import type { NewEvent } from "../domain/event.ts";
import { wallOf } from "./zone-state-persistence.ts";

export interface MonitoringGapsOptions {
  readonly clock: Clock;
  readonly conditions: Conditions;
  /** Adds an entry to the event log. */
  readonly record: (event: NewEvent) => void;
}

/** The conditions under which zones cannot be read. */
const GAP_CONDITIONS: ReadonlySet<ConditionCode> = new Set([
  "mqtt-unreachable",
  "mqtt-session-taken-over",
  "mqtt-broker-not-listening",
  "mqtt-subscription-refused",
  "gpio-unavailable",
  "gpio-line-failed",
  "gpio-line-unstable",
]);

interface Gap {
  readonly code: ConditionCode;
  readonly subject: string;
  readonly text: string;
  /** Monotonic. */
  readonly sinceMs: number;
}

/** Passes on the conditions of the inputs, and records each monitoring gap once it is over. */
export class MonitoringGaps implements Conditions {
  readonly #options: MonitoringGapsOptions;
  readonly #gaps = new Map<string, Gap>();

  constructor(options: MonitoringGapsOptions) {
    this.#options = options;
  }

  raise<Code extends ConditionCode>(code: Code, detail: ConditionDetail<Code>, subject = ""): void {
    this.#options.conditions.raise(code, detail, subject);
    const name = `${code} ${subject}`;
    if (GAP_CONDITIONS.has(code) && !this.#gaps.has(name))
      this.#gaps.set(name, {
        code,
        subject,
        text: formatConditionMessage(code, detail),
        sinceMs: this.#options.clock.monotonicMs(),
      });
  }

  clear(code: ConditionCode, subject = ""): void {
    this.#options.conditions.clear(code, subject);
    const name = `${code} ${subject}`;
    const gap = this.#gaps.get(name);
    if (!gap) return;
    this.#gaps.delete(name);
    this.#recordGap(gap);
  }

  /** Records open gaps up to now; the next start records the downtime. */
  stop(): void {
    for (const gap of this.#gaps.values()) this.#recordGap(gap);
    this.#gaps.clear();
  }

  #recordGap({ code, subject, text, sinceMs }: Gap): void {
    const { clock, record } = this.#options;
    record({
      who: "santinela",
      from: "itself",
      event: "blind-interval",
      subject: subject === "" ? code : `${code} ${subject}`,
      detail: { from: isoTime(wallOf(clock, sinceMs)), to: isoTime(clock.wallMs()), reason: text },
    });
  }
}

function isoTime(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
