/** How one list is read. */
export interface Turn {
  /** Limit of its rows, as `bytesOf`. */
  readonly rowsBytesMax: number;
  /** Asked between two responses: whether the reading is to end, because an alarm waits for another list. */
  readonly mustGiveWay: () => boolean;
}

/** How often one reading gives way: lists that alarms wait for must not keep a comparison from its end indefinitely. */
const GIVES_WAY_MAX = 3;

interface Waiting {
  readonly isUrgent: boolean;
  readonly start: () => void;
}

/** Large lists are read one at a time, those that an alarm waits for first. */
export class ListTurns {
  #isTaken = false;
  #waiting: readonly Waiting[] = [];

  /**
   * Reads a list in its turn, and from its start again after it has given way.
   * @param read returns undefined if it has given way
   */
  async run<T>(read: (mustGiveWay: () => boolean) => Promise<T | undefined>, isUrgent: boolean): Promise<T> {
    for (let given = 0; ; given += 1) {
      const mayGiveWay = !isUrgent && given < GIVES_WAY_MAX;
      await this.#turn(isUrgent);
      try {
        const found = await read(() => mayGiveWay && this.#waiting.some((other) => other.isUrgent));
        if (found !== undefined) return found;
        if (!mayGiveWay) throw new Error("a list has exceeded a limit that it does not have");
      } finally {
        this.#next();
      }
    }
  }

  /** Resolves when the turn is taken. */
  async #turn(isUrgent: boolean): Promise<void> {
    if (this.#isTaken)
      await new Promise<void>((start) => (this.#waiting = [...this.#waiting, { isUrgent, start }]));
    this.#isTaken = true;
  }

  #next(): void {
    const next = this.#waiting.find(({ isUrgent }) => isUrgent) ?? this.#waiting[0];
    // Otherwise the turn goes straight to the next one.
    if (!next) this.#isTaken = false;
    this.#waiting = this.#waiting.filter((other) => other !== next);
    next?.start();
  }
}
