/** No sensor sends a packet of this size; camera pictures of usual resolutions still pass. */
export const PACKET_BYTES_MAX = 256 * 1024;

/** A remaining length has at most four bytes of seven bits each (MQTT 3.1.1, 2.2.3). */
const LENGTH_BYTES_MAX = 4;

/**
 * Reads nothing of a connection's bytes but how long each packet says it is, so that one that says too much can be cut
 * off before anybody has put it together in memory.
 */
export class PacketSizeLimit {
  readonly #packetBytesMax: number;
  /** Bytes of the current packet that are still to come. */
  #remaining = 0;
  /** Undefined between packets; otherwise the length as far as it is known. */
  #length: { value: number; bytes: number } | undefined;

  constructor(packetBytesMax = PACKET_BYTES_MAX) {
    this.#packetBytesMax = packetBytesMax;
  }

  /** Whether a packet has begun to arrive and is not complete. */
  get isWithinPacket(): boolean {
    return this.#remaining > 0 || this.#length !== undefined;
  }

  /**
   * Takes the next bytes of the connection.
   * @returns false from the first packet on that announces more than the limit, or whose length is no length
   */
  takes(chunk: Uint8Array): boolean {
    let at = 0;
    while (at < chunk.byteLength) {
      if (this.#remaining > 0) {
        const skipped = Math.min(this.#remaining, chunk.byteLength - at);
        this.#remaining -= skipped;
        at += skipped;
        continue;
      }
      const byte = chunk[at] ?? 0;
      at += 1;
      if (!this.#length) this.#length = { value: 0, bytes: 0 };
      else if (!this.#takesLengthByte(this.#length, byte)) return false;
    }
    return true;
  }

  #takesLengthByte(length: { value: number; bytes: number }, byte: number): boolean {
    length.value += (byte & 0x7f) * 0x80 ** length.bytes;
    length.bytes += 1;
    if (length.value > this.#packetBytesMax) return false;
    if ((byte & 0x80) !== 0) return length.bytes < LENGTH_BYTES_MAX;
    this.#remaining = length.value;
    this.#length = undefined;
    return true;
  }
}
