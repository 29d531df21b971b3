import type { CancelTimer, Clock, TrustedTime } from "../domain/clock.ts";
import { messageOf } from "../domain/errors.ts";
import type { NewEvent } from "../domain/event.ts";
import type { Log } from "../domain/log.ts";
import type { Journal } from "../store/journal.ts";
import { wallOf } from "./zone-state-persistence.ts";

export interface LivenessRecorderOptions {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly time: TrustedTime;
  readonly log: Log;
  /** Adds an entry to the event log. */
  readonly record: (event: NewEvent) => void;
  /** Called every few seconds. */
  readonly periodicTasks: readonly (() => void)[];
}

const TICK_INTERVAL_MS = 10_000;
/** Interval at which the daemon stores that it runs. Each write wears an SD card; a shorter one only improves accuracy. */
const LIVENESS_INTERVAL_MS = 300_000;

/** Stores at intervals that the daemon runs, records the downtime after a start, and runs the periodic tasks. */
export class LivenessRecorder {
  readonly #options: LivenessRecorderOptions;
  #cancel: CancelTimer | undefined;
  #aliveMs = -Infinity;
  /** Last time alive by the wall clock and time of the start by the monotonic clock; undefined once recorded. */
  #downtime: { readonly fromWallMs: number; readonly untilMs: number } | undefined;

  constructor(options: LivenessRecorderOptions) {
    this.#options = options;
  }

  start(): void {
    const { journal, clock } = this.#options;
    const fromWallMs = journal.lastAlive();
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
    const { clock, log, periodicTasks } = this.#options;
    this.#recordDowntime();
    for (const runTask of periodicTasks) {
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
    const untilWallMs = wallOf(clock, untilMs);
    if (untilWallMs <= fromWallMs) return;
    record({
      who: "santinela",
      from: "itself",
      event: "blind-interval",
      subject: "every zone",
      detail: { from: isoTime(fromWallMs), to: isoTime(untilWallMs), reason: "the daemon did not run" },
    });
  }

  #markAlive(): void {
    const { journal, clock, time, log } = this.#options;
    if (!time.isTrusted()) return;
    try {
      journal.markAlive(clock.wallMs());
      this.#aliveMs = clock.monotonicMs();
    } catch (error) {
      // The journal raises its own condition on a full disk; only a later monitoring gap is less exact.
      log.debug("liveness-write-failed", { reason: messageOf(error) });
    }
  }
}

function isoTime(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
