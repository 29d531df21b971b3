/** Runs tasks concurrently, but one at a time for each key. */
export class KeyedQueue {
  readonly #running = new Map<string, Promise<void>>();
  #error: unknown;

  /**
   * Waits until no task of the key runs and fewer than `limit` keys are busy. For a single caller.
   * @throws the first error of earlier tasks
   */
  async free(key: string, limit: number): Promise<void> {
    await this.#running.get(key);
    while (this.#running.size >= limit) await Promise.race(this.#running.values());
    if (this.#error !== undefined) throw this.#error;
  }

  /** Starts `work` for a key without a running task. */
  start(key: string, work: () => Promise<void>): void {
    const done = work()
      .catch((error: unknown) => {
        this.#error ??= error;
      })
      .finally(() => this.#running.delete(key));
    this.#running.set(key, done);
  }

  /** Waits until all tasks have ended. @throws the first error of any of them */
  async end(): Promise<void> {
    await Promise.all(this.#running.values());
    if (this.#error !== undefined) throw this.#error;
  }
}
