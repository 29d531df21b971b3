import type { Clock } from "../domain/clock.ts";
import type { Database } from "./database.ts";
import { isDiskFull, noteFailure, transaction } from "./transaction.ts";

interface Job {
  readonly run: () => void;
  readonly fail: (error: unknown) => void;
  readonly done: () => void;
}

/** Actions that depend on the result of the current group commit. */
interface Outcome {
  readonly actions: (() => void)[];
  readonly undos: ((error: unknown) => void)[];
}

/**
 * Shares one commit and one fsync among all writes of one event loop turn: an fsync takes as long for one record as
 * for sixty. Each write is resolved only after the group commit.
 */
export class GroupCommit {
  readonly #database: Database;
  readonly #clock: Pick<Clock, "afterEventLoopTurn">;
  #jobs: Job[] = [];
  /** Undefined while no group commit is running. */
  #outcome: Outcome | undefined;

  constructor(database: Database, clock: Pick<Clock, "afterEventLoopTurn">) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Runs a write in the next group commit.
   * @param work writes in a `transaction`, which is a savepoint here: if it throws, other writes are kept. On a
   * full disk it may run twice; `onRollback` undoes its changes in memory
   * @returns the result of `work` once it is on disk; rejects with the error of `work` or the commit
   */
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let result: T;
      const run = (): void => {
        result = work();
      };
      this.#jobs.push({ run, fail: reject, done: () => resolve(result) });
      if (this.#jobs.length === 1) this.#clock.afterEventLoopTurn(() => this.#flush());
    });
  }

  /** Runs `action` once the writes are on disk: now, or after the current group commit. */
  afterCommit(action: () => void): void {
    if (this.#outcome) this.#outcome.actions.push(action);
    else action();
  }

  /**
   * Runs `undo` if the current group commit fails; the last one first. Outside a group commit the writes are
   * already on disk.
   */
  onRollback(undo: (error: unknown) => void): void {
    this.#outcome?.undos.push(undo);
  }

  #flush(): void {
    const jobs = this.#jobs;
    this.#jobs = [];
    let outcome: Outcome = { actions: [], undos: [] };
    let settlers: readonly (() => void)[];
    const work = (): (() => void)[] => {
      outcome = { actions: [], undos: [] };
      this.#outcome = outcome;
      return jobs.map((job) => this.#run(job));
    };
    const undo = (error: unknown): void => {
      this.#outcome = undefined;
      for (const action of outcome.undos.toReversed()) action(error);
    };
    try {
      settlers = transaction(this.#database, work, undo);
    } catch (error) {
      // The group commit failed, and with it every write in it.
      for (const { fail } of jobs) fail(error);
      return;
    }
    this.#outcome = undefined;
    for (const settle of settlers) settle();
    for (const action of outcome.actions) action();
  }

  /**
   * @returns a function that resolves or rejects the job after the commit
   * @throws an error that ended the whole transaction: a full disk can roll back the other writes as well
   */
  #run({ run, fail, done }: Job): () => void {
    try {
      run();
      // A job that continues after a full disk has ended the transaction wrote nothing.
      if (!this.#database.inTransaction) throw new Error("the group commit was rolled back");
      return done;
    } catch (error) {
      if (!this.#database.inTransaction || isDiskFull(error)) throw error;
      noteFailure(this.#database, error);
      return () => fail(error);
    }
  }
}
