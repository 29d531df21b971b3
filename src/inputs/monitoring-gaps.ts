import type { Clock } from "../domain/clock.ts";
import type { ConditionCode, Conditions } from "../domain/condition.ts";
import { formatConditionMessage, type ConditionDetail } from "../domain/condition-sentence.ts";
import type { NewEvent } from "../domain/event.ts";
import { wallOf } from "./zone-state-persistence.ts";

export interface BlindIntervalsOptions {
  readonly clock: Clock;
  readonly conditions: Conditions;
  /** Takes an entry for the event log. */
  readonly record: (event: NewEvent) => void;
}

/** The conditions under which zones are not heard. */
const BLINDING: ReadonlySet<ConditionCode> = new Set([
  "mqtt-unreachable",
  "mqtt-session-taken-over",
  "mqtt-broker-not-listening",
  "mqtt-subscription-refused",
  "gpio-unavailable",
  "gpio-line-failed",
  "gpio-line-unstable",
]);

interface Blind {
  readonly code: ConditionCode;
  readonly subject: string;
  readonly text: string;
  /** Monotonic. */
  readonly sinceMs: number;
}

/** Passes on what the inputs declare, and writes down each time in which they were blind once it is over. */
export class MonitoringGaps implements Conditions {
  readonly #options: BlindIntervalsOptions;
  readonly #blind = new Map<string, Blind>();

  constructor(options: BlindIntervalsOptions) {
    this.#options = options;
  }

  raise<Code extends ConditionCode>(code: Code, said: ConditionDetail<Code>, subject = ""): void {
    this.#options.conditions.raise(code, said, subject);
    const name = `${code} ${subject}`;
    if (BLINDING.has(code) && !this.#blind.has(name))
      this.#blind.set(name, {
        code,
        subject,
        text: formatConditionMessage(code, said),
        sinceMs: this.#options.clock.monotonicMs(),
      });
  }

  clear(code: ConditionCode, subject = ""): void {
    this.#options.conditions.clear(code, subject);
    const name = `${code} ${subject}`;
    const blind = this.#blind.get(name);
    if (!blind) return;
    this.#blind.delete(name);
    this.#recordGap(blind);
  }

  /** What is blind when the daemon ends is told up to here; the next start tells of the time in between. */
  stop(): void {
    for (const blind of this.#blind.values()) this.#recordGap(blind);
    this.#blind.clear();
  }

  #recordGap({ code, subject, text, sinceMs }: Blind): void {
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
