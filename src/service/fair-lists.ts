import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import { LIST_REMEDY, type ListPage, type ListReader } from "../store/intervention-lists.ts";
import type { InterventionQuery } from "../store/intervention-query.ts";

/** Slow lists of one account read at once: half of those that a centre on PostgreSQL reads at once. */
const READ_AT_ONCE_MAX = 2;
/**
 * Further ones of that account wait for these, because a screen or a program reads many lists at the same time; no more than there
 * may be connections. Less than clients usually wait for a response, and than one slow list may take (30 s), milliseconds.
 */
const WAITING_MS_MAX = 20_000;
/** Seconds until a repeated request is useful. */
const RETRY_AFTER_S = 10;

/** The slow lists of one account. */
interface OwnLists {
  reading: number;
  /** Each starts a waiting list; the oldest first. */
  readonly waiting: Set<() => void>;
}

/** Reads slow lists so that those of one account never take the places of all others. */
export class FairLists implements ListReader {
  readonly #lists: ListReader;
  readonly #clock: Pick<Clock, "after">;
  readonly #accounts = new Map<number, OwnLists>();

  /** @param lists reads them */
  constructor(lists: ListReader, clock: Pick<Clock, "after">) {
    this.#lists = lists;
    this.#clock = clock;
  }

  /** @throws AppError `too-many-requests` if it has waited too long for others of its account, and as `ListReader` */
  async read(query: InterventionQuery, signal: AbortSignal): Promise<ListPage> {
    const { account } = query;
    if (account === undefined) return this.#lists.read(query, signal);
    await this.#takePlace(account, signal);
    try {
      return await this.#lists.read(query, signal);
    } finally {
      this.#leavePlace(account);
    }
  }

  async #takePlace(account: number, signal: AbortSignal): Promise<void> {
    const own = this.#accounts.get(account) ?? { reading: 0, waiting: new Set() };
    this.#accounts.set(account, own);
    if (own.reading >= READ_AT_ONCE_MAX) return this.#wait(own, signal);
    own.reading += 1;
  }

  /** Resolves when another list of the account has left its place to this one. */
  #wait({ waiting }: OwnLists, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (error: AppError): void => {
        if (!waiting.delete(start)) return;
        cancel();
        reject(error);
      };
      const cancel = this.#clock.after(WAITING_MS_MAX, () => giveUp(tooMany()));
      const start = (): void => {
        waiting.delete(start);
        cancel();
        resolve();
      };
      waiting.add(start);
      signal.addEventListener("abort", () => giveUp(notNeeded()), { once: true });
    });
  }

  #leavePlace(account: number): void {
    const own = this.#accounts.get(account);
    const [next] = own?.waiting ?? [];
    if (!own || next) return next?.();
    own.reading -= 1;
    if (own.reading === 0) this.#accounts.delete(account);
  }
}

function tooMany(): AppError {
  return new AppError(
    "too-many-requests",
    `this account already reads ${READ_AT_ONCE_MAX} slow lists; try again when they have ended`,
    { hint: LIST_REMEDY, retryAfterS: RETRY_AFTER_S },
  );
}

/** The error of a list whose client has gone. */
export function notNeeded(): AppError {
  return new AppError("unavailable", "the list is no longer needed", { retryAfterS: RETRY_AFTER_S });
}
