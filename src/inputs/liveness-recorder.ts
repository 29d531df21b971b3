import type { CancelTimer, Clock, TrustedTime } from "../domain/clock.ts";
import { messageOf } from "../domain/errors.ts";
import type { NewEvent } from "../domain/event.ts";
import type { Log } from "../domain/log.ts";
import type { Journal } from "../store/journal.ts";
import { wallOf } from "./zone-state-persistence.ts";

export interface HeartbeatOptions {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly time: TrustedTime;
  readonly log: Log;
  /** Takes an entry for the event log. */
  readonly record: (event: NewEvent) => void;
  /** What wants to be looked at every few seconds. */
  readonly periodicTasks: readonly (() => void)[];
}

const TICK_INTERVAL_MS = 10_000;
/** The daemon writes down that it runs so often: each time wears an SD card, and only says how long it was away. */
const LIVENESS_INTERVAL_MS = 300_000;

/** Writes down that the daemon runs, so that the time in which it did not is known afterwards, and calls the looks. */
export class LivenessRecorder {
  readonly #options: HeartbeatOptions;
  #cancel: CancelTimer | undefined;
  #aliveMs = -Infinity;
  /** When the daemon last ran by the wall clock, and when it began again by the monotonic one; until that is told. */
  #absence: { readonly fromWallMs: number; readonly untilMs: number } | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  start(): void {
    const { journal, clock } = this.#options;
    const fromWallMs = journal.lastAlive();
    if (fromWallMs !== undefined) this.#absence = { fromWallMs, untilMs: clock.monotonicMs() };
    this.#beat();
  }

  stop(): void {
    if (!this.#cancel) return;
    this.#cancel();
    this.#cancel = undefined;
    this.#markAlive();
  }

  #beat(): void {
    const { clock, log, periodicTasks } = this.#options;
    this.#recordDowntime();
    for (const look of periodicTasks) {
      try {
        look();
      } catch (error) {
        log.error("periodic-task-failed", { error });
      }
    }
    if (clock.monotonicMs() - this.#aliveMs >= LIVENESS_INTERVAL_MS) this.#markAlive();
    this.#cancel = clock.after(TICK_INTERVAL_MS, () => this.#beat());
  }

  /**
   * Tells of the time in which the daemon did not run, once the clock can be believed: nothing was seen then but what
   * waited somewhere.
   */
  #recordDowntime(): void {
    const { clock, time, record } = this.#options;
    const absence = this.#absence;
    if (!absence || !time.isTrusted()) return;
    this.#absence = undefined;
    const { fromWallMs, untilMs } = absence;
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
      // A full disk is the journal's condition already; only the length of a later blind interval suffers.
      log.debug("liveness-write-failed", { reason: messageOf(error) });
    }
  }
}

function isoTime(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
