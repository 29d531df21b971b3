import type { CancelTimer, Clock, TrustedTime } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Trip } from "../domain/trip.ts";
import { backOffMs } from "../domain/backoff.ts";
import type { RestoreStore } from "../store/restores.ts";
import type { TripStore } from "../store/trips.ts";
import type { IncidentCorrelator } from "./incident-correlator.ts";
import type { RecordCorrections } from "./record-corrections.ts";
import { KeyedQueue } from "./keyed-queue.ts";

export interface TripDispatcherOptions {
  readonly trips: TripStore;
  readonly restores: RestoreStore;
  readonly correlator: IncidentCorrelator;
  readonly corrections: RecordCorrections;
  /** The machine's start, for what was seen while its clock was not to be trusted. */
  readonly bootId: string;
  readonly time: TrustedTime;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Is told how long a trip of this machine's run took to become a record or to join one, milliseconds. */
  readonly onRecord: (waitMs: number) => void;
}

const BACK_OFF_BASE_MS = 100;
const BACK_OFF_CAP_MS = 30_000;
/** So many failures in a row are told to people. */
const FAILURES_BEFORE_CONDITION = 3;
/**
 * So many trips at different objectives share the commits of a burst. Measured with 8, 32 and 64 at once: 442, 795 and 806
 * messages a second, three rounds side by side on one fast disk.
 */
export const CONCURRENCY_MAX = 32;
/** The journal is looked at so often even if nobody calls. */
const LOOK_EVERY_MS = 60_000;
/** Longer than the wait between two looks and the slowest answer to a trip together. */
const STALLED_AFTER_MS = 180_000;

/** Turns the journal's trips into interventions, oldest first at each objective, through the API like everybody else. */
export class TripDispatcher {
  readonly #options: TripDispatcherOptions;
  #running: Promise<void> | undefined;
  #isKicked = false;
  #cancelTimer: CancelTimer | undefined;
  /** How far the wall clock was ahead of the monotonic one when the dates were last looked at. */
  #wallMinusMonotonicMs = Number.NEGATIVE_INFINITY;
  /** Looks at the journal in a row that have met trouble. */
  #failures = 0;
  /** What this look has met, as people are told. */
  #trouble: string | undefined;
  #isStopped = false;
  #movedAtMs: number;

  constructor(options: TripDispatcherOptions) {
    this.#options = options;
    this.#movedAtMs = options.clock.monotonicMs();
  }

  /** Whether it has neither looked at the journal nor finished a trip for longer than anything it does can take. */
  get isStalled(): boolean {
    return this.#options.clock.monotonicMs() - this.#movedAtMs > STALLED_AFTER_MS;
  }

  /** Begins with what was refused before: the objective may have been imported since, or the daemon been updated. */
  start(): void {
    const { trips, log } = this.#options;
    const refused = trips.retryRefused();
    if (refused > 0) log.info("rejected-trips-retried", { trips: refused });
    this.kick();
  }

  /** Says that there may be something to do; a hint, for the journal is looked at from time to time anyway. */
  kick(): void {
    if (this.#isStopped) return;
    this.#isKicked = true;
    this.#running ??= this.#drain();
  }

  /** Finishes the trip that is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer?.();
    await this.#running;
  }

  async #drain(): Promise<void> {
    this.#movedAtMs = this.#options.clock.monotonicMs();
    this.#cancelTimer?.();
    let isClear = true;
    while (this.#isKicked && !this.#isStopped) {
      this.#isKicked = false;
      isClear = await this.#dispatchWaiting();
    }
    // No await from here on, so that a kick either was seen above or starts the next drain.
    this.#running = undefined;
    if (this.#isStopped) return;
    const { clock, random, conditions } = this.#options;
    if (isClear) {
      this.#failures = 0;
      conditions.clear("dispatch-failing");
    }
    const delayMs = isClear
      ? LOOK_EVERY_MS
      : backOffMs(this.#failures - 1, random(), BACK_OFF_BASE_MS, BACK_OFF_CAP_MS);
    this.#cancelTimer = clock.after(delayMs, () => this.kick());
  }

  /** @returns whether no trip is left waiting */
  async #dispatchWaiting(): Promise<boolean> {
    const { trips } = this.#options;
    const lanes = new KeyedQueue();
    const seen = new Set<Dispatched>();
    this.#trouble = undefined;
    try {
      const work = async (trip: Trip): Promise<void> => {
        seen.add(await this.#dispatch(trip));
        this.#movedAtMs = this.#options.clock.monotonicMs();
      };
      for (let trip = trips.nextWaiting(0); trip; trip = trips.nextWaiting(trip.seq)) {
        const next = trip;
        // One feels its way; with an API that takes it the others share its commits, in order at each objective.
        await lanes.free(next.subject, seen.has("settled") ? CONCURRENCY_MAX : 1);
        if (this.#isStopped || seen.has("unanswered")) break;
        lanes.start(next.subject, () => work(next));
      }
      await lanes.end();
      // However many were on their way: one bad moment of the API is one failure.
      if (this.#trouble !== undefined) this.#countFailure(this.#trouble);
      if (seen.has("unanswered")) return false;
      // An API that answers has trouble with this one trip; the alarms behind it did not wait for it.
      const isNoted = await this.#noteRestores();
      return (await this.#dateUndated()) && isNoted && !seen.has("failed");
    } catch (error) {
      await lanes.end().catch(() => {});
      // A journal that cannot be read or marked now: the same key makes the next POST harmless.
      this.#options.log.error("trip-dispatch-failed", { error });
      this.#countFailure(`the journal or the device account cannot be used (${messageOf(error)})`);
      return false;
    }
  }

  async #dispatch(trip: Trip): Promise<Dispatched> {
    const { correlator, conditions, clock, bootId, onRecord } = this.#options;
    const resolved = await correlator.resolve(trip);
    if (resolved.type === "again") return this.#failed(trip, resolved.reason, resolved.isBusy);
    if (resolved.type === "refused") return this.#refused(trip, resolved.reason);
    this.#failures = 0;
    conditions.clear("dispatch-failing");
    if (!this.#options.trips.hasRefused(trip.zoneId)) conditions.clear("trip-refused", trip.zoneId);
    const { moment } = trip;
    if (moment.bootId === bootId) onRecord(Math.max(0, clock.monotonicMs() - moment.monotonicMs));
    return "settled";
  }

  /** Notes closings in the records of their openings, after all trips: an alarm never waits for them. */
  async #noteRestores(): Promise<boolean> {
    const { restores, corrections } = this.#options;
    let trouble: string | undefined;
    for (
      let next = restores.nextPending(0);
      next && !this.#isStopped;
      next = restores.nextPending(next.seq)
    ) {
      const noted = await corrections.noteRestore(next);
      this.#movedAtMs = this.#options.clock.monotonicMs();
      // A trip that has come meanwhile goes first.
      if (this.#isKicked) return true;
      if (noted.type !== "again") continue;
      trouble = `the closing of zone ${next.zoneId} cannot be noted (${noted.reason})`;
      // Of one record that gives no good answer the others do not wait.
      if (noted.isBusy) break;
    }
    if (trouble !== undefined) this.#countFailure(trouble);
    return trouble === undefined;
  }

  /** Gives the interventions of this boot their start once the clock can be trusted. @returns whether none is left */
  async #dateUndated(): Promise<boolean> {
    const { trips, corrections, time, clock, bootId } = this.#options;
    if (!time.isTrusted()) return true;
    this.#clearDatesAfterClockStep();
    for (let trip = trips.nextUndated(bootId, 0); trip && !this.#isStopped;) {
      const wallMs = Math.round(clock.wallMs() - (clock.monotonicMs() - trip.moment.monotonicMs));
      const dated = await corrections.date(trip, wallMs);
      if (dated.type === "again") {
        this.#countFailure(
          `the start of intervention ${trip.interventionId} cannot be set (${dated.reason})`,
        );
        return false;
      }
      trips.markDated(trip.key, wallMs);
      trip = trips.nextUndated(bootId, trip.seq);
    }
    return true;
  }

  /** Takes back the dates that were read from a clock which has been set since. */
  #clearDatesAfterClockStep(): void {
    const { trips, clock, bootId } = this.#options;
    const wallMinusMonotonicMs = clock.wallMs() - clock.monotonicMs();
    if (Math.abs(wallMinusMonotonicMs - this.#wallMinusMonotonicMs) < MIN_CLOCK_STEP_MS) return;
    trips.clearDate({ id: bootId, wallMinusMonotonicMs, sinceMs: clock.monotonicMs() - REDATED_MS });
    this.#wallMinusMonotonicMs = wallMinusMonotonicMs;
  }

  #failed(trip: Trip, reason: string, isBusy: boolean): Dispatched {
    const { trips, log } = this.#options;
    log.warn("trip-post-failed", { zone: trip.zoneId, key: trip.key, reason, failures: this.#failures + 1 });
    trips.markFailed(trip.key, reason);
    this.#trouble = `the local API does not take the trip of zone ${trip.zoneId} (${reason})`;
    // 500 and odd answers speak of this trip; a busy API would say the same to the next.
    return isBusy ? "unanswered" : "failed";
  }

  #countFailure(what: string): void {
    this.#failures += 1;
    if (this.#failures >= FAILURES_BEFORE_CONDITION)
      this.#options.conditions.raise(
        "dispatch-failing",
        `${what}; it is kept in the journal and tried again by itself`,
      );
  }

  #refused(trip: Trip, reason: string): Dispatched {
    const { trips, log, conditions } = this.#options;
    trips.markRefused(trip.key, reason);
    log.error("trip-refused", { zone: trip.zoneId, key: trip.key, reason });
    conditions.raise("trip-refused", { zone: trip.zoneId, reason }, trip.zoneId);
    return "settled";
  }
}

/**
 * What was seen so long before the clock was set gets its right moment. Longer ago it has been at the centre for long,
 * and the clock may be ahead only because the machine was asleep.
 */
const REDATED_MS = 900_000;
/** A difference that calls for a look at the dates: half of what makes one wrong. */
const MIN_CLOCK_STEP_MS = 15_000;

/** `settled`: the next may go. `failed`: trouble with this one, asked again later. `unanswered`: trouble with all. */
type Dispatched = "settled" | "failed" | "unanswered";
