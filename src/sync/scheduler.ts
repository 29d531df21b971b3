import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { isDamage } from "../store/integrity.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { Link } from "./link.ts";
import type { ObjectiveMirror } from "./objectives/objective-mirror.ts";
import type { Push } from "./push.ts";
import { NextRun } from "./schedule.ts";

interface SyncSchedulerOptions {
  readonly push: Push;
  /** Objective mirror, read after the records; omitted for none. */
  readonly mirror?: Pick<ObjectiveMirror, "start" | "runIfDue" | "clockStepped" | "stop">;
  /** Heartbeat of an idle link; omitted for none. */
  readonly heartbeat?: Pick<Heartbeat, "runIfDue" | "stop">;
  readonly link: Link;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Returns the next time of the schedule, milliseconds since 1970; undefined if there is none. */
  readonly nextRunMs: () => number | undefined;
  /** Called for a damaged page of the database. */
  readonly onDamage?: (error: unknown) => void;
}

/** Maximum sleep, which also limits the time until a clock step is noticed. */
const CHECK_INTERVAL_MS = 15_000;
/** Maximum drift between wall clock and monotonic clock before it counts as a clock step. */
const CLOCK_STEP_MS = 30_000;

/** Runs the push on its schedule, when entries become due and after each change, then the mirror. */
export class SyncScheduler {
  readonly #options: SyncSchedulerOptions;
  readonly #schedule: NextRun;
  #wallMinusMonotonicMs = 0;
  #cancelTimer: CancelTimer | undefined;
  #isRunning = false;
  #auditing: Promise<void> | undefined;

  constructor(options: SyncSchedulerOptions) {
    this.#options = options;
    this.#schedule = new NextRun(options.clock, options.nextRunMs);
  }

  start(): void {
    this.#isRunning = true;
    this.#planNext();
    this.#options.mirror?.start();
    this.requestRun({ urgent: true });
  }

  /**
   * Requests a run; before the start it is part of the first cycle. An urgent run starts at once even while the
   * link is down.
   */
  requestRun({ urgent }: { urgent: boolean }): void {
    if (!this.#isRunning) return;
    if (urgent) this.#options.link.probeForAlarm();
    void this.#cycle();
  }

  /** Pushes everything now, including postponed entries, and resolves when done. */
  async now(): Promise<void> {
    if (!this.#isRunning) return;
    this.#options.link.probeNow();
    await this.#withDatabase(() => this.#options.push.makeAllDue());
    this.#options.push.audit.makeDue();
    await this.#cycle(true);
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#cancelTimer?.();
    const { push, mirror, heartbeat } = this.#options;
    const others = [push.audit.stop(), mirror?.stop(), heartbeat?.stop(), this.#auditing];
    await Promise.all([push.stop(), ...others]);
  }

  /** @param withChecks also sweeps and verifies records */
  async #cycle(withChecks = false): Promise<void> {
    const { push, mirror, heartbeat, conditions } = this.#options;
    // The timer is set before anything can fail or hang, so there is always a next check.
    this.#arm(CHECK_INTERVAL_MS);
    await this.#withDatabase(async () => {
      if (!(await push.audit.readBackRecords()) || !this.#isRunning) return;
      await (withChecks ? push.cycleWithChecks() : push.cycle());
      this.#arm(push.nextWorkInMs() ?? CHECK_INTERVAL_MS);
      conditions.clear("outbox-write-failed");
      if (!this.#isRunning) return;
      mirror?.runIfDue();
      heartbeat?.runIfDue();
      this.#audit();
    });
  }

  /** Runs beside the cycles: new records do not wait for a comparison. */
  #audit(): void {
    this.#auditing ??= this.#withDatabase(() => this.#options.push.audit.runIfDue()).finally(
      () => (this.#auditing = undefined),
    );
  }

  /**
   * An error raises a condition; the next check retries. A defect too, as in a damaged row that a comparison meets: it must not keep
   * back the records.
   */
  async #withDatabase(work: () => void | Promise<void>): Promise<void> {
    const { conditions, log, onDamage } = this.#options;
    try {
      await work();
    } catch (error) {
      if (isDamage(error)) onDamage?.(error);
      log.error("sync-failed", { error });
      conditions.raise("outbox-write-failed", { reason: messageOf(error) });
    }
  }

  #planNext(): void {
    const { clock } = this.#options;
    this.#schedule.plan();
    this.#wallMinusMonotonicMs = clock.wallMs() - clock.monotonicMs();
  }

  #arm(untilWorkMs: number): void {
    this.#cancelTimer?.();
    if (!this.#isRunning) return;
    const { clock } = this.#options;
    const delayMs = Math.max(
      0,
      Math.min(CHECK_INTERVAL_MS, this.#schedule.waitMs() ?? CHECK_INTERVAL_MS, untilWorkMs),
    );
    this.#cancelTimer = clock.after(delayMs, () => void this.#check());
  }

  async #check(): Promise<void> {
    const { clock, mirror, log } = this.#options;
    const driftMs = clock.wallMs() - clock.monotonicMs() - this.#wallMinusMonotonicMs;
    const hasStepped = Math.abs(driftMs) > CLOCK_STEP_MS;
    const isRunDue = this.#schedule.isDue();
    if (isRunDue || hasStepped) this.#planNext();
    if (hasStepped) {
      log.warn("clock-step-detected", { stepMs: Math.round(driftMs) });
      mirror?.clockStepped();
    }
    await this.#cycle(isRunDue);
  }
}
