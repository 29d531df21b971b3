import { isoTime, type CancelTimer } from "../domain/clock.ts";
import { formatConditionMessage, type ConditionDetail } from "../domain/condition.ts";
import type { ConditionCode, Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { NewEvent } from "../domain/event.ts";
import type { Interval } from "../domain/interval.ts";
import type { ZoneContext } from "./zone-context.ts";
import { toWallMs } from "./zone-state-persistence.ts";

/** The conditions under which zones cannot be read. */
const GAP_CONDITIONS: ReadonlySet<ConditionCode> = new Set([
  "mqtt-unreachable",
  "mqtt-session-taken-over",
  "mqtt-broker-not-listening",
  "mqtt-subscription-refused",
  "mqtt-device-renamed",
  "mqtt-device-removed",
  "gpio-unavailable",
  "gpio-line-failed",
  "gpio-line-unstable",
  "adc-unavailable",
  "adc-channel-failed",
  "loop-out-of-range",
]);

/** A gap of before the clock is set waits this long for its time: a machine without a time server must report it too. */
const UNDATED_WAIT_MS = 3_600_000;
/** Gaps that wait for their times. */
const UNDATED_MAX = 100;

interface Gap {
  readonly code: ConditionCode;
  readonly subject: string;
  readonly text: string;
  /** Monotonic. */
  readonly sinceMs: number;
}

interface EndedGap extends Gap {
  /** Monotonic. */
  readonly untilMs: number;
}

/** Passes on the conditions of the inputs, and records each monitoring gap once it is over. */
export class MonitoringGaps implements Conditions {
  readonly #options: ZoneContext;
  readonly #gaps = new Map<string, Gap>();
  /** Gaps that ended while the clock was not trusted: they are recorded once their times are known. */
  #undated: EndedGap[] = [];

  constructor(options: ZoneContext) {
    this.#options = options;
  }

  raise<Code extends ConditionCode>(
    code: Code,
    detail: ConditionDetail<Code>,
    subject = "",
    sinceMs = this.#options.clock.monotonicMs(),
  ): void {
    this.#options.conditions.raise(code, detail, subject);
    const name = `${code} ${subject}`;
    if (GAP_CONDITIONS.has(code) && !this.#gaps.has(name))
      this.#gaps.set(name, {
        code,
        subject,
        text: formatConditionMessage(code, detail),
        sinceMs,
      });
  }

  clear(code: ConditionCode, subject = ""): void {
    this.#options.conditions.clear(code, subject);
    const name = `${code} ${subject}`;
    const gap = this.#gaps.get(name);
    if (!gap) return;
    this.#gaps.delete(name);
    this.#undated.push(this.#endedNow(gap));
    this.tick();
  }

  /**
   * Records the gaps that are over, once the clock is trusted; to be called at intervals. After a crash before that, the next
   * start reports the whole time since the clock was last trusted.
   */
  tick(): void {
    const { clock, time } = this.#options;
    const waitedMs = clock.monotonicMs() - UNDATED_WAIT_MS;
    const isDue = ({ untilMs }: EndedGap, index: number): boolean =>
      untilMs <= waitedMs || index < this.#undated.length - UNDATED_MAX;
    this.#record(time.isTrusted() ? () => true : isDue);
  }

  /** Records open gaps up to now, also with a clock that is not trusted; the next start records the downtime. */
  stop(): void {
    for (const gap of this.#gaps.values()) this.#undated.push(this.#endedNow(gap));
    this.#gaps.clear();
    this.#record(() => true);
  }

  #endedNow(gap: Gap): EndedGap {
    return { ...gap, untilMs: this.#options.clock.monotonicMs() };
  }

  #record(isDue: (gap: EndedGap, index: number) => boolean): void {
    const due = this.#undated.filter(isDue);
    this.#undated = this.#undated.filter((gap) => !due.includes(gap));
    for (const gap of due) this.#recordGap(gap);
  }

  #recordGap({ code, subject, text, sinceMs, untilMs }: EndedGap): void {
    const { clock, time, record } = this.#options;
    const interval = { fromMs: toWallMs(clock, sinceMs), toMs: toWallMs(clock, untilMs) };
    const event = gapEvent(subject === "" ? code : `${code} ${subject}`, interval, text);
    record(time.isTrusted() ? event : { ...event, detail: { ...event.detail, isDated: false } });
  }
}

const TICK_INTERVAL_MS = 10_000;
/** Interval at which the daemon stores that it runs. Each write wears an SD card; a shorter one only improves accuracy. */
const LIVENESS_INTERVAL_MS = 300_000;

/** Stores at intervals that the daemon runs, records the downtime after a start, and runs the periodic tasks. */
export class LivenessRecorder {
  readonly #options: ZoneContext;
  readonly #periodicTasks: readonly (() => void)[];
  #cancel: CancelTimer | undefined;
  #aliveMs = -Infinity;
  /** Last time alive by the wall clock and time of the start by the monotonic clock; undefined once recorded. */
  #downtime: { readonly fromWallMs: number; readonly untilMs: number } | undefined;

  /** @param periodicTasks called every few seconds */
  constructor(options: ZoneContext, periodicTasks: readonly (() => void)[]) {
    this.#options = options;
    this.#periodicTasks = periodicTasks;
  }

  start(): void {
    const { journal, clock } = this.#options;
    const fromWallMs = journal.liveness.last();
    if (fromWallMs !== undefined) this.#downtime = { fromWallMs, untilMs: clock.monotonicMs() };
    this.#tick();
  }

  stop(): void {
    if (!this.#cancel) return;
    this.#cancel();
    this.#cancel = undefined;
    this.#markAlive();
  }

  #tick(): void {
    const { clock, log } = this.#options;
    this.#recordDowntime();
    for (const runTask of this.#periodicTasks) {
      try {
        runTask();
      } catch (error) {
        log.error("periodic-task-failed", { error });
      }
    }
    if (clock.monotonicMs() - this.#aliveMs >= LIVENESS_INTERVAL_MS) this.#markAlive();
    this.#cancel = clock.after(TICK_INTERVAL_MS, () => this.#tick());
  }

  /** Records the downtime before this start once the clock is trusted: zones could not be read in it. */
  #recordDowntime(): void {
    const { clock, time, record } = this.#options;
    const downtime = this.#downtime;
    if (!downtime || !time.isTrusted()) return;
    this.#downtime = undefined;
    const { fromWallMs, untilMs } = downtime;
    const interval = { fromMs: fromWallMs, toMs: toWallMs(clock, untilMs) };
    if (interval.toMs > fromWallMs) record(gapEvent("every zone", interval, "the daemon did not run"));
  }

  #markAlive(): void {
    const { journal, clock, time, log } = this.#options;
    if (!time.isTrusted()) return;
    try {
      journal.liveness.mark(clock.wallMs());
      this.#aliveMs = clock.monotonicMs();
    } catch (error) {
      // The journal raises its own condition on a full disk; only a later monitoring gap is less exact.
      log.debug("liveness-write-failed", { reason: messageOf(error) });
    }
  }
}

/** @param interval by the wall clock */
function gapEvent(subject: string, { fromMs, toMs }: Interval, reason: string): NewEvent {
  const detail = { from: isoTime(fromMs), to: isoTime(toMs), reason };
  return { who: "santinela", from: "itself", event: "blind-interval", subject, detail };
}
