import { hrtime } from "node:process";
import { TIMER_MS_MAX, type CancelTimer, type Clock } from "../domain/clock.ts";

/** The machine's clocks: the only place that reads them or sets a timer. */
export class SystemClock implements Clock {
  wallMs(): number {
    return Date.now();
  }

  monotonicMs(): number {
    // Counts from the machine's start on Linux, so that times of a daemon before this one can be compared.
    return Number(hrtime.bigint()) / 1e6;
  }

  after(delayMs: number, action: () => void): CancelTimer {
    const timer = setTimeout(action, Math.min(Math.max(0, delayMs), TIMER_MS_MAX));
    return () => clearTimeout(timer);
  }

  afterEventLoopTurn(action: () => void): void {
    setImmediate(action);
  }
}
