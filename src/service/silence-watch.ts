import { isoTime, type CancelTimer, type Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import type { Log } from "../domain/log.ts";
import { receivedSince } from "../domain/reception.ts";
import { differentTimes, silenceQuery, type SilenceTimes } from "../domain/site-silence.ts";
import type { Fleet, SilenceResult } from "./fleet.ts";

interface SilenceWatchOptions {
  readonly fleet: Pick<Fleet, "findSilent" | "reception" | "reportsMissed">;
  readonly clock: Clock;
  readonly conditions: Conditions;
  readonly log: Log;
  readonly times: SilenceTimes;
}

/** Interval of the looks for silent sites; shorter for short reporting times. */
const LOOK_MS_MAX = 15_000;
const LOOKS_PER_TIME = 4;
/** Pause between two parts of an outage, so that alarms are stored in between. */
const PART_PAUSE_MS = 200;
/** Multiple of the time of a site without an opportunity to find it silent, after which a condition is raised. */
const HELD_TIMES_MAX = 2;

/** A moment by both clocks. */
interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** Looks for sites that have become silent. What it has found is in the tables, so a restart loses and repeats nothing. */
export class SilenceWatch {
  readonly #options: SilenceWatchOptions;
  #times: SilenceTimes;
  /**
   * Interval of the looks, milliseconds. A report that has arrived takes less until it is stored or known as missed, on a busy machine
   * too: a look judges the time before the former one.
   */
  #lookMs: number;
  #cancelLook: CancelTimer = () => {};
  #cancelTick: CancelTimer = () => {};
  #isStopped = false;
  #looking: Promise<void> | undefined;
  /** When silent sites with each of the times, in seconds, could be found the last time. */
  #judgedAt: ReadonlyMap<number, Moment>;

  constructor(options: SilenceWatchOptions) {
    this.#options = options;
    this.#times = options.times;
    this.#lookMs = lookMsOf(options.times);
    this.#judgedAt = new Map();
  }

  start(): void {
    this.#judgedAt = this.#judgedSince(new Map());
    this.#arm(this.#lookMs);
    this.#tick();
  }

  /** Uses the times of a changed configuration from the next look on. */
  use(times: SilenceTimes): void {
    this.#times = times;
    this.#lookMs = lookMsOf(times);
    this.#judgedAt = this.#judgedSince(this.#judgedAt);
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
    const { clock } = this.#options;
    const dueMs = clock.monotonicMs() + delayMs;
    return clock.after(delayMs, () => {
      this.#noteLate(clock.monotonicMs() - dueMs);
      action();
    });
  }

  /** A stop of seconds that a bank has to be given again means nothing to a site with a long time. */
  #noteLate(lateMs: number): void {
    const { fleet, log } = this.#options;
    const times = differentTimes(this.#times);
    const affected = times.filter((silentS) => lateMs > lookMsFor(silentS) / 2);
    if (affected.length === 0) return;
    log.warn("reports-delayed", { lateMs: Math.round(lateMs) });
    fleet.reportsMissed(affected.length === times.length ? undefined : Math.max(...affected));
  }

  /** @param earlier a time that is not in it begins now */
  #judgedSince(earlier: ReadonlyMap<number, Moment>): ReadonlyMap<number, Moment> {
    return new Map(
      differentTimes(this.#times).map((silentS) => [silentS, earlier.get(silentS) ?? this.#now()]),
    );
  }

  #now(): Moment {
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
    const { fleet } = this.#options;
    // A changed configuration may replace both meanwhile.
    const [times, lookMs] = [this.#times, this.#lookMs];
    const longestMs = Math.max(...differentTimes(times)) * 1000;
    const reception = await fleet.reception({ silentMs: longestMs, signMs: lookMs });
    const knownMs = reception.completeMs - lookMs;
    const sinceMsOf = (silentS: number): number => receivedSince(reception, silentS);
    this.#noteJudged((silentS) => knownMs - sinceMsOf(silentS));
    const query = silenceQuery(knownMs, sinceMsOf, times);
    return query && fleet.findSilent(query);
  }

  /** @param watchedMsOf for how long reports were received without interruption, for a time in seconds */
  #noteJudged(watchedMsOf: (silentS: number) => number): void {
    const { conditions } = this.#options;
    const now = this.#now();
    const judged = [...this.#judgedAt].map(
      ([silentS, at]) => [silentS, watchedMsOf(silentS) >= silentS * 1000 ? now : at] as const,
    );
    this.#judgedAt = new Map(judged);
    const held = judged.filter(
      ([silentS, at]) => now.monotonicMs - at.monotonicMs > HELD_TIMES_MAX * silentS * 1000,
    );
    if (held.length === 0) conditions.clear("silent-sites-unknown");
    else {
      const since = Math.min(...held.map(([, { wallMs }]) => wallMs));
      conditions.raise("silent-sites-unknown", { since: isoTime(since) });
    }
  }

  #report({ silent, outage }: SilenceResult): void {
    const { log, conditions } = this.#options;
    for (const { ref, interventionId } of silent) log.warn("site-silent", { site: ref, interventionId });
    if (outage === 0) conditions.clear("sites-silent");
    else conditions.raise("sites-silent", { sites: outage });
  }
}

/** A silent site is found up to two looks late, so the shortest time decides. */
function lookMsOf(times: SilenceTimes): number {
  return lookMsFor(Math.min(...differentTimes(times)));
}

/** The interval that one time would need, milliseconds. */
function lookMsFor(silentS: number): number {
  return Math.min(LOOK_MS_MAX, (silentS * 1000) / LOOKS_PER_TIME);
}
