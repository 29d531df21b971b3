import { isLifeSafetySubject } from "../domain/incident.ts";
import type { Trip } from "../domain/trip.ts";
import type { Journal } from "../store/journal.ts";

/** Trips that others may pass; further ones wait until one of these is dispatched. */
const PASSED_MAX = 64;

/** After this number of attempts without an answer, a trip goes behind the others: its request may be what is never answered. */
const UNANSWERED_MAX = 3;

interface WaitingTripsOptions {
  readonly trips: Pick<Journal["trips"], "nextWaiting" | "lastSeq">;
  readonly unrecorded: Pick<Journal["unrecorded"], "urgent">;
}

/**
 * The waiting trips of one run: oldest first of each subject, and a trip of a free subject passes those of busy ones. A trip
 * that got no answer is passed by those of life safety, and after some attempts by all, also while it is in flight again; but
 * never by those of its own subject, which belong to the record that its lost request may have opened.
 */
export class WaitingTrips {
  readonly #options: WaitingTripsOptions;
  readonly #isBusy: (subject: string) => boolean;
  /** Numbers of trips that were taken: one that has failed waits for the next run. */
  readonly #taken = new Set<number>();
  /** Subjects whose trip without an answer is in flight again. */
  readonly #retried = new Set<string>();
  #passed: Pick<Trip, "seq" | "subject">[] = [];
  /** The oldest trip of each subject whose last request got no answer. */
  #unanswered: Pick<Trip, "seq" | "subject" | "attempts">[] = [];
  #seq = 0;
  /** No trip of life safety up to this one waits: they have no entry delay, so that each further one is newer. */
  #urgentSeq = 0;

  constructor(options: WaitingTripsOptions, isBusy: (subject: string) => boolean) {
    this.#options = options;
    this.#isBusy = isBusy;
  }

  /** Looks from the oldest one again: a trip whose entry delay has ended is older than others. */
  refresh(): void {
    this.#passed = [];
    this.#unanswered = [];
    this.#seq = 0;
  }

  /** Whether the trip was taken in this run. */
  hasTaken({ seq }: Pick<Trip, "seq">): boolean {
    return this.#taken.has(seq);
  }

  /** @returns the oldest trip of a subject that is not busy; undefined if there is none now */
  take(): Trip | undefined {
    this.#endRetries();
    return this.#took(this.#takePassed() ?? this.#takeNext() ?? this.#takeHidden() ?? this.#takeUnanswered());
  }

  /** @returns the oldest trip of life safety of a subject that is not busy; undefined if there is none now */
  takeUrgent(): Trip | undefined {
    return this.#took(this.#urgent());
  }

  #took(trip: Trip | undefined): Trip | undefined {
    if (trip) this.#taken.add(trip.seq);
    if (trip && isUnanswered(trip)) {
      this.#retried.add(trip.subject);
      // Others pass it from now on, and those that it held up are looked for again.
      this.refresh();
    }
    return trip;
  }

  /** After a retry the trips behind it are looked for, in order. */
  #endRetries(): void {
    for (const subject of this.#retried) {
      if (this.#isBusy(subject)) continue;
      this.#retried.delete(subject);
      this.refresh();
    }
  }

  #takePassed(): Trip | undefined {
    for (const passed of this.#passed) {
      if (!this.#isFree(passed)) continue;
      this.#passed = this.#passed.filter((other) => other !== passed);
      const trip = this.#again(passed);
      if (trip) return trip;
    }
    return undefined;
  }

  #takeNext(): Trip | undefined {
    while (this.#passed.length < PASSED_MAX) {
      // However many wait behind an unanswered one of their subject, they hide none of another subject.
      const behind = [...this.#retried, ...this.#unanswered.map(({ subject }) => subject)];
      const trip = this.#options.trips.nextWaiting(this.#seq, behind);
      if (!trip) break;
      const { seq, subject, attempts } = trip;
      this.#seq = seq;
      if (this.#taken.has(seq)) continue;
      if (isUnanswered(trip) && !this.#hasPassed(subject)) this.#unanswered.push({ seq, subject, attempts });
      else if (this.#isFree(trip)) return trip;
      else this.#passed.push({ seq, subject });
    }
    return undefined;
  }

  /** A trip of life safety behind more trips than may be passed. */
  #takeHidden(): Trip | undefined {
    return this.#passed.length < PASSED_MAX ? undefined : this.#urgent();
  }

  #urgent(): Trip | undefined {
    const { trips, unrecorded } = this.#options;
    const lastSeq = trips.lastSeq();
    const behind: string[] = [];
    let trip = unrecorded.urgent(this.#urgentSeq, behind);
    this.#urgentSeq = trip ? trip.seq - 1 : lastSeq;
    while (trip) {
      const { seq, subject } = trip;
      const isBusy = this.#isBusy(subject);
      if (!isBusy && !this.#taken.has(seq)) return trip;
      if (isBusy || !hasFailedAlone(trip)) behind.push(subject);
      trip = unrecorded.urgent(seq, behind);
    }
    return undefined;
  }

  /** Fewest attempts first, so that each has its turn. */
  #takeUnanswered(): Trip | undefined {
    const free = this.#unanswered.filter(({ subject }) => !this.#isBusy(subject));
    const [next] = free.toSorted((a, b) => a.attempts - b.attempts);
    if (!next) return undefined;
    const trip = this.#again(next);
    if (trip) return trip;
    this.refresh();
    return this.take();
  }

  /** Reads a trip again: it may have been decided otherwise in the meantime. */
  #again({ seq }: Pick<Trip, "seq">): Trip | undefined {
    const trip = this.#options.trips.nextWaiting(seq - 1);
    return trip?.seq === seq && !this.#taken.has(seq) ? trip : undefined;
  }

  /** Whether a trip waits for none of its subject, and may pass those without an answer. */
  #isFree({ subject }: Pick<Trip, "subject">): boolean {
    if (this.#isBusy(subject)) return false;
    if (this.#unanswered.some((unanswered) => unanswered.subject === subject)) return false;
    return (
      isLifeSafetySubject(subject) || this.#unanswered.every(({ attempts }) => attempts >= UNANSWERED_MAX)
    );
  }

  #hasPassed(subject: string): boolean {
    return this.#passed.some((passed) => passed.subject === subject);
  }
}

/** Whether the last request of a trip ended without an answer; the error of one with an answer begins with its status. */
function isUnanswered({ attempts, lastError }: Trip): boolean {
  return attempts > 0 && lastError !== null && !/^\d{3} /.test(lastError);
}

/** Whether the last request of a trip failed with an answer about this trip only, and not because the API is busy. */
function hasFailedAlone({ lastError }: Trip): boolean {
  return /^(?!429|503)\d{3} /.test(lastError ?? "");
}

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
