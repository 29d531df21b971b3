/**
 * The two clocks and the timer. Durations use the monotonic clock, timestamps the wall clock: a Pi without a real-time
 * clock starts with a wrong time, which is corrected while it runs.
 */
export interface Clock {
  /** Wall clock, milliseconds since 1970-01-01T00:00:00Z. May step in either direction at any moment. */
  wallMs(): number;
  /** Monotonic clock, milliseconds since boot or another fixed point. Never steps. */
  monotonicMs(): number;
  /** Runs `action` once after `delayMs` of the monotonic clock, unless cancelled. */
  after(delayMs: number, action: () => void): CancelTimer;
  /** Runs `action` once, after all input that has already arrived from the network was processed. */
  afterEventLoopTurn(action: () => void): void;
}

/** Whether the wall clock is trusted: without a real-time clock a machine starts with a time in the past. */
export interface TrustedTime {
  isTrusted(): boolean;
}

export type CancelTimer = () => void;

/** Maximum delay of a Node.js timer (2^31-1 ms); longer waits must be split. */
export const TIMER_MS_MAX = 2_147_483_647;

/** A wall clock before this release is not set: 1 January 2026. */
export const RELEASE_WALL_MS = 1_767_225_600_000;

/** 2 January 0001 and 30 December 9999: with the offset of any time zone the year has four digits. */
const CALENDAR_MS_MIN = -62_135_510_400_000;
const CALENDAR_MS_MAX = 253_402_128_000_000;

/**
 * The nearest time that can be written as a date. A number that a memory card has damaged may be any: it must not end what shows
 * it.
 * @param wallMs milliseconds since 1970
 */
export function withinCalendar(wallMs: number): number {
  return Math.min(Math.max(wallMs, CALENDAR_MS_MIN), CALENDAR_MS_MAX);
}

/** Formats wall clock milliseconds since 1970 as ISO 8601 UTC; those outside the calendar as its first or last day. */
export function isoTime(wallMs: number): string {
  return new Date(withinCalendar(wallMs)).toISOString();
}

/** Resolves after a time of the monotonic clock. */
export function pause(clock: Pick<Clock, "after">, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

/** Resolves once `work` has, at the latest after a time of the monotonic clock; rejects if it does before. */
export async function settledWithin(
  clock: Pick<Clock, "after">,
  ms: number,
  work: Promise<unknown>,
): Promise<void> {
  let cancel: CancelTimer = () => {};
  const late = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve);
  });
  await Promise.race([work, late]).finally(() => cancel());
}

/** One timer for many deadlines: calls back at the earliest. */
export class DeadlineTimer {
  readonly #clock: Clock;
  readonly #onDeadline: () => void;
  readonly #isAfterInput: boolean;
  #cancel: CancelTimer = () => {};

  /**
   * @param afterInput a late callback comes after the input that has arrived meanwhile, as Node.js runs timers before it: what
   * happened before the deadline is then processed before it
   */
  constructor(clock: Clock, onDeadline: () => void, { afterInput = false } = {}) {
    this.#clock = clock;
    this.#onDeadline = onDeadline;
    this.#isAfterInput = afterInput;
  }

  /** Replaces the earlier deadlines. @param deadlines by the monotonic clock, in milliseconds; none stops the timer */
  arm(deadlines: readonly number[]): void {
    this.#cancel();
    if (deadlines.length === 0) return;
    const deadlineMs = Math.min(...deadlines);
    const delayMs = Math.ceil(deadlineMs - this.#clock.monotonicMs());
    this.#cancel = this.#clock.after(delayMs, () => {
      if (this.#isAfterInput && this.#clock.monotonicMs() > deadlineMs) this.#afterInput();
      else this.#onDeadline();
    });
  }

  stop(): void {
    this.#cancel();
  }

  #afterInput(): void {
    let isCancelled = false;
    this.#cancel = () => void (isCancelled = true);
    this.#clock.afterEventLoopTurn(() => {
      if (!isCancelled) this.#onDeadline();
    });
  }
}
