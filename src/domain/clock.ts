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

/** Formats wall clock milliseconds since 1970 as ISO 8601 UTC. */
export function isoTime(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
