import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { isStorageError } from "../store/database.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { Link } from "./link.ts";
import type { ObjectiveMirror } from "./objective-mirror.ts";
import type { Push } from "./push.ts";
import { NextRun } from "./next-run.ts";

export interface SyncSchedulerOptions {
  readonly push: Push;
  /** What is read behind the records; without it nothing is. */
  readonly mirror?: Pick<ObjectiveMirror, "start" | "look" | "clockStepped" | "stop">;
  /** What keeps an eye on an idle link; without it nothing does. */
  readonly heartbeat?: Pick<Heartbeat, "look" | "stop">;
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

/** Runs the push on its schedule, when something comes due, and at once after a change; and behind it the mirror. */
export class SyncScheduler {
  readonly #options: SyncSchedulerOptions;
  readonly #timetable: NextRun;
  #wallMinusMonotonicMs = 0;
  #cancelTimer: CancelTimer | undefined;
  #isRunning = false;
  #auditing: Promise<void> | undefined;

  constructor(options: SyncSchedulerOptions) {
    this.#options = options;
    this.#timetable = new NextRun(options.clock, options.nextRunMs);
  }

  start(): void {
    this.#isRunning = true;
    this.#plan();
    this.#options.mirror?.start();
    this.requestRun({ urgent: true });
  }

  /** Says that there is something to do; before the start it finds its way into the first cycle. An urgent change is tried at once even while the link rests after a fault. */
  requestRun({ urgent }: { urgent: boolean }): void {
    if (!this.#isRunning) return;
    if (urgent) this.#options.link.probeForAlarm();
    void this.#cycle();
  }

  /** Works through everything now, whatever was postponed, and comes back when it is done. */
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
    await Promise.all([push.stop(), mirror?.stop(), heartbeat?.stop(), this.#auditing]);
  }

  /** @param withChecks also looks at the centre's records for what is to be checked */
  async #cycle(withChecks = false): Promise<void> {
    const { push, mirror, heartbeat, conditions } = this.#options;
    // Armed before anything can fail or hang: there is always a next look.
    this.#arm(LOOK_EVERY_MS);
    await this.#withDatabase(async () => {
      if (!(await push.audit.readBackRecords())) return;
      await (withChecks ? push.cycleWithChecks() : push.cycle());
      this.#arm(push.nextWorkInMs() ?? LOOK_EVERY_MS);
      conditions.clear("outbox-write-failed");
      if (!this.#isRunning) return;
      mirror?.look();
      heartbeat?.look();
      this.#audit();
    });
  }

  /** Beside the cycles: what is new must not wait for what is only compared. */
  #audit(): void {
    this.#auditing ??= this.#withDatabase(() => this.#options.push.audit.look()).finally(
      () => (this.#auditing = undefined),
    );
  }

  /** A database in trouble is a condition; the next look tries again. */
  async #withDatabase(work: () => void | Promise<void>): Promise<void> {
    const { conditions, log } = this.#options;
    try {
      await work();
    } catch (error) {
      if (!isStorageError(error)) throw error;
      log.error("sync-failed", { error });
      conditions.raise("outbox-write-failed", { reason: messageOf(error) });
    }
  }

  #plan(): void {
    const { clock } = this.#options;
    this.#timetable.plan();
    this.#wallMinusMonotonicMs = clock.wallMs() - clock.monotonicMs();
  }

  #arm(untilWorkMs: number): void {
    this.#cancelTimer?.();
    if (!this.#isRunning) return;
    const { clock } = this.#options;
    const delayMs = Math.max(
      0,
      Math.min(LOOK_EVERY_MS, this.#timetable.waitMs() ?? LOOK_EVERY_MS, untilWorkMs),
    );
    this.#cancelTimer = clock.after(delayMs, () => void this.#look());
  }

  async #look(): Promise<void> {
    const { clock, mirror, log } = this.#options;
    const driftMs = clock.wallMs() - clock.monotonicMs() - this.#wallMinusMonotonicMs;
    const hasStepped = Math.abs(driftMs) > CLOCK_STEP_MS;
    const isRunDue = this.#timetable.isDue();
    if (isRunDue || hasStepped) this.#plan();
    if (hasStepped) {
      log.warn("clock-step-detected", { stepMs: Math.round(driftMs) });
      mirror?.clockStepped();
    }
    await this.#cycle(isRunDue);
  }
}
