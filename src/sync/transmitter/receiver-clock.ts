import type { Clock, TrustedTime } from "../../domain/clock.ts";
import type { Conditions } from "../../domain/condition.ts";
import type { Log } from "../../domain/log.ts";

interface ReceiverClockOptions {
  /** Of the receiver, for the condition. */
  readonly address: string;
  readonly clock: Clock;
  readonly time: TrustedTime;
  readonly log: Log;
  readonly conditions: Conditions;
}

interface Known {
  /** Receiver's time minus the monotonic one. */
  readonly offsetMs: number;
  /** Monotonic time at which that was known. */
  readonly atMs: number;
}

/** A time of the receiver that is not the expected one, and how often it has gone on since. */
interface Other {
  /** Receiver's time minus the monotonic one. */
  readonly offsetMs: number;
  /** Monotonic time at which the last message that counts was sent. */
  readonly sentMs: number;
  readonly count: number;
}

/** A smaller difference is within what receivers accept, +20 s and -40 s, less the way there. */
const DIFFERENCE_MS = 10_000;
/** How far a receiver's first acknowledgement may be from the own clock: as far as it may be itself from its senders. */
const FIRST_DIFFERENCE_MS = 60_000;
/** Two clocks move apart by up to this part of the time. */
const DRIFT = 1e-4;
/** Another time counts as the receiver's after this many acknowledgements, which go on as its clock would. */
const COUNT = 4;
/** Messages that are nearer together than this count as one: a recording could answer them with the same reply. */
const SPACING_MS = 5_000;
/** A recording of other moments goes on differently; whole seconds differ less. */
const STEADY_MS = 2_000;
/** The way to the receiver may differ by the time that the reply took, up to this: a recording could be held back on purpose. */
const WAY_MS_MAX = 3_000;

/**
 * What is known of a receiver's clock. Nothing in an encrypted acknowledgement names its message, so only its time tells it from
 * a recorded one. The time in a NAK is not encrypted: it is used for messages, and proves nothing.
 */
export class ReceiverClock {
  readonly #options: ReceiverClockOptions;
  /** By the last NAK, its clock minus ours. */
  #offsetMs = 0;
  /** By its acknowledgements; undefined before the first that counts. */
  #known: Known | undefined;
  #other: Other | undefined;

  constructor(options: ReceiverClockOptions) {
    this.#options = options;
  }

  /** The receiver's time as far as it is known, milliseconds since 1970. */
  nowMs(): number {
    return this.itsMs(this.#options.clock.wallMs());
  }

  /** One of our times by the receiver's clock, milliseconds since 1970. */
  itsMs(wallMs: number): number {
    return Math.round(wallMs + this.#offsetMs);
  }

  /** Whether the receiver has acknowledged with another time than expected: a few more messages decide. */
  get isUncertain(): boolean {
    return this.#other !== undefined;
  }

  /** Takes the time of a NAK. @returns whether it differs from what the message had */
  noteRefusal(wallMs: number): boolean {
    const { clock, conditions, log, address } = this.#options;
    const offsetMs = wallMs - clock.wallMs();
    if (Math.abs(offsetMs - this.#offsetMs) <= DIFFERENCE_MS) return false;
    this.#offsetMs = offsetMs;
    const seconds = Math.round(offsetMs / 1000);
    log.warn("monitoring-receiver-clock", { receiver: address, seconds });
    if (Math.abs(offsetMs) <= DIFFERENCE_MS) conditions.clear("monitoring-receiver-clock", address);
    else conditions.raise("monitoring-receiver-clock", { receiver: address, seconds }, address);
    return true;
  }

  /**
   * Whether an encrypted acknowledgement counts, by its time. One with another time than expected is a recording, or the receiver's
   * clock was set; the first three of a clock are `uncertain`.
   * @param wallMs its time, milliseconds since 1970
   * @param sentMs monotonic time at which the message was sent
   */
  judge(wallMs: number, sentMs: number): "counts" | "uncertain" | "old" {
    const nowMs = this.#options.clock.monotonicMs();
    if (!this.#isExpected(wallMs, sentMs, nowMs)) return this.#goesOn(wallMs, sentMs, nowMs);
    // The latest of them: late ones must not make room for later ones.
    const leastMs = this.#known ? this.#known.offsetMs - this.#driftMs(this.#known, nowMs) : -Infinity;
    this.#know(Math.max(wallMs - nowMs, leastMs));
    return "counts";
  }

  #isExpected(wallMs: number, sentMs: number, nowMs: number): boolean {
    const { clock, time } = this.#options;
    if (this.#known) {
      const { offsetMs } = this.#known;
      const apartMs = DIFFERENCE_MS + this.#driftMs(this.#known, nowMs);
      return wallMs >= offsetMs + sentMs - apartMs && wallMs <= offsetMs + nowMs + apartMs;
    }
    return time.isTrusted() && Math.abs(wallMs - clock.wallMs()) <= FIRST_DIFFERENCE_MS + (nowMs - sentMs);
  }

  /** How far the clocks may have moved apart since the last acknowledgement. */
  #driftMs({ atMs }: Known, nowMs: number): number {
    return (nowMs - atMs) * DRIFT;
  }

  #know(offsetMs: number): void {
    this.#known = { offsetMs, atMs: this.#options.clock.monotonicMs() };
    this.#other = undefined;
  }

  #goesOn(wallMs: number, sentMs: number, nowMs: number): "counts" | "uncertain" | "old" {
    const before = this.#other;
    const offsetMs = wallMs - sentMs;
    const steadyMs = STEADY_MS + Math.min(WAY_MS_MAX, nowMs - sentMs);
    if (!before || Math.abs(offsetMs - before.offsetMs) > steadyMs) {
      this.#other = { offsetMs, sentMs, count: 1 };
      return before ? "old" : "uncertain";
    }
    if (sentMs - before.sentMs < SPACING_MS) return "uncertain";
    const count = before.count + 1;
    this.#other = { ...before, sentMs, count };
    if (count < COUNT) return "uncertain";
    this.#know(wallMs - nowMs);
    return "counts";
  }
}
