import { monitorEventLoopDelay, type IntervalHistogram } from "node:perf_hooks";

/** Resolution of the event loop delay: detects stalls at little CPU cost. */
const RESOLUTION_MS = 100;

/** Resource usage and event loop delay of this process. */
export interface ProcessMeasures {
  readonly residentBytes: number;
  readonly cpuSeconds: number;
  /** Delay of timers since the last reading, in seconds. */
  readonly loopDelay: { readonly median: number; readonly p99: number; readonly max: number };
}

/** Measures this process between `start` and `stop`. */
export class ProcessWatch {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  start(): void {
    this.#histogram.enable();
  }

  stop(): void {
    this.#histogram.disable();
  }

  /** Returns the measurements since the last call. */
  look(): ProcessMeasures {
    const { user, system } = process.cpuUsage();
    // The histogram includes the sampling interval; only the excess is a delay.
    const delayS = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000);
    const loopDelay = {
      median: delayS(this.#histogram.percentile(50)),
      p99: delayS(this.#histogram.percentile(99)),
      max: delayS(this.#histogram.max),
    };
    this.#histogram.reset();
    return { residentBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6, loopDelay };
  }
}
