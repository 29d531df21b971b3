import { isoTime, type CancelTimer, type Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import type { Log } from "../domain/log.ts";
import { silenceQuery } from "../domain/site-silence.ts";
import type { Fleet, SilenceResult } from "./fleet.ts";

interface SilenceWatchOptions {
  readonly fleet: Pick<Fleet, "findSilent" | "reception" | "reportsMissed">;
  readonly clock: Clock;
  readonly conditions: Conditions;
  readonly log: Log;
  /** Time without a report after which a site is silent, milliseconds. */
  readonly silentMs: number;
}

/** Interval of the looks for silent sites; shorter for short reporting times. */
const LOOK_MS_MAX = 15_000;
const LOOKS_PER_TIME = 4;
/** Pause between two parts of an outage, so that alarms are stored in between. */
const PART_PAUSE_MS = 200;
/** Times of `silentMs` without an opportunity to find a silent site, after which a condition is raised. */
const HELD_TIMES_MAX = 2;

/** Looks for sites that have become silent. What it has found is in the tables, so a restart loses and repeats nothing. */
export class SilenceWatch {
  readonly #options: SilenceWatchOptions;
  /**
   * Interval of the looks, milliseconds. A report that has arrived takes less until it is stored or known as missed, on a busy machine
   * too: a look judges the time before the former one.
   */
  readonly #lookMs: number;
  #cancelLook: CancelTimer = () => {};
  #cancelTick: CancelTimer = () => {};
  #isStopped = false;
  #looking: Promise<void> | undefined;
  /** When silent sites could be found the last time, by both clocks. */
  #judgedAt: { readonly monotonicMs: number; readonly wallMs: number };

  constructor(options: SilenceWatchOptions) {
    const { silentMs } = options;
    this.#options = options;
    this.#lookMs = Math.min(LOOK_MS_MAX, silentMs / LOOKS_PER_TIME);
    this.#judgedAt = this.#now();
  }

  start(): void {
    this.#judgedAt = this.#now();
    this.#arm(this.#lookMs);
    this.#tick();
  }

  /** Resolves when no look is in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelLook();
    this.#cancelTick();
    await this.#looking;
  }

  #arm(delayMs: number): void {
    if (this.#isStopped) return;
    this.#cancelLook = this.#after(delayMs, () => {
      this.#looking = this.#look();
    });
  }

  /** Detects a standstill between the looks too. */
  #tick(): void {
    if (!this.#isStopped) this.#cancelTick = this.#after(this.#lookMs / 2, () => this.#tick());
  }

  /** A timer that is late: the process stood still. Its reports are still to be read, or their sites have given up. */
  #after(delayMs: number, action: () => void): CancelTimer {
    const { clock, fleet, log } = this.#options;
    const dueMs = clock.monotonicMs() + delayMs;
    return clock.after(delayMs, () => {
      const lateMs = clock.monotonicMs() - dueMs;
      if (lateMs > this.#lookMs / 2) {
        log.warn("reports-delayed", { lateMs: Math.round(lateMs) });
        fleet.reportsMissed();
      }
      action();
    });
  }

  #now(): { monotonicMs: number; wallMs: number } {
    const { clock } = this.#options;
    return { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() };
  }

  async #look(): Promise<void> {
    let delayMs = this.#lookMs;
    try {
      const found = await this.#find();
      if (found) this.#report(found);
      if (found?.hasMore === true) delayMs = PART_PAUSE_MS;
    } catch (error) {
      // The next look finds the same sites. What could not be read or stored, reports could not either.
      this.#options.fleet.reportsMissed();
      this.#options.log.error("silent-sites-check-failed", { error });
    }
    this.#arm(delayMs);
  }

  async #find(): Promise<SilenceResult | undefined> {
    const { fleet, silentMs, conditions } = this.#options;
    const { completeMs, sinceMs } = await fleet.reception({ silentMs, signMs: this.#lookMs });
    const query = silenceQuery(completeMs - this.#lookMs, sinceMs, silentMs);
    const now = this.#now();
    if (query) {
      this.#judgedAt = now;
      conditions.clear("silent-sites-unknown");
      return fleet.findSilent(query);
    }
    if (now.monotonicMs - this.#judgedAt.monotonicMs > HELD_TIMES_MAX * silentMs)
      conditions.raise("silent-sites-unknown", { since: isoTime(this.#judgedAt.wallMs) });
    return undefined;
  }

  #report({ silent, outage }: SilenceResult): void {
    const { log, conditions } = this.#options;
    for (const { ref, interventionId } of silent) log.warn("site-silent", { site: ref, interventionId });
    if (outage === 0) conditions.clear("sites-silent");
    else conditions.raise("sites-silent", { sites: outage });
  }
}
