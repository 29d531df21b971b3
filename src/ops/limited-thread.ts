import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import type { Clock } from "../domain/clock.ts";

/** Small: a larger one is faster only for bulk work, and each thread has its own. */
const YOUNG_MB_MAX = 6;

interface ThreadLimits {
  readonly workerData: object;
  /** Of its old generation; a defect that fills the heap must end that thread before the machine's memory. */
  readonly heapMb: number;
}

/** Starts a thread whose heap has its own limit, whatever the limit of the process. */
export function startThread(entry: URL, { workerData, heapMb }: ThreadLimits): Worker {
  // V8 applies this option to each new heap and then ignores `resourceLimits`. The service sets it for the main thread, whose
  // heap exists and keeps its limit.
  setFlagsFromString("--max-old-space-size=0");
  return new Worker(entry, {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB_MAX },
  });
}

/**
 * Waits for the start of a thread, which goes on after the limit.
 * @param limitMs none if undefined
 * @throws the error of its start; an error if it takes longer
 */
export async function startedWithin<T>(
  limitMs: number | undefined,
  start: Promise<T>,
  clock: Clock,
): Promise<T> {
  if (limitMs === undefined) return start;
  let cancel = (): void => {};
  const late = new Promise<never>((_resolve, reject) => {
    const error = new Error(`its start took longer than ${limitMs / 1000} s`);
    cancel = clock.after(limitMs, () => reject(error));
  });
  try {
    return await Promise.race([start, late]);
  } finally {
    cancel();
  }
}

/**
 * Ends a thread. Node ends one only after its native calls.
 * @param withinMs how long to wait for that
 * @returns whether it has ended by then
 */
export async function endThread(worker: Worker, clock: Clock, withinMs: number): Promise<boolean> {
  let cancel = (): void => {};
  const late = new Promise<boolean>((resolve) => {
    cancel = clock.after(withinMs, () => resolve(false));
  });
  const hasEnded = await Promise.race([worker.terminate().then(() => true), late]);
  cancel();
  return hasEnded;
}
