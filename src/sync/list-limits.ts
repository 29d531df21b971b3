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
const AFTER_ENDS: Limits = { bytesMax: LARGE_BYTES, rowsBytesMax: 4 * MIB };
/** Ends of the thread or the process during a large list after which the lower limits apply. A power cut or a kill is one. */
const ENDS_MAX = 2;
/** How long the lower limits apply, and how long an end counts. */
const LOWERED_MS = 3_600_000;
/** This long after the last large response its value has been reduced, so it has not ended the thread. */
const SURVIVED_MS = 5_000;

interface ListLimitsOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly facts: Pick<UpstreamCapabilities, "largeRead" | "noteLargeRead">;
  readonly conditions: Conditions;
  /** Address of the dispatch centre. */
  readonly baseUrl: string;
  /** Of the machine; without it each run counts as one of the same boot. */
  readonly bootId?: string | undefined;
  /** Called when large lists are read again. */
  readonly onLifted: () => void;
}

/**
 * What is read of the lists of the dispatch centre: what fits in the heap of the thread beside everything else. If it did not fit after
 * all, the thread or the process has ended: the database shows at the next start that a large response had just been read. After two
 * such ends only small ones are read for an hour. Otherwise each start would read the same list first and end again, and no alarm would
 * be sent. An end of another boot was a power cut and does not count.
 */
export class ListLimits implements ResponseLimits {
  readonly #options: ListLimitsOptions | undefined;
  readonly #turns = new ListTurns();
  /** Names of the lists that have been large since the start. */
  readonly #large = new Set<string>();
  #isLowered = false;
  /** Earlier ends that count. */
  #ends = 0;
  /** Large responses that are arriving. */
  #arriving = 0;
  #isNoted = false;
  #cancelSurvival: CancelTimer = () => {};
  #cancelHour: CancelTimer = () => {};

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
    if (!this.#options) return;
    const { facts, bootId = "", log } = this.#options;
    const last = facts.largeRead;
    if (last?.bootId !== bootId) return;
    this.#ends = last.ends + (last.isReading ? 1 : 0);
    if (this.#ends === 0) return;
    this.#isLowered = this.#ends >= ENDS_MAX;
    // Another end after this hour lowers the limits at once.
    this.#ends = Math.min(this.#ends, ENDS_MAX - 1);
    if (this.#isLowered)
      log.warn("large-lists-postponed", { limitMb: AFTER_ENDS.bytesMax / MIB, forS: LOWERED_MS / 1000 });
    if (last.isReading) this.#note(false);
    this.#afterAnHour();
  }

  /** Called when nothing is being read. */
  stop(): void {
    this.#cancelHour();
    this.#survived();
  }

  onLarge(): () => void {
    this.#arriving += 1;
    this.#cancelSurvival();
    if (!this.#isNoted) this.#note(true);
    return () => {
      this.#arriving -= 1;
      if (this.#arriving > 0 || !this.#options) return;
      this.#cancelSurvival();
      this.#cancelSurvival = this.#options.clock.after(SURVIVED_MS, () => this.#survived());
    };
  }

  /** Called for a list of records that has not been read because of its size. @param bytesMax the limit */
  noteTooLarge(bytesMax: number): void {
    if (!this.#options) return;
    const { conditions, baseUrl } = this.#options;
    const code = this.#isLowered ? "upstream-list-postponed" : "upstream-list-too-large";
    conditions.raise(code, { centre: baseUrl, limitMb: bytesMax / MIB });
  }

  /**
   * Reads a list. One that becomes large is read again from its start, alone: several at once would not fit. It holds nothing while it
   * waits for its turn.
   * @param read returns undefined above the limit of small rows, and if it has given way
   * @param isUrgent whether an alarm waits for it
   * @param name of a list that stays large: from the second time on it is read once, in its turn; undefined for another one
   */
  async run<T>(
    read: (turn: Turn) => Promise<T | undefined>,
    { isUrgent = false, name }: { readonly isUrgent?: boolean; readonly name?: string | undefined } = {},
  ): Promise<T> {
    const isKnown = name !== undefined && this.#large.has(name);
    const small = isKnown ? undefined : await read({ rowsBytesMax: LARGE_BYTES, mustGiveWay: () => false });
    if (small !== undefined) return small;
    if (name !== undefined) this.#large.add(name);
    return this.#turns.run((mustGiveWay) => read({ rowsBytesMax: this.rowsBytesMax, mustGiveWay }), isUrgent);
  }

  get #limits(): Limits {
    return this.#isLowered ? AFTER_ENDS : USUAL;
  }

  #afterAnHour(): void {
    if (!this.#options) return;
    const { clock, conditions, onLifted } = this.#options;
    this.#cancelHour = clock.after(LOWERED_MS, () => {
      if (!this.#isLowered) {
        this.#ends = 0;
        return this.#note(this.#isNoted);
      }
      this.#isLowered = false;
      conditions.clear("upstream-list-postponed");
      this.#afterAnHour();
      onLifted();
    });
  }

  #survived(): void {
    this.#cancelSurvival();
    if (this.#isNoted) this.#note(false);
  }

  /** A disk that takes no write keeps no list from being read. */
  #note(isReading: boolean): void {
    this.#isNoted = isReading;
    const { facts, bootId = "", log } = this.#options ?? {};
    try {
      facts?.noteLargeRead({ bootId, ends: this.#ends, isReading });
    } catch (error) {
      if (!isStorageError(error)) throw error;
      log?.warn("large-list-note-failed", { error });
    }
  }
}
