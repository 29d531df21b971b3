import { DEVICE_LIST_BYTES_MAX } from "../domain/device-list.ts";

/** No sensor sends a packet of this size; camera pictures of usual resolutions still pass. */
export const PACKET_BYTES_MAX = 256 * 1024;
/**
 * A message of a client that has signed in to the built-in broker: the list that a zigbee2mqtt with 200 devices publishes has
 * about 1 MiB, and with half of it the bridge would be disconnected again and again.
 */
export const MESSAGE_BYTES_MAX = DEVICE_LIST_BYTES_MAX + PACKET_BYTES_MAX;

/** Packet type of PUBLISH (MQTT 3.1.1, 2.2.1). */
const PUBLISH = 3;

/** A remaining length has at most four bytes of seven bits each (MQTT 3.1.1, 2.2.3). */
const LENGTH_BYTES_MAX = 4;

/**
 * Reads only the lengths of the packets of a connection, so that a client with a packet over the limit is disconnected
 * before the packet is assembled in memory.
 */
export class PacketSizeLimit {
  readonly #packetBytesMax: number;
  /** Type of the current packet. */
  #type = 0;
  /** Remaining bytes of the current packet. */
  #remaining = 0;
  /** Undefined between packets; otherwise the length as far as it was read. */
  #length: { value: number; bytes: number } | undefined;
  #hasEndedPacket = false;

  constructor(packetBytesMax = PACKET_BYTES_MAX) {
    this.#packetBytesMax = packetBytesMax;
  }

  /** Whether a packet is incomplete. */
  get isWithinPacket(): boolean {
    return this.#remaining > 0 || this.#length !== undefined;
  }

  /** Whether a packet ended within the bytes that were read last. */
  get hasEndedPacket(): boolean {
    return this.#hasEndedPacket;
  }

  /**
   * Reads the next bytes of the connection.
   * @param messageBytesMax limit of a packet with a message
   * @returns false once a packet announces more than the limit or an invalid length
   */
  accepts(chunk: Uint8Array, messageBytesMax = this.#packetBytesMax): boolean {
    let at = 0;
    this.#hasEndedPacket = false;
    while (at < chunk.byteLength) {
      if (this.#remaining > 0) {
        const skipped = Math.min(this.#remaining, chunk.byteLength - at);
        this.#remaining -= skipped;
        if (this.#remaining === 0) this.#hasEndedPacket = true;
        at += skipped;
        continue;
      }
      const byte = chunk[at] ?? 0;
      at += 1;
      if (!this.#length) {
        this.#length = { value: 0, bytes: 0 };
        this.#type = byte >> 4;
      } else if (!this.#acceptsLengthByte(this.#length, byte, messageBytesMax)) return false;
    }
    return true;
  }

  #acceptsLengthByte(
    length: { value: number; bytes: number },
    byte: number,
    messageBytesMax: number,
  ): boolean {
    length.value += (byte & 0x7f) * 0x80 ** length.bytes;
    length.bytes += 1;
    if (length.value > (this.#type === PUBLISH ? messageBytesMax : this.#packetBytesMax)) return false;
    if ((byte & 0x80) !== 0) return length.bytes < LENGTH_BYTES_MAX;
    this.#remaining = length.value;
    this.#length = undefined;
    if (length.value === 0) this.#hasEndedPacket = true;
    return true;
  }
}
