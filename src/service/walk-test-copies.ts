import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import { isStorageError, openReadOnly, type Database } from "../store/database.ts";
import { WalkTestArchive } from "../store/walk-test-archive.ts";
import { WalkTestStore } from "../store/walk-tests.ts";

interface WalkTestCopiesOptions {
  readonly database: Database;
  /** Path of the journal. */
  readonly journal: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly failpoint: (name: string) => void;
}

/** Time until the next attempt, as after a full disk. */
const RETRY_MS = 60_000;

/**
 * Copies the results of walk tests from the journal, which no backup has, into the main database. The journal stores a result with
 * the end of its test. A power cut before the copy loses nothing: each start copies what is missing.
 */
export class WalkTestCopies {
  readonly #options: WalkTestCopiesOptions;
  readonly #archive: WalkTestArchive;
  #cancelRetry: CancelTimer = () => {};
  #hasFailed = false;

  constructor(options: WalkTestCopiesOptions) {
    this.#options = options;
    this.#archive = new WalkTestArchive(options.database);
  }

  start(): void {
    this.copy();
  }

  stop(): void {
    this.#cancelRetry();
  }

  /** Copies what is missing; called when a test has ended. */
  copy(): void {
    const { log, clock } = this.#options;
    this.#cancelRetry();
    try {
      const copied = this.#copy();
      if (copied > 0) log.info("walk-test-results-copied", { copied });
      this.#hasFailed = false;
    } catch (error) {
      if (!isStorageError(error)) throw error;
      // Once, not each minute.
      if (!this.#hasFailed) log.error("walk-test-results-copy-failed", { error });
      this.#hasFailed = true;
      this.#cancelRetry = clock.after(RETRY_MS, () => this.copy());
    }
  }

  /** The highest number that a walk test of this site is known to have; 0 for none. */
  lastNumber(): number {
    return this.#archive.lastNumber();
  }

  #copy(): number {
    const journal = openReadOnly(this.#options.journal);
    try {
      return this.#archive.copyFrom(new WalkTestStore(journal), () =>
        this.#options.failpoint("walk-test-copying"),
      );
    } finally {
      journal.close();
    }
  }
}
