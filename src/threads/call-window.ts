/** Calls without an answer at one time: several commits of a burst. */
const CALLS_MAX = 1_024;
const BYTES_MAX = 4 * 1024 * 1024;

interface Waiting {
  readonly bytes: number;
  readonly start: () => void;
  next: Waiting | undefined;
}

/**
 * Limits the calls to another thread that have no answer yet, so that a flood fills the memory of the thread that receives
 * it and not of the one that it calls. Further calls wait in order.
 */
export class CallWindow {
  #calls = 0;
  #bytes = 0;
  #first: Waiting | undefined;
  #last: Waiting | undefined;

  /**
   * @param bytes approximate size of the arguments
   * @returns the result of `call`, which runs at once or later
   */
  run<T>(bytes: number, call: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        this.#calls += 1;
        this.#bytes += bytes;
        call()
          .finally(() => {
            this.#calls -= 1;
            this.#bytes -= bytes;
            this.#startWaiting();
          })
          .then(resolve, reject);
      };
      const added: Waiting = { bytes, start, next: undefined };
      if (this.#last) this.#last.next = added;
      else this.#first = added;
      this.#last = added;
      this.#startWaiting();
    });
  }

  #startWaiting(): void {
    for (let next = this.#first; next && this.#hasRoomFor(next); next = this.#first) {
      this.#first = next.next;
      if (!this.#first) this.#last = undefined;
      next.start();
    }
  }

  /** One call has room whatever its size. */
  #hasRoomFor({ bytes }: Waiting): boolean {
    return this.#calls === 0 || (this.#calls < CALLS_MAX && this.#bytes + bytes <= BYTES_MAX);
  }
}
