/** Runs work side by side, one piece of it at a time in each lane. */
export class KeyedQueue {
  readonly #running = new Map<string, Promise<void>>();
  #error: unknown;

  /**
   * Comes back when the lane is free and fewer than `limit` lanes are busy. For one caller.
   * @throws what earlier work threw
   */
  async free(lane: string, limit: number): Promise<void> {
    await this.#running.get(lane);
    while (this.#running.size >= limit) await Promise.race(this.#running.values());
    if (this.#error !== undefined) throw this.#error;
  }

  /** Starts `work` in a free lane. */
  start(lane: string, work: () => Promise<void>): void {
    const done = work()
      .catch((error: unknown) => {
        this.#error ??= error;
      })
      .finally(() => this.#running.delete(lane));
    this.#running.set(lane, done);
  }

  /** Comes back when everything that was started has ended. @throws what any of it threw */
  async end(): Promise<void> {
    await Promise.all(this.#running.values());
    if (this.#error !== undefined) throw this.#error;
  }
}
