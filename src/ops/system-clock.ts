import { hrtime } from "node:process";
import { TIMER_MS_MAX, type CancelTimer, type Clock } from "../domain/clock.ts";

/** The machine's clocks: the only code that reads them or sets timers. */
export class SystemClock implements Clock {
  wallMs(): number {
    return Date.now();
  }

  monotonicMs(): number {
    // Counts from boot on Linux, so that times of an earlier run can be compared.
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
