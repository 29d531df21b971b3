import { pause } from "../support/installation.ts";

/**
 * Works that run at once. The process of the light sites has 20,000 files at most, and one that cannot keep up would open a
 * connection for each: later works begin late instead.
 */
const AT_ONCE = 1_000;
/** Time between two looks at what is due. */
const TICK_MS = 10;

/**
 * Begins work at an even rate, until it is aborted or `count` works have begun, whether or not earlier ones have finished unless they are
 * too many; resolves when all have.
 * @param until `atOnce`: works that run at once
 * @param work gets numbers from 0
 * @throws AggregateError with all failures
 */
export async function paced(
  perSecond: number,
  until: { readonly signal?: AbortSignal; readonly count?: number; readonly atOnce?: number },
  work: (number: number) => Promise<void>,
): Promise<void> {
  const { signal, count = Infinity, atOnce = AT_ONCE } = until;
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const startMs = performance.now();
  const isOver = (begun: number): boolean => begun >= count || signal?.aborted === true;
  for (let begun = 0; !isOver(begun); await pause(TICK_MS)) {
    const due = Math.min(count, Math.floor(((performance.now() - startMs) / 1000) * perSecond));
    for (; begun < due && running.size < atOnce; begun += 1) {
      const one: Promise<void> = work(begun)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => running.delete(one));
      running.add(one);
    }
  }
  await Promise.all(running);
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} failed, first: ${String(failures[0])}`);
}

/** Runs work for each of these, so many at a time. */
export async function eachOf<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
