import { LARGE_BYTES, type ResponseLimits } from "../client/response-body.ts";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import type { Log } from "../domain/log.ts";
import { isStorageError } from "../store/database.ts";
import type { UpstreamCapabilities } from "../store/upstream-capabilities.ts";
import { ListTurns, type Turn } from "./list-turns.ts";

const MIB = 1024 * 1024;

interface Limits {
  /** Of one response. Its text and its value take twice as much each if one character is beyond Latin-1. */
  readonly bytesMax: number;
  /** Of the rows of one list, as `bytesOf`: a third of the heap of the thread, because a comparison and a search each keep one. */
  readonly rowsBytesMax: number;
}

const USUAL: Limits = { bytesMax: 8 * MIB, rowsBytesMax: 32 * MIB };
const AFTER_END: Limits = { bytesMax: LARGE_BYTES, rowsBytesMax: 4 * MIB };
/** How long the lower limits apply after a large list has ended the thread or the process. */
const LOWERED_MS = 3_600_000;
/** After this time without a large response, the last one has not ended the thread. */
const SURVIVED_MS = 60_000;

interface ListLimitsOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly facts: Pick<UpstreamCapabilities, "isReadingLarge" | "noteReadingLarge">;
  readonly conditions: Conditions;
  /** Address of the dispatch centre. */
  readonly baseUrl: string;
}

/**
 * What is read of the lists of the dispatch centre: what fits in the heap of the thread beside everything else. If it did not fit after
 * all, the thread or the process has ended: the database shows at the next start that a large response had just been read, and for an
 * hour only small ones are. Otherwise each start would read the same list first and end again, and no alarm would be sent.
 */
export class ListLimits implements ResponseLimits {
  readonly #options: ListLimitsOptions | undefined;
  #loweredUntilMs = 0;
  #isNoted = false;
  #cancelTimer: CancelTimer = () => {};
  readonly #turns = new ListTurns();

  constructor(options?: ListLimitsOptions) {
    this.#options = options;
  }

  get bytesMax(): number {
    return this.#limits.bytesMax;
  }

  get rowsBytesMax(): number {
    return this.#limits.rowsBytesMax;
  }

  /** Called before the first request. */
  start(): void {
    if (this.#options?.facts.isReadingLarge !== true) return;
    const { clock, log } = this.#options;
    this.#loweredUntilMs = clock.monotonicMs() + LOWERED_MS;
    log.warn("large-lists-postponed", { limitMb: AFTER_END.bytesMax / MIB, forS: LOWERED_MS / 1000 });
    this.#note(false);
  }

  /** Called when nothing is being read. */
  stop(): void {
    this.#survived();
  }

  onLarge(): () => void {
    if (!this.#options) return () => {};
    if (!this.#isNoted) this.#note(true);
    this.#cancelTimer();
    this.#cancelTimer = this.#options.clock.after(SURVIVED_MS, () => this.#survived());
    return () => {};
  }

  /** Called for a list of records that has not been read because of its size. @param bytesMax the limit */
  noteTooLarge(bytesMax: number): void {
    if (!this.#options) return;
    const { conditions, baseUrl } = this.#options;
    conditions.raise("upstream-list-too-large", { centre: baseUrl, limitMb: bytesMax / MIB });
  }

  /**
   * Reads a list. One that becomes large is read again from its start, alone: several at once would not fit. It holds nothing while it
   * waits for its turn.
   * @param read returns undefined above the limit of small rows, and if it has given way
   * @param isUrgent whether an alarm waits for it
   */
  async run<T>(read: (turn: Turn) => Promise<T | undefined>, isUrgent = false): Promise<T> {
    const small = await read({ rowsBytesMax: LARGE_BYTES, mustGiveWay: () => false });
    return (
      small ??
      this.#turns.run((mustGiveWay) => read({ rowsBytesMax: this.rowsBytesMax, mustGiveWay }), isUrgent)
    );
  }

  get #limits(): Limits {
    const nowMs = this.#options?.clock.monotonicMs() ?? 0;
    return nowMs < this.#loweredUntilMs ? AFTER_END : USUAL;
  }

  #survived(): void {
    this.#cancelTimer();
    if (this.#isNoted) this.#note(false);
  }

  /** A disk that takes no write keeps no list from being read. */
  #note(isReading: boolean): void {
    this.#isNoted = isReading;
    try {
      this.#options?.facts.noteReadingLarge(isReading);
    } catch (error) {
      if (!isStorageError(error)) throw error;
      this.#options?.log.warn("large-list-note-failed", { error });
    }
  }
}
