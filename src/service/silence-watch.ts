import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { AppError } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { silenceQuery } from "../domain/site-silence.ts";
import type { Fleet, SilenceResult } from "./fleet.ts";

interface SilenceWatchOptions {
  readonly fleet: Pick<Fleet, "findSilent" | "clockStepped">;
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
/** Difference of the two clocks that counts as a clock step. */
const CLOCK_STEP_MS = 10_000;

/** Looks for sites that have become silent. What it has found is in the tables, so a restart loses and repeats nothing. */
export class SilenceWatch {
  readonly #options: SilenceWatchOptions;
  #cancel: CancelTimer = () => {};
  #isStopped = false;
  #looking: Promise<void> | undefined;
  /** Since when reports are received without interruption, monotonic. */
  #watchingSinceMs: number;
  #wallMinusMonotonicMs: number;

  constructor(options: SilenceWatchOptions) {
    this.#options = options;
    this.#watchingSinceMs = options.clock.monotonicMs();
    this.#wallMinusMonotonicMs = options.clock.wallMs() - options.clock.monotonicMs();
  }

  start(): void {
    const { clock, silentMs } = this.#options;
    this.#watchingSinceMs = clock.monotonicMs();
    this.#arm(Math.min(LOOK_MS_MAX, silentMs / LOOKS_PER_TIME));
  }

  /** Resolves when no look is in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#looking;
  }

  #arm(delayMs: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.after(delayMs, () => {
      this.#looking = this.#look();
    });
  }

  async #look(): Promise<void> {
    const { clock, log, silentMs } = this.#options;
    let delayMs = Math.min(LOOK_MS_MAX, silentMs / LOOKS_PER_TIME);
    try {
      const found = await this.#find();
      if (found) this.#report(found);
      if (found?.hasMore === true) delayMs = PART_PAUSE_MS;
    } catch (error) {
      // The next look finds the same sites. Without the database no report was stored either: all would look silent.
      if (error instanceof AppError && error.code === "unavailable")
        this.#watchingSinceMs = clock.monotonicMs();
      log.error("silent-sites-look-failed", { error });
    }
    this.#arm(delayMs);
  }

  async #find(): Promise<SilenceResult | undefined> {
    const { clock, fleet, silentMs } = this.#options;
    const [wallMs, monotonicMs] = [Math.round(clock.wallMs()), clock.monotonicMs()];
    if (Math.abs(wallMs - monotonicMs - this.#wallMinusMonotonicMs) > CLOCK_STEP_MS) {
      await fleet.clockStepped(wallMs);
      this.#wallMinusMonotonicMs = wallMs - monotonicMs;
      this.#watchingSinceMs = monotonicMs;
    }
    const query = silenceQuery(wallMs, wallMs - (monotonicMs - this.#watchingSinceMs), silentMs);
    if (query) return fleet.findSilent(query);
    // Whether reports can be stored must be known at every look of the waiting time too.
    await fleet.clockStepped(wallMs);
    return undefined;
  }

  #report({ silent, outage }: SilenceResult): void {
    const { log, conditions } = this.#options;
    for (const { ref, interventionId } of silent) log.warn("site-silent", { site: ref, interventionId });
    if (outage === 0) conditions.clear("sites-silent");
    else conditions.raise("sites-silent", { sites: outage });
  }
}
