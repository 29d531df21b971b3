import type { Log } from "../domain/log.ts";
import type { Journal } from "../store/journal.ts";

/** Trips that the API has rejected: their objective may have been imported since, or the daemon updated. */
export class RejectedTrips {
  readonly #options: { readonly journal: Journal; readonly log: Log };
  #isRetryRequested = false;

  constructor(options: { readonly journal: Journal; readonly log: Log }) {
    this.#options = options;
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
