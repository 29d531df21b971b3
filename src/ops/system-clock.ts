import { performance } from "node:perf_hooks";
import { LONGEST_TIMER_MS, type CancelTimer, type Clock } from "../domain/clock.ts";

/** The machine's clocks: the only place that reads them or sets a timer. */
export class SystemClock implements Clock {
  wallMs(): number {
    return Date.now();
  }

  monotonicMs(): number {
    return performance.now();
  }

  after(delayMs: number, action: () => void): CancelTimer {
    const timer = setTimeout(action, Math.min(Math.max(0, delayMs), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  }

  afterTurn(action: () => void): void {
    setImmediate(action);
  }
}
