import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type Collect = (options?: { readonly type: "minor" }) => void;

/** New buffers, in use or not, beyond which the unused ones are collected. V8 itself waits for 32 MiB in each thread. */
const NEW_BYTES_MAX = 6 * 1024 * 1024;
/** The same for all buffers since the last full collection: those that have survived two collections need a full one. */
const ALL_BYTES_MAX = 16 * 1024 * 1024;
/** Reading the size of all buffers takes some 20 µs, so it is not read for each message. */
const LOOK_EVERY_BYTES = 1024 * 1024;

/**
 * Collects the unused buffers of the calling thread in a flood. Each message takes several buffers for a moment, outside V8's
 * heap and its limits: unless they are collected in time, they add 32 MiB in one thread and 50 in another to what the broker holds.
 */
export class BufferCollection {
  readonly #hasOldBuffers: boolean;
  readonly #collect = exposedCollection();
  #bytesUntilLook = LOOK_EVERY_BYTES;
  #lowest = Infinity;
  #lowestSinceFull = Infinity;

  /**
   * @param hasOldBuffers whether this thread keeps buffers for long; only then is a full collection worth its pause, of some
   *   10 to 20 ms on a PC
   */
  constructor({ hasOldBuffers }: { readonly hasOldBuffers: boolean }) {
    this.#hasOldBuffers = hasOldBuffers;
  }

  /** To be called with the size of everything that is read. */
  read(bytes: number): void {
    this.#bytesUntilLook -= bytes;
    if (this.#bytesUntilLook > 0) return;
    this.#bytesUntilLook = LOOK_EVERY_BYTES;
    const now = bufferBytes();
    this.#lowest = Math.min(this.#lowest, now);
    this.#lowestSinceFull = Math.min(this.#lowestSinceFull, now);
    if (this.#hasOldBuffers && now - this.#lowestSinceFull > ALL_BYTES_MAX) {
      this.#collect();
      this.#lowest = this.#lowestSinceFull = bufferBytes();
    } else if (now - this.#lowest > NEW_BYTES_MAX) {
      this.#collect({ type: "minor" });
      this.#lowest = bufferBytes();
    }
  }
}

function bufferBytes(): number {
  return process.memoryUsage().arrayBuffers;
}

/** V8 shows its collection only to contexts that are created while this flag is set. */
function exposedCollection(): Collect {
  setFlagsFromString("--expose-gc");
  try {
    return runInNewContext("gc") as Collect;
  } finally {
    setFlagsFromString("--no-expose-gc");
  }
}
