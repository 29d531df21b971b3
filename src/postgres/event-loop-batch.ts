import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";

/** Bounds the statement and its memory; the rest follows in the next one. */
const BATCH_MAX = 256;
/** While two are on their way, further questions gather for the next: more would only wait in the server. */
const CONCURRENT_MAX = 2;

interface Asked<Question, Answer> {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Sends what was asked in one turn of the event loop in one round trip, so that many requests share one flush, as the
 * group commit does for SQLite.
 */
export class EventLoopBatch<Question, Answer> {
  readonly #clock: Pick<Clock, "afterEventLoopTurn">;
  readonly #send: (questions: readonly Question[]) => Promise<readonly Answer[]>;
  #asked: Asked<Question, Answer>[] = [];
  #running = 0;
  #isDue = false;

  /** @param send returns an answer for each question, in their order */
  constructor(
    clock: Pick<Clock, "afterEventLoopTurn">,
    send: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  ) {
    this.#clock = clock;
    this.#send = send;
  }

  /** @throws the error of `send` for this question */
  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ question, resolve, reject });
      if (this.#isDue) return;
      this.#isDue = true;
      this.#clock.afterEventLoopTurn(() => {
        this.#isDue = false;
        this.#sendNext();
      });
    });
  }

  #sendNext(): void {
    while (this.#running < CONCURRENT_MAX && this.#asked.length > 0) {
      this.#running += 1;
      void this.#answer(this.#asked.splice(0, BATCH_MAX)).finally(() => {
        this.#running -= 1;
        this.#sendNext();
      });
    }
  }

  async #answer(batch: readonly Asked<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.#send(batch.map(({ question }) => question));
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      // One that the server refuses must not fail the others. Without a server they all fail at once.
      if (batch.length > 1 && !(error instanceof AppError))
        for (const one of batch) await this.#answer([one]);
      else for (const { reject } of batch) reject(error);
    }
  }
}
