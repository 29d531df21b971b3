import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import { LIST_REMEDY, type ListPage, type ListReader } from "../store/intervention-lists.ts";
import type { InterventionQuery } from "../store/intervention-query.ts";
import { Places } from "./places.ts";

/** Slow lists of one account read at once: half of those that a centre on PostgreSQL reads at once. */
const READ_AT_ONCE_MAX = 2;
/**
 * Further ones of that account wait for these, because a screen or a program reads many lists at the same time; no more than there
 * may be connections. Less than clients usually wait for a response, and than one slow list may take (30 s), milliseconds.
 */
const WAITING_MS_MAX = 20_000;
/** Seconds until a repeated request is useful. */
const RETRY_AFTER_S = 10;

/** Reads slow lists so that those of one account never take the places of all others. */
export class FairLists implements ListReader {
  readonly #lists: ListReader;
  readonly #clock: Pick<Clock, "after" | "monotonicMs">;
  readonly #accounts = new Map<number, Places>();
  readonly #all: Places;
  readonly #atOnceMax: number;

  /**
   * @param lists reads them
   * @param atOnceMax those of all accounts read at once; others wait here, where it is known for what
   */
  constructor(
    lists: ListReader,
    clock: Pick<Clock, "after" | "monotonicMs">,
    atOnceMax = Number.POSITIVE_INFINITY,
  ) {
    this.#lists = lists;
    this.#clock = clock;
    this.#atOnceMax = atOnceMax;
    this.#all = new Places(atOnceMax);
  }

  /** @throws AppError `too-many-requests` if it has waited too long for others, and as `ListReader` */
  read(query: InterventionQuery, signal: AbortSignal): Promise<ListPage> {
    const asked = { account: query.account, remedy: LIST_REMEDY };
    return this.inTurn(asked, signal, () => this.#lists.read(query, signal));
  }

  /**
   * Reads another slow list in the turn of its account.
   * @param asked `account`: undefined for none; `remedy`: what a client can do instead
   * @throws AppError `too-many-requests` if it has waited too long for others, and as `read`
   */
  async inTurn<T>(
    { account, remedy }: { readonly account: number | undefined; readonly remedy: string },
    signal: AbortSignal,
    read: () => Promise<T>,
  ): Promise<T> {
    const endMs = this.#clock.monotonicMs() + WAITING_MS_MAX;
    const readOfAll = () => this.#readOfAll(read, { signal, endMs, remedy });
    if (account === undefined) return readOfAll();
    const own = this.#accounts.get(account) ?? new Places(READ_AT_ONCE_MAX);
    this.#accounts.set(account, own);
    await this.#take(own, signal, endMs, () => tooMany(remedy));
    try {
      return await readOfAll();
    } finally {
      own.leave();
      if (own.isFree) this.#accounts.delete(account);
    }
  }

  async #readOfAll<T>(
    read: () => Promise<T>,
    {
      signal,
      endMs,
      remedy,
    }: { readonly signal: AbortSignal; readonly endMs: number; readonly remedy: string },
  ): Promise<T> {
    await this.#take(this.#all, signal, endMs, () => tooManyOfAll(this.#atOnceMax, remedy));
    try {
      return await read();
    } finally {
      this.#all.leave();
    }
  }

  #take(places: Places, signal: AbortSignal, endMs: number, tooLate: () => AppError): Promise<void> {
    const waitingMs = endMs - this.#clock.monotonicMs();
    return places.take({ clock: this.#clock, waitingMs, tooLate }, { signal, notNeeded });
  }
}

function tooMany(hint: string): AppError {
  return new AppError(
    "too-many-requests",
    `this account already reads ${READ_AT_ONCE_MAX} slow lists; try again when they have ended`,
    { hint, retryAfterS: RETRY_AFTER_S },
  );
}

function tooManyOfAll(atOnceMax: number, hint: string): AppError {
  return new AppError(
    "too-many-requests",
    `the dispatch centre already reads ${atOnceMax} slow lists; try again when they have ended`,
    { hint, retryAfterS: RETRY_AFTER_S },
  );
}

/** The error of a list whose client has gone. */
export function notNeeded(): AppError {
  return new AppError("unavailable", "the list is no longer needed", { retryAfterS: RETRY_AFTER_S });
}
