/** Runs tasks concurrently, but one at a time for each key. */
export class KeyedQueue {
  readonly #running = new Map<string, Promise<void>>();
  readonly #max: number;
  #error: unknown;

  constructor(max: number) {
    this.#max = max;
  }

  /** Running tasks. */
  get size(): number {
    return this.#running.size;
  }

  get isFull(): boolean {
    return this.#running.size >= this.#max;
  }

  /** @returns whether any of the tasks that run now is still running */
  watch(): () => boolean {
    const tasks = [...this.#running];
    return () => tasks.some(([key, done]) => this.#running.get(key) === done);
  }

  /** Whether a task of the key runs. */
  isBusy(key: string): boolean {
    return this.#running.has(key);
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

  /** Waits until a running task has ended, or `other` has. @throws the first error of earlier tasks */
  async next(other: Promise<void>): Promise<void> {
    await Promise.race([...this.#running.values(), other]);
    if (this.#error !== undefined) throw this.#error;
  }

  /** Waits until all tasks have ended. @throws the first error of any of them */
  async end(): Promise<void> {
    await Promise.all(this.#running.values());
    if (this.#error !== undefined) throw this.#error;
  }
}
