import { monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";

/** What a thread uses of the machine, and how long it has kept others waiting. */
export interface ThreadUse {
  /** Of its own heap (`heapBytes`). */
  readonly heapBytes: number;
  /** The longest time for which it did nothing else than one thing since the use was last read, in seconds. */
  readonly longestDelayS: number;
}

/** Detects stalls at little CPU cost. */
const RESOLUTION_MS = 100;

/** Delays of the timers of the thread that creates it. */
export class LoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#histogram.enable();
  }

  /** The delay at each share of the samples since the last reset, in seconds; 1 for the longest. */
  at(...shares: readonly number[]): number[] {
    return shares.map((share) => {
      const nanoseconds = share === 1 ? this.#histogram.max : this.#histogram.percentile(share * 100);
      // The histogram includes the sampling interval; only the excess is a delay.
      return Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000);
    });
  }

  reset(): void {
    this.#histogram.reset();
  }

  stop(): void {
    this.#histogram.disable();
  }
}

/** Begins to measure the calling thread. @returns reads its use, and begins the next longest delay */
export function measuredUse(): () => ThreadUse {
  const delay = new LoopDelay();
  return () => {
    const [longestDelayS = 0] = delay.at(1);
    delay.reset();
    return { heapBytes: heapBytes(), longestDelayS };
  };
}

/** A use with the longer of two delays. @param before what was not read yet */
export function withLongerDelay(use: ThreadUse, before: ThreadUse | undefined): ThreadUse {
  return { ...use, longestDelayS: Math.max(use.longestDelayS, before?.longestDelayS ?? 0) };
}

/**
 * Memory of the calling thread's own heap in bytes: what V8 has reserved for it, used or not, and the buffers that its objects
 * hold. The code of Node.js and of the native modules is shared by all threads and not included.
 */
export function heapBytes(): number {
  const { total_heap_size: reserved, external_memory: external } = getHeapStatistics();
  return reserved + external;
}
