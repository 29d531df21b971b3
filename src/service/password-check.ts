import bcrypt from "bcrypt";
import { AppError } from "../domain/errors.ts";

/** Comparisons run in the thread pool that also flushes the disk: two leave room for the trips. */
const AT_ONCE_MAX = 2;
const WAITING_MAX = 16;

/** Compares passwords with hashes, few at a time. */
export class PasswordCheck {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /**
   * Whether the password fits the hash.
   * @param atTurn called right before the comparison; what it throws ends the attempt
   * @throws AppError `too-many-requests` when too many wait already
   */
  async fits(password: string, hash: string, atTurn: () => void): Promise<boolean> {
    await this.#turn();
    try {
      atTurn();
      return await bcrypt.compare(password, hash);
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #turn(): Promise<void> {
    if (this.#running >= AT_ONCE_MAX) {
      if (this.#waiting.length >= WAITING_MAX)
        throw new AppError("too-many-requests", "too many sign-ins at once; try again in a second", {
          retryAfterS: 1,
        });
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    this.#running += 1;
  }
}
