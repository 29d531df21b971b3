import { settledWithin, type CancelTimer, type Clock, type TrustedTime } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Trip } from "../domain/trip.ts";
import { isStorageError } from "../store/database.ts";
import type { Journal } from "../store/journal.ts";
import { DispatchFailures } from "./dispatch-failures.ts";
import { IncidentCorrelator, type IncidentCorrelatorOptions } from "./incident-correlator.ts";
import { KeyedQueue } from "./keyed-queue.ts";
import { LocalApi, type DeviceToken } from "./local-api.ts";
import { RecordCorrections } from "./record-corrections.ts";
import { RejectedTrips } from "./rejected-trips.ts";
import { PendingRestores, type PendingRestore, WaitingTrips } from "./waiting-trips.ts";

interface TripDispatcherOptions {
  readonly journal: Journal;
  /** Base URL of the local API. */
  readonly baseUrl: string;
  readonly token: DeviceToken;
  readonly host: { readonly bootId: string; readonly time: TrustedTime };
  readonly site: IncidentCorrelatorOptions["site"];
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly conditions: Conditions;
  readonly failpoint?: (name: string) => void;
  /** Called when a trip is in a record, with the time since the trip in milliseconds; undefined for an earlier boot. */
  readonly onRecord: (waitMs: number | undefined) => void;
}

/**
 * Maximum number of concurrent trips, each at another objective. Measured in a burst with 8, 32 and 64: 442, 795 and
 * 806 messages a second, three rounds each on one fast disk.
 */
const CONCURRENCY_MAX = 32;
/** A run takes new trips for this long; then the next one repeats what has failed and corrects dates. */
const RUN_MS = 5_000;
/** The journal is checked at this interval even without a hint. */
const CHECK_INTERVAL_MS = 60_000;
/** Longer than the interval between two checks plus the slowest response to a trip. */
const STALLED_AFTER_MS = 180_000;
/** Far longer than a request takes, unless a thread hangs. */
const STOP_MS_MAX = 2_000;

/** Creates interventions for the journal's trips through the local API, oldest first at each objective. */
export class TripDispatcher {
  readonly #options: TripDispatcherOptions;
  readonly #api: LocalApi;
  readonly #correlator: IncidentCorrelator;
  readonly #corrections: RecordCorrections;
  readonly #rejected: RejectedTrips;
  readonly #failures: DispatchFailures;
  #running: Promise<void> | undefined;
  #isRequested = false;
  #cancelTimer: CancelTimer | undefined;
  /** Failure of the current run, as shown in the condition. */
  #failure: string | undefined;
  #restoreFailure: string | undefined;
  #isStopped = false;
  /** Whether the API has accepted a trip since it was last busy. */
  #isAccepting = false;
  #onHint: () => void = () => {};
  #progressAtMs: number;

  constructor(options: TripDispatcherOptions) {
    this.#options = options;
    this.#api = new LocalApi(options.baseUrl, options.token, CONCURRENCY_MAX);
    const parts = { ...options, ...options.host, api: this.#api };
    this.#correlator = new IncidentCorrelator(parts);
    this.#corrections = new RecordCorrections(parts);
    this.#rejected = new RejectedTrips(options);
    this.#failures = new DispatchFailures(options.conditions);
    this.#progressAtMs = options.clock.monotonicMs();
  }

  /** Whether it has neither checked the journal nor finished a trip for longer than any step can take. */
  get isStalled(): boolean {
    return this.#options.clock.monotonicMs() - this.#progressAtMs > STALLED_AFTER_MS;
  }

  /** Starts with the trips that were rejected. */
  start(): void {
    this.#rejected.requestRetry();
    this.requestRun();
  }

  /** Hints that there may be trips to dispatch; the journal is also checked at intervals. */
  requestRun(): void {
    if (this.#isStopped) return;
    this.#isRequested = true;
    this.#onHint();
    this.#running ??= this.#run();
  }

  /** Finishes the trips in progress; the next start repeats a request that hangs, under its key. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer?.();
    await settledWithin(this.#options.clock, STOP_MS_MAX, Promise.resolve(this.#running));
    this.#api.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    this.#progressAtMs = this.#options.clock.monotonicMs();
    this.#cancelTimer?.();
    let isDone = true;
    while (this.#isRequested && !this.#isStopped) {
      this.#isRequested = false;
      this.#rejected.retry();
      isDone = await this.#dispatchWaiting();
    }
    // No await from here on, so that a hint either was seen above or starts the next run.
    this.#running = undefined;
    if (this.#isStopped) return;
    const { clock, random } = this.#options;
    if (isDone) this.#failures.clear();
    const delayMs = isDone ? CHECK_INTERVAL_MS : this.#failures.waitMs(random());
    this.#cancelTimer = clock.after(delayMs, () => this.requestRun());
  }

  /** @returns whether no trip is left waiting */
  async #dispatchWaiting(): Promise<boolean> {
    const queue = new KeyedQueue(CONCURRENCY_MAX);
    const outcomes = new Set<Outcome>();
    this.#failure = undefined;
    this.#restoreFailure = undefined;
    try {
      await this.#startWaiting(queue, outcomes);
      await queue.end();
      // A temporary failure of the API counts once, not once for each trip.
      if (this.#failure !== undefined) this.#failures.add(this.#failure);
      if (outcomes.has("busy")) return false;
      if (this.#restoreFailure !== undefined) this.#failures.add(this.#restoreFailure);
      // The API rejected this trip only; the trips behind it were not delayed.
      const undated = this.#isStopped
        ? undefined
        : await this.#corrections.dateUndated(() => this.#onDated());
      if (undated !== undefined) this.#failures.add(undated);
      return undated === undefined && this.#restoreFailure === undefined && !outcomes.has("failed");
    } catch (error) {
      await queue.end().catch(() => {});
      // The journal cannot be used now; the idempotency key makes a repeated POST harmless.
      this.#options.log.error("trip-dispatch-failed", { error });
      this.#options.journal.noteError(error);
      this.#failures.add(`the journal or the device account cannot be used (${messageOf(error)})`);
      return false;
    }
  }

  /**
   * Starts trips, and restores while no trip can be started, until none is left. A trip that comes meanwhile waits
   * neither for those of other objectives nor for a restore.
   */
  async #startWaiting(queue: KeyedQueue, outcomes: Set<Outcome>): Promise<void> {
    const { journal, clock } = this.#options;
    const waiting = new WaitingTrips(journal, (subject) => queue.isBusy(subject));
    const restores = new PendingRestores(journal, waiting, (subject) => queue.isBusy(subject));
    const untilMs = clock.monotonicMs() + RUN_MS;
    while (!this.#isStopped && !outcomes.has("busy") && clock.monotonicMs() <= untilMs) {
      // One trip at first; once the API has accepted it, others run concurrently, in order at each objective.
      const hasRoom = this.#isAccepting ? !queue.isFull : queue.size === 0;
      // A hint that comes without room is kept, for the next run if need be.
      if (hasRoom && this.#isRequested) waiting.refresh();
      this.#isRequested &&= !hasRoom;
      const urgent = hasRoom || queue.isFull ? undefined : waiting.takeUrgent();
      const trip = hasRoom ? waiting.take() : urgent;
      const restore = hasRoom && !trip ? restores.take() : undefined;
      if (trip) this.#start(trip, queue, outcomes);
      else if (restore) queue.start(restore.subject, () => this.#noteRestore(restore, restores));
      else if (queue.size === 0) return;
      else await queue.next(this.#hint());
    }
    // Whether there is more, the next run sees.
    if (!outcomes.has("busy")) this.#isRequested = true;
    await this.#endWaiting(queue, waiting, outcomes);
  }

  /** Waits for what is in flight, which may hang; meanwhile trips of life safety are started, and no others. */
  async #endWaiting(queue: KeyedQueue, waiting: WaitingTrips, outcomes: Set<Outcome>): Promise<void> {
    const isInFlight = queue.watch();
    while (isInFlight() && !this.#isStopped) {
      const trip = queue.isFull ? undefined : waiting.takeUrgent();
      if (trip) this.#start(trip, queue, outcomes);
      else await queue.next(this.#hint());
    }
  }

  #start(trip: Trip, queue: KeyedQueue, outcomes: Set<Outcome>): void {
    queue.start(trip.subject, async () => void outcomes.add(await this.#dispatch(trip)));
  }

  /** Ends with the next hint. */
  #hint(): Promise<void> {
    return new Promise((resolve) => (this.#onHint = resolve));
  }

  async #dispatch(trip: Trip): Promise<Outcome> {
    const { clock, log, host, onRecord } = this.#options;
    const resolved = await this.#correlator.resolve(trip).catch((error: unknown) => {
      // A defect that one trip meets, as in a damaged row, does not hold up the others.
      if (isStorageError(error)) throw error;
      log.error("trip-dispatch-failed", { error });
      return { type: "again", reason: messageOf(error), isBusy: false } as const;
    });
    this.#progressAtMs = clock.monotonicMs();
    this.#isAccepting = resolved.type === "again" ? this.#isAccepting && !resolved.isBusy : true;
    if (resolved.type === "again") return this.#failed(trip, resolved.reason, resolved.isBusy);
    if (resolved.type === "refused") {
      this.#rejected.add(trip, resolved.reason);
      return "finished";
    }
    this.#failures.clear();
    this.#rejected.accepted(trip.zoneId);
    const { bootId, monotonicMs } = trip.moment;
    onRecord(bootId === host.bootId ? Math.max(0, clock.monotonicMs() - monotonicMs) : undefined);
    return "finished";
  }

  /** @returns whether trips go before the dates that are left */
  #onDated(): boolean {
    this.#progressAtMs = this.#options.clock.monotonicMs();
    return this.#isStopped || this.#isRequested;
  }

  /** Notes a restore in the record of its opening. A failure of one record does not delay the others. */
  async #noteRestore({ trip }: PendingRestore, restores: PendingRestores): Promise<void> {
    const noted = await this.#corrections.noteRestore(trip);
    this.#progressAtMs = this.#options.clock.monotonicMs();
    restores.noted(noted.type === "again" && noted.isBusy);
    if (noted.type === "again")
      this.#restoreFailure = `the restore of zone ${trip.zoneId} cannot be noted (${noted.reason})`;
  }

  #failed(trip: Trip, reason: string, isBusy: boolean): Outcome {
    const { journal, log } = this.#options;
    const failures = this.#failures.count + 1;
    log.warn("trip-post-failed", { zone: trip.zoneId, key: trip.key, reason, failures });
    journal.trips.markFailed(trip.key, reason);
    this.#failure = `the local API does not accept the trip of zone ${trip.zoneId} (${reason})`;
    // Other errors, such as 500, concern this trip; a busy API would respond the same to the next one.
    return isBusy ? "busy" : "failed";
  }
}

/** `finished`: finished. `failed`: this trip failed and is retried later. `busy`: the API is busy. */
type Outcome = "finished" | "failed" | "busy";
