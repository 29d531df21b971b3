import { getHeapStatistics } from "node:v8";

/**
 * Memory of the calling thread's own heap in bytes: what V8 has reserved for it, used or not, and the buffers that its objects
 * hold. The code of Node.js and of the native modules is shared by all threads and not included.
 */
export function heapBytes(): number {
  const { total_heap_size: reserved, external_memory: external } = getHeapStatistics();
  return reserved + external;
}
