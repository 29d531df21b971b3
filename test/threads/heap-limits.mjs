/* heap-limits.mjs MODULE: starts threads with MODULE (the built `ops/limited-thread.js`), and prints the limits of their heaps and
   of this thread's in MB, as V8 has them. */
import { getHeapStatistics } from "node:v8";
import { isMainThread, parentPort } from "node:worker_threads";

const limitMb = () => Math.round(getHeapStatistics().heap_size_limit / 1024 / 1024);
const [, , module] = process.argv;

if (isMainThread) {
  const { startThread } = await import(module);
  const before = limitMb();
  const threads = [];
  for (const heapMb of [96, 396]) {
    const thread = startThread(new URL(import.meta.url), { workerData: {}, heapMb });
    threads.push(await new Promise((resolve) => thread.once("message", resolve)));
  }
  process.stdout.write(JSON.stringify({ main: [before, limitMb()], threads }));
} else parentPort.postMessage(limitMb(), []);
