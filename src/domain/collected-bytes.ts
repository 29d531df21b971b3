/**
 * Collects bytes that arrive in chunks of any size in one piece of memory. A list of the chunks would take hundreds of bytes
 * for each, so that a sender of single bytes could use up the memory long before its limit.
 */
export class CollectedBytes {
  readonly #bytesMax: number;
  #memory = Buffer.alloc(0);
  #length = 0;
  #isTooLong = false;

  /** @param bytesMax more than these are not kept */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Whether more than the limit has arrived; then nothing is kept. */
  get isTooLong(): boolean {
    return this.#isTooLong;
  }

  /** Adds a copy of a chunk. */
  add(chunk: Uint8Array): void {
    if (this.#isTooLong) return;
    const length = this.#length + chunk.byteLength;
    if (length > this.#bytesMax) {
      this.#isTooLong = true;
      this.#memory = Buffer.alloc(0);
      return;
    }
    if (length > this.#memory.length) this.#grow(length);
    this.#memory.set(chunk, this.#length);
    this.#length = length;
  }

  /** What has arrived; empty if it is too long. It is collected no further. */
  take(): Buffer {
    const bytes = this.#memory.subarray(0, this.#isTooLong ? 0 : this.#length);
    this.#memory = Buffer.alloc(0);
    this.#length = 0;
    return bytes;
  }

  /** The memory of a whole body in one chunk is exact; otherwise it doubles, so that each byte is copied about twice. */
  #grow(length: number): void {
    const memory = Buffer.allocUnsafe(Math.min(this.#bytesMax, Math.max(length, 2 * this.#memory.length)));
    memory.set(this.#memory.subarray(0, this.#length));
    this.#memory = memory;
  }
}
