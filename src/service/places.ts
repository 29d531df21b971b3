import type { Clock } from "../domain/clock.ts";
import type { AppError } from "../domain/errors.ts";

/** How long work waits for a place. */
interface Timeout {
  readonly clock: Pick<Clock, "after">;
  /** Milliseconds; 0 or less for no wait. */
  readonly waitingMs: number;
  /** The error of work that has waited so long. */
  readonly tooLate: () => AppError;
}

/** Places for work that is done at once. Further work waits, and gets the places in the order of its arrival. */
export class Places {
  readonly #max: number;
  #taken = 0;
  /** Each starts waiting work; the oldest first. */
  readonly #waiting = new Set<() => void>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether nothing has a place. */
  get isFree(): boolean {
    return this.#taken === 0;
  }

  /**
   * Resolves when the caller has a place, which it leaves by `leave`.
   * @param end ends the wait with an error when the work is no longer needed
   * @throws the error of `timeout` or `end`
   */
  async take(
    { clock, waitingMs, tooLate }: Timeout,
    end?: { readonly signal: AbortSignal; readonly notNeeded: () => AppError },
  ): Promise<void> {
    if (this.#taken < this.#max) {
      this.#taken += 1;
      return;
    }
    if (end?.signal.aborted === true) throw end.notNeeded();
    if (waitingMs <= 0) throw tooLate();
    await new Promise<void>((resolve, reject) => {
      const stopWaiting = (): void => {
        this.#waiting.delete(start);
        cancel();
        end?.signal.removeEventListener("abort", onEnd);
      };
      const start = (): void => {
        stopWaiting();
        resolve();
      };
      const onEnd = (): void => {
        stopWaiting();
        reject(end?.notNeeded());
      };
      const cancel = clock.after(waitingMs, () => {
        stopWaiting();
        reject(tooLate());
      });
      this.#waiting.add(start);
      end?.signal.addEventListener("abort", onEnd);
    });
  }

  /** Leaves a place to the work that has waited longest. */
  leave(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.#taken -= 1;
  }

  /** Does `work` at a place, as `take`. */
  async run<T>(work: () => Promise<T>, timeout: Timeout): Promise<T> {
    await this.take(timeout);
    try {
      return await work();
    } finally {
      this.leave();
    }
  }
}

/** Does one work at a time for each key, in order. */
export class KeyedTurns<Key> {
  readonly #keys = new Map<Key, Places>();

  /** As `Places.run`. */
  async run<T>(key: Key, work: () => Promise<T>, timeout: Timeout): Promise<T> {
    const turns = this.#keys.get(key) ?? new Places(1);
    this.#keys.set(key, turns);
    try {
      return await turns.run(work, timeout);
    } finally {
      if (turns.isFree) this.#keys.delete(key);
    }
  }
}
