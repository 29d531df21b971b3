import type { DueEntry, OutboxQueue } from "../store/due-entries.ts";

interface PushQueueSteps {
  /** How many records may be in progress now; 0 ends the run of the queue. */
  readonly slots: () => number;
  /** Resolves when the queue may take another record. */
  readonly giveWay: () => Promise<void>;
  /**
   * Starts work on the next due record.
   * @returns a promise for its end; undefined if nothing is due
   */
  readonly takeNext: () => Promise<void> | undefined;
  /**
   * Called when nothing is due, with a function that works off records that have become due; long work calls it in
   * between.
   */
  readonly afterDrain: (giveWay: () => Promise<void>) => Promise<void>;
  /** Called when a database error ended the work. */
  readonly failed: () => void;
}

/** One of the two queues of the push: works on several records at once until nothing is due. */
export class PushQueue {
  readonly #steps: PushQueueSteps;
  #running: Promise<void> | undefined;
  /** Set when another run was requested since the last one began. */
  #isWanted = false;
  #inFlight = 0;
  #failure: { readonly error: unknown } | undefined;
  /** Whether anything has changed since the last check for due records. */
  #hasChanged = false;
  /** Ends the wait for a change. */
  #wake: () => void = () => {};

  constructor(steps: PushQueueSteps) {
    this.#steps = steps;
  }

  /** The current run; undefined if idle. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /**
   * Works on everything that is due; a call during a run makes it check again.
   * @throws the error of the database
   */
  run(): Promise<void> {
    this.#isWanted = true;
    this.#notify();
    this.#running ??= this.#work().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #work(): Promise<void> {
    this.#failure = undefined;
    try {
      while (this.#isWanted && !this.#failure) {
        this.#isWanted = false;
        await this.#drain();
        if (!this.#failure) await this.#steps.afterDrain(() => this.#drain());
      }
    } catch (error) {
      this.#failure ??= { error };
    }
    if (this.#failure === undefined) return;
    this.#steps.failed();
    throw this.#failure.error;
  }

  /** Resolves only when no request is in flight, also after a failure: what is in flight must not be sent again. */
  async #drain(): Promise<void> {
    for (;;) {
      this.#hasChanged = false;
      if ((await this.#begin()) || this.#hasChanged) continue;
      if (this.#inFlight === 0) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #notify(): void {
    this.#hasChanged = true;
    this.#wake();
  }

  /** @returns whether a record was started */
  async #begin(): Promise<boolean> {
    const { slots, giveWay, takeNext } = this.#steps;
    if (this.#failure || this.#inFlight >= slots()) return false;
    try {
      await giveWay();
      const work = this.#inFlight < slots() ? takeNext() : undefined;
      if (!work) return false;
      this.#inFlight += 1;
      void this.#follow(work);
      return true;
    } catch (error) {
      this.#failure ??= { error };
      return false;
    }
  }

  async #follow(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#failure ??= { error };
    }
    this.#inFlight -= 1;
    this.#notify();
  }
}

/** The records in progress in both queues; each is worked on once at a time. */
export class ActiveRecords {
  readonly #records = new Map<number, { readonly queue: OutboxQueue; readonly similarityKey: string }>();

  /**
   * Whether work on an entry may start. Similar records are sent one after the other: if the centre does not keep
   * our marker, a search could confuse them. An alarm waits for no bulk record.
   */
  isFree(queue: OutboxQueue, { entry, similarityKey }: DueEntry): boolean {
    if (this.#records.has(entry.interventionId)) return false;
    return ![...this.#records.values()].some(
      (other) => other.similarityKey === similarityKey && (queue === "bulk" || other.queue === "urgent"),
    );
  }

  /** Works on a record while nothing else does. */
  async hold(
    queue: OutboxQueue,
    { entry, similarityKey }: DueEntry,
    work: () => Promise<void>,
  ): Promise<void> {
    this.#records.set(entry.interventionId, { queue, similarityKey });
    try {
      await work();
    } finally {
      this.#records.delete(entry.interventionId);
    }
  }
}
