import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { isStorageError } from "../store/database.ts";
import type { Link } from "./link.ts";
import type { Push } from "./push.ts";

export interface SyncSchedulerOptions {
  readonly push: Push;
  readonly link: Link;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  /** The next moment of the schedule, milliseconds since 1970; undefined when there is none. */
  readonly nextRunMs: () => number | undefined;
}

/** Longest sleep: a clock that was set in the meantime is noticed so soon. */
const LOOK_EVERY_MS = 15_000;
/** The wall clock may drift so far from the monotonic one before it counts as set. */
const CLOCK_STEP_MS = 30_000;

/** Runs the push on its schedule, when something comes due, and at once after a change. */
export class SyncScheduler {
  readonly #options: SyncSchedulerOptions;
  #nextRunMs: number | undefined;
  #wallMinusMonotonicMs = 0;
  #cancelTimer: CancelTimer | undefined;
  #isRunning = false;

  constructor(options: SyncSchedulerOptions) {
    this.#options = options;
  }

  start(): void {
    // What a dead process left on the wire is taken up before anything else is sent.
    this.#options.push.start();
    this.#isRunning = true;
    this.#plan();
    this.kick({ urgent: true });
  }

  /** Says that there is something to do; before the start it finds its way into the first cycle. An urgent change is tried at once even while the link rests after a fault. */
  kick({ urgent }: { urgent: boolean }): void {
    if (!this.#isRunning) return;
    if (urgent) this.#options.link.probeSoon();
    void this.#cycle();
  }

  /** Works through everything now, whatever was postponed, and comes back when it is done. */
  async now(): Promise<void> {
    if (!this.#isRunning) return;
    this.#options.link.probeNow();
    this.#options.push.makeAllDue();
    await this.#cycle();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#cancelTimer?.();
    await this.#options.push.stop();
  }

  async #cycle(): Promise<void> {
    const { push, conditions, log } = this.#options;
    try {
      await push.cycle();
      conditions.clear("outbox-write-failed");
    } catch (error) {
      if (!isStorageError(error)) throw error;
      log.error("sync-failed", { error });
      conditions.raise(
        "outbox-write-failed",
        `the outbox cannot be used: ${messageOf(error)}. Free disk space or mend the disk.`,
      );
    }
    this.#arm();
  }

  #plan(): void {
    const { clock, nextRunMs } = this.#options;
    this.#nextRunMs = nextRunMs();
    this.#wallMinusMonotonicMs = clock.wallMs() - clock.monotonicMs();
  }

  #arm(): void {
    this.#cancelTimer?.();
    if (!this.#isRunning) return;
    const { clock, push } = this.#options;
    const untilRunMs = this.#nextRunMs === undefined ? LOOK_EVERY_MS : this.#nextRunMs - clock.wallMs();
    const untilWorkMs = push.isHealthy ? push.nextWorkInMs() : undefined;
    const delayMs = Math.max(0, Math.min(LOOK_EVERY_MS, untilRunMs, untilWorkMs ?? LOOK_EVERY_MS));
    this.#cancelTimer = clock.after(delayMs, () => this.#look());
  }

  #look(): void {
    const { clock, push } = this.#options;
    const driftMs = clock.wallMs() - clock.monotonicMs() - this.#wallMinusMonotonicMs;
    const isRunDue = this.#nextRunMs !== undefined && clock.wallMs() >= this.#nextRunMs;
    if (Math.abs(driftMs) > CLOCK_STEP_MS)
      this.#options.log.warn("clock-stepped", { stepMs: Math.round(driftMs) });
    if (isRunDue || Math.abs(driftMs) > CLOCK_STEP_MS) this.#plan();
    if (isRunDue || !push.isHealthy || push.nextWorkInMs() === 0) void this.#cycle();
    else this.#arm();
  }
}
