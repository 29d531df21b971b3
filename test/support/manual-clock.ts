import { TIMER_MS_MAX, type CancelTimer, type Clock } from "../../src/domain/clock.ts";

interface Timer {
  readonly dueMs: number;
  readonly order: number;
  readonly action: () => void;
}

/** A clock that moves only when a test moves it. */
export class ManualClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(wallMs = Date.UTC(2026, 10, 20, 21, 30)) {
    this.#wallMs = wallMs;
  }

  wallMs(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  after(delayMs: number, action: () => void): CancelTimer {
    // Like the system clock: the caller splits a longer wait.
    const waitMs = Math.min(Math.max(0, delayMs), TIMER_MS_MAX);
    const timer = { dueMs: this.#monotonicMs + waitMs, order: (this.#order += 1), action };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  afterEventLoopTurn(action: () => void): void {
    setImmediate(action);
  }

  /** Advances both clocks and runs each timer on time. */
  advance(ms: number): void {
    const endMs = this.#monotonicMs + ms;
    for (let next = this.#next(endMs); next !== undefined; next = this.#next(endMs)) {
      this.#moveTo(next.dueMs);
      this.#timers.delete(next);
      next.action();
    }
    this.#moveTo(endMs);
  }

  /** Advances to the next timer and runs it. @returns false if there is none in this time */
  advanceToNext(withinMs: number): boolean {
    const next = this.#next(this.#monotonicMs + withinMs);
    if (!next) return false;
    this.#moveTo(next.dueMs);
    this.#timers.delete(next);
    next.action();
    return true;
  }

  /** The process does not run for a time: its timers run late, after it. */
  standStill(ms: number): void {
    const endMs = this.#monotonicMs + ms;
    this.#moveTo(endMs);
    for (let next = this.#next(endMs); next !== undefined; next = this.#next(endMs)) {
      this.#timers.delete(next);
      next.action();
    }
  }

  /** Steps the wall clock alone, like a time server or a user. */
  stepWall(ms: number): void {
    this.#wallMs += ms;
  }

  #next(endMs: number): Timer | undefined {
    return [...this.#timers]
      .filter((timer) => timer.dueMs <= endMs)
      .sort((a, b) => a.dueMs - b.dueMs || a.order - b.order)[0];
  }

  #moveTo(monotonicMs: number): void {
    this.#wallMs += monotonicMs - this.#monotonicMs;
    this.#monotonicMs = monotonicMs;
  }
}
