import type { DueEntry, OutboxQueue } from "../store/due-entries.ts";

export interface PushQueueSteps {
  /** How many records may be worked on at once now; 0 ends the queue's work. */
  readonly slots: () => number;
  /** Returns when the queue may take another record. */
  readonly giveWay: () => Promise<void>;
  /** Begins with the next record that is due. @returns its end; undefined when nothing is due */
  readonly takeNext: () => Promise<void> | undefined;
  /**
   * Called when nothing is due any longer, with what works through whatever has come due since: to be called in between
   * where this takes long.
   */
  readonly rest: (giveWay: () => Promise<void>) => Promise<void>;
  /** Called when the database ended the work. */
  readonly failed: () => void;
}

/** One of the two queues to the centre: works on several records at once until nothing is due. */
export class PushQueue {
  readonly #steps: PushQueueSteps;
  #running: Promise<void> | undefined;
  /** Set when another look was asked for since the last one began. */
  #isWanted = false;
  #inFlight = 0;
  #failure: { readonly error: unknown } | undefined;
  /** Whether something has happened since the last look at what is due. */
  #hasChanged = false;
  /** Ends the wait for something to happen. */
  #wake: () => void = () => {};

  constructor(steps: PushQueueSteps) {
    this.#steps = steps;
  }

  /** The work under way; undefined while there is none. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Works through everything that is due. Called meanwhile, it looks once more. @throws what the database threw */
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
        if (!this.#failure) await this.#steps.rest(() => this.#drain());
      }
    } catch (error) {
      this.#failure ??= { error };
    }
    if (this.#failure === undefined) return;
    this.#steps.failed();
    throw this.#failure.error;
  }

  /** Returns only when nothing of it is on the wire, also after a failure: what is there is not to be sent again. */
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

  /** @returns whether another record was taken */
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

/** The records that are being worked on, whichever queue does it. Each is in one pair of hands at a time. */
export class ActiveRecords {
  readonly #records = new Map<number, { readonly queue: OutboxQueue; readonly likeness: string }>();

  /**
   * Whether work on an entry can begin. Of records that look alike one after the other is sent: a search for the first
   * could take the second's for it where the centre does not keep our reference. An alarm waits for no other record.
   */
  isFree(queue: OutboxQueue, { entry, likeness }: DueEntry): boolean {
    if (this.#records.has(entry.interventionId)) return false;
    return ![...this.#records.values()].some(
      (other) => other.likeness === likeness && (queue === "bulk" || other.queue === "urgent"),
    );
  }

  /** Does a piece of work on a record, which nothing else touches meanwhile. */
  async hold(queue: OutboxQueue, { entry, likeness }: DueEntry, work: () => Promise<void>): Promise<void> {
    this.#records.set(entry.interventionId, { queue, likeness });
    try {
      await work();
    } finally {
      this.#records.delete(entry.interventionId);
    }
  }
}
