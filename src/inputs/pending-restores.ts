import type { Trip } from "../domain/trip.ts";
import type { Journal } from "../store/journal.ts";
import type { WaitingTrips } from "./waiting-trips.ts";

/** A restore to be noted now. */
export interface PendingRestore {
  readonly trip: Trip;
  /** Subject of its opening, whose record it changes. */
  readonly subject: string;
}

/** The restores of one run, one at a time in their order, each after the trip of its opening. */
export class PendingRestores {
  readonly #restores: Journal["restores"];
  readonly #waiting: WaitingTrips;
  readonly #isBusy: (subject: string) => boolean;
  #seq = 0;
  #isNoting = false;

  constructor(
    { restores }: Pick<Journal, "restores">,
    waiting: WaitingTrips,
    isBusy: (subject: string) => boolean,
  ) {
    this.#restores = restores;
    this.#waiting = waiting;
    this.#isBusy = isBusy;
  }

  /** @returns undefined while none can be noted */
  take(): PendingRestore | undefined {
    if (this.#isNoting) return undefined;
    const trip = this.#restores.nextPending(this.#seq);
    if (!trip) return undefined;
    const opening = this.#restores.openingBefore(trip.zoneId, trip.seq);
    const subject = opening?.subject ?? trip.subject;
    const isAhead = opening?.state === "waiting" && !this.#waiting.hasTaken(opening);
    if (isAhead || this.#isBusy(subject)) return undefined;
    this.#isNoting = true;
    this.#seq = trip.seq;
    return { trip, subject };
  }

  /** The restore that was taken is noted, or failed. @param isBusy whether the API was; then no other is taken */
  noted(isBusy: boolean): void {
    this.#isNoting = isBusy;
  }
}
