/**
 * The two clocks and the timer. Durations come from the monotonic clock, stamps from the wall clock: a Pi without
 * a battery clock wakes up in the wrong year and is set right while it runs.
 */
export interface Clock {
  /** Wall clock, milliseconds since 1970-01-01T00:00:00Z. May step in either direction at any moment. */
  wallMs(): number;
  /** Monotonic clock, milliseconds since the start of the machine or another arbitrary moment. Never steps. */
  monotonicMs(): number;
  /** Runs `action` once, `delayMs` of the monotonic clock from now, unless cancelled. */
  after(delayMs: number, action: () => void): CancelTimer;
  /** Runs `action` once, after everything that has already arrived from the network was handled. */
  afterEventLoopTurn(action: () => void): void;
}

/** Whether the wall clock can be believed: a machine without a battery clock starts in the past. */
export interface TrustedTime {
  isTrusted(): boolean;
}

export type CancelTimer = () => void;

/** The longest delay that a Node timer takes (2^31-1 ms); longer waits must be taken in parts. */
export const TIMER_MS_MAX = 2_147_483_647;
