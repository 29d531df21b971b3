import type { Clock } from "../domain/clock.ts";
import type { Database } from "./database.ts";
import { isDiskFull, transaction } from "./transaction.ts";

interface Job {
  readonly run: () => void;
  readonly fail: (error: unknown) => void;
  readonly done: () => void;
}

/** What hangs on the outcome of a shared commit that is under way. */
interface Outcome {
  readonly actions: (() => void)[];
  readonly undos: ((error: unknown) => void)[];
}

/**
 * Shares one commit, and so one flush of the disk, among all the writes that arrive in one turn of the event loop: a
 * flush takes as long for one record as for sixty. Each is told the outcome only after the shared commit.
 */
export class GroupCommit {
  readonly #database: Database;
  readonly #clock: Pick<Clock, "afterEventLoopTurn">;
  #jobs: Job[] = [];
  /** Undefined while no shared commit is under way. */
  #outcome: Outcome | undefined;

  constructor(database: Database, clock: Pick<Clock, "afterEventLoopTurn">) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Does a write in the next shared commit.
   * @param work writes in a `transaction`, which is a savepoint here: when it throws it undoes nobody else's. On a full
   * disk it may be run twice; what it changes in memory says `onRollback` how to change it back
   * @returns what `work` returned, once it is on the disk; rejects with what `work` or the commit threw
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

  /** Runs `action` once what has been written is on the disk: now, or after the shared commit that is under way. */
  afterCommit(action: () => void): void {
    if (this.#outcome) this.#outcome.actions.push(action);
    else action();
  }

  /**
   * Runs `undo` if what has just been written does not reach the disk after all, because the shared commit that is
   * under way fails. What was done last is undone first. Outside a shared commit it is on the disk already.
   */
  onRollback(undo: (error: unknown) => void): void {
    this.#outcome?.undos.push(undo);
  }

  #flush(): void {
    const jobs = this.#jobs;
    this.#jobs = [];
    let outcome: Outcome = { actions: [], undos: [] };
    let told: readonly (() => void)[];
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
      told = transaction(this.#database, work, undo);
    } catch (error) {
      // The shared commit failed, and with it every write in it.
      for (const { fail } of jobs) fail(error);
      return;
    }
    this.#outcome = undefined;
    for (const tell of told) tell();
    for (const action of outcome.actions) action();
  }

  /**
   * @returns what tells the job how it went, after the commit
   * @throws what ended the whole transaction: a full disk can take back what others have written in it as well
   */
  #run({ run, fail, done }: Job): () => void {
    try {
      run();
      // A job that goes on after a full disk has ended the transaction has written nothing.
      if (!this.#database.inTransaction) throw new Error("the shared transaction was rolled back");
      return done;
    } catch (error) {
      if (!this.#database.inTransaction || isDiskFull(error)) throw error;
      return () => fail(error);
    }
  }
}
