/** Work between two runs, while no file is open. */
export type BetweenRuns = () => void;

/**
 * The end of a run that another one follows. Further requests may come while it stops, such as a restore after a restart
 * because of damage: the work of each is done.
 */
export class RunEnd {
  readonly #works: BetweenRuns[] = [];
  readonly #requested: Promise<void>;
  #request: () => void = () => {};

  constructor() {
    this.#requested = new Promise((resolve) => (this.#request = resolve));
  }

  /** Requests the end of the run, and work after it. */
  readonly request = (work: BetweenRuns): void => {
    this.#works.push(work);
    this.#request();
  };

  /**
   * Waits for the first request.
   * @returns does the work of all requests, in their order, and throws the first error once the others have been tried
   */
  async requested(): Promise<BetweenRuns> {
    await this.#requested;
    return () => {
      const errors: unknown[] = [];
      for (const work of this.#works.splice(0)) {
        try {
          work();
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
    };
  }
}
