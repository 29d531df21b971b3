import { monitorEventLoopDelay, type IntervalHistogram } from "node:perf_hooks";

/** How often the event loop's punctuality is looked at: often enough to see a stall, seldom enough for a Pi's battery. */
const RESOLUTION_MS = 100;

/** What this process costs and how punctual it is. */
export interface ProcessMeasures {
  readonly residentBytes: number;
  readonly cpuSeconds: number;
  /** How late timers were since the last look, beyond their time, seconds. */
  readonly loopDelay: { readonly median: number; readonly p99: number; readonly max: number };
}

/** Watches this process between `start` and `stop`. */
export class ProcessWatch {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  start(): void {
    this.#histogram.enable();
  }

  stop(): void {
    this.#histogram.disable();
  }

  /** What was measured since the last look. */
  look(): ProcessMeasures {
    const { user, system } = process.cpuUsage();
    // The histogram counts the whole time between two looks at the loop; only what is beyond that is a delay.
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
