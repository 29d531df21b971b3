import type { Conditions } from "../domain/condition.ts";
import type { Log } from "../domain/log.ts";
import type { Trip } from "../domain/trip.ts";
import type { Journal } from "../store/journal.ts";

interface RejectedTripsOptions {
  readonly journal: Journal;
  readonly log: Log;
  readonly conditions: Conditions;
}

/** Trips that the API has rejected: their objective may have been imported since, or the daemon updated. */
export class RejectedTrips {
  readonly #options: RejectedTripsOptions;
  #isRetryRequested = false;

  constructor(options: RejectedTripsOptions) {
    this.#options = options;
  }

  add({ key, zoneId }: Trip, reason: string): void {
    const { journal, log, conditions } = this.#options;
    journal.trips.markRefused(key, reason);
    log.error("trip-refused", { zone: zoneId, key, reason });
    conditions.raise("trip-refused", { zone: zoneId, reason }, zoneId);
  }

  /** The API has accepted a trip of the zone. */
  accepted(zoneId: string): void {
    const { journal, conditions } = this.#options;
    if (!journal.trips.hasRefused(zoneId)) conditions.clear("trip-refused", zoneId);
  }

  /** The next `retry` queues them again. */
  requestRetry(): void {
    this.#isRetryRequested = true;
  }

  /** Queues them again if that was requested. A disk that does not accept it now is tried again by the next call. */
  retry(): void {
    if (!this.#isRetryRequested) return;
    const { journal, log } = this.#options;
    try {
      const trips = journal.trips.retryRefused();
      this.#isRetryRequested = false;
      if (trips > 0) log.info("rejected-trips-retried", { trips });
    } catch (error) {
      log.warn("rejected-trips-retry-failed", { error });
      journal.noteError(error);
    }
  }
}
