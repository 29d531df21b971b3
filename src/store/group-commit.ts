import type { Clock } from "../domain/clock.ts";
import { transaction, type Database } from "./database.ts";

interface Job {
  readonly run: () => void;
  readonly fail: (error: unknown) => void;
  readonly done: () => void;
}

/**
 * Shares one commit, and so one flush of the disk, among all the writes that arrive in one turn of the event loop: a
 * flush takes as long for one record as for sixty. Each is told the outcome only after the shared commit.
 */
export class GroupCommit {
  readonly #database: Database;
  readonly #clock: Clock;
  #jobs: Job[] = [];
  /** What waits for the shared commit that is under way; undefined while there is none. */
  #afterCommit: (() => void)[] | undefined;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Does a write in the next shared commit.
   * @param work writes in a `transaction`, which is a savepoint here: when it throws it undoes nobody else's
   * @returns what `work` returned, once it is on the disk; rejects with what `work` or the commit threw
   */
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let result: T;
      const run = (): void => {
        result = work();
      };
      this.#jobs.push({ run, fail: reject, done: () => resolve(result) });
      if (this.#jobs.length === 1) this.#clock.afterTurn(() => this.#flush());
    });
  }

  /** Runs `action` once what has been written is on the disk: now, or after the shared commit that is under way. */
  afterCommit(action: () => void): void {
    if (this.#afterCommit) this.#afterCommit.push(action);
    else action();
  }

  #flush(): void {
    const jobs = this.#jobs;
    const actions: (() => void)[] = [];
    this.#jobs = [];
    this.#afterCommit = actions;
    let written: readonly Job[];
    try {
      written = transaction(this.#database, () => jobs.filter((job) => this.#runs(job)));
    } catch (error) {
      // The shared commit failed, and with it every write in it.
      for (const { fail } of jobs) fail(error);
      return;
    } finally {
      this.#afterCommit = undefined;
    }
    for (const { done } of written) done();
    for (const action of actions) action();
  }

  /** @throws what ended the whole transaction: a full disk can take back what others have written in it as well */
  #runs({ run, fail }: Job): boolean {
    try {
      run();
      return true;
    } catch (error) {
      if (!this.#database.inTransaction) throw error;
      fail(error);
      return false;
    }
  }
}
