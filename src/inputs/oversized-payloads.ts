import { DEVICE_LIST_BYTES_MAX, isDeviceList } from "../domain/device-list.ts";
import { PACKET_BYTES_MAX } from "./packet-size-limit.ts";

/** Packet type of PUBLISH, and the flags with its QoS (MQTT 3.1.1, 2.2). */
const PUBLISH = 3;
const QOS_FLAGS = 0x06;
/** A packet type and a remaining length of at most four bytes (MQTT 3.1.1, 2.2.3). */
const HEADER_BYTES_MAX = 5;
/** The length of a topic, and a packet id. */
const NUMBER_BYTES = 2;
/** Stands for a payload that was left out; its size follows. No device sends it, and one that did would not be read. */
const LEFT_OUT = "\0payload left out, bytes: ";

/** A message whose payload is being left out. */
interface Oversized {
  /** Packet type and flags. */
  readonly type: number;
  readonly lengthBytes: number;
  /** Bytes that have not arrived yet. */
  remaining: number;
  /** Topic and packet id as far as they have arrived; first only the length of the topic. */
  start: Buffer;
  isTopicLengthKnown: boolean;
  filled: number;
}

/**
 * Leaves the payload out of each message over the limit, before the client assembles the packet in memory. What remains
 * is a message with the same topic and packet id, so that it is acknowledged in its turn and the broker sends the next one.
 * The list of a bridge with many devices is passed on.
 */
export class OversizedPayloads {
  readonly #packetBytesMax: number;
  /** Remaining bytes of a packet within the limit. */
  #passing = 0;
  #oversized: Oversized | undefined;
  /** The beginning of a header whose rest has not arrived. */
  #held: Uint8Array = Buffer.alloc(0);

  /** @param packetBytesMax at least 65,539, the bytes of the longest topic and a packet id */
  constructor(packetBytesMax = PACKET_BYTES_MAX) {
    this.#packetBytesMax = packetBytesMax;
  }

  /** Whether a payload is being left out. */
  get isLeavingOut(): boolean {
    return this.#oversized !== undefined;
  }

  /**
   * Reads the next bytes of the connection.
   * @returns the bytes to pass on
   * @throws Error for a packet over the limit that is not a message, and for an invalid length
   */
  take(received: Uint8Array): readonly Uint8Array[] {
    const chunk = this.#held.byteLength > 0 ? Buffer.concat([this.#held, received]) : received;
    this.#held = Buffer.alloc(0);
    const passed: Uint8Array[] = [];
    let from = 0;
    let at = 0;
    while (at < chunk.byteLength) {
      if (this.#passing > 0) {
        const bytes = Math.min(this.#passing, chunk.byteLength - at);
        this.#passing -= bytes;
        at += bytes;
      } else if (this.#oversized) {
        at += this.#leaveOut(this.#oversized, chunk.subarray(at), passed);
        from = at;
      } else {
        const header = headerAt(chunk, at);
        if (!header) break;
        if (!this.#begins(header)) passed.push(chunk.subarray(from, at));
        at += header.bytes;
        if (this.#oversized) from = at;
      }
    }
    passed.push(chunk.subarray(from, at));
    this.#held = Buffer.from(chunk.subarray(at));
    return passed.filter(({ byteLength }) => byteLength > 0);
  }

  /** @returns whether the packet is passed on as it is */
  #begins({ type, lengthBytes }: Header): boolean {
    if (lengthBytes <= this.#packetBytesMax) {
      this.#passing = lengthBytes;
      return true;
    }
    if (type >> 4 !== PUBLISH) throw new OversizedPacket(type, lengthBytes);
    const start = Buffer.alloc(NUMBER_BYTES);
    this.#oversized = {
      type,
      lengthBytes,
      remaining: lengthBytes,
      start,
      filled: 0,
      isTopicLengthKnown: false,
    };
    return false;
  }

  /** @returns the number of bytes that belong to the message */
  #leaveOut(oversized: Oversized, arrived: Uint8Array, passed: Uint8Array[]): number {
    const bytes = Math.min(oversized.remaining, arrived.byteLength);
    const { filled } = oversized;
    fillStart(oversized, arrived.subarray(0, bytes));
    if (oversized.filled > filled && isOfDeviceList(oversized)) {
      const { type, lengthBytes, start } = oversized;
      passed.push(headerOf(type, lengthBytes), start);
      this.#passing = lengthBytes - start.length;
      this.#oversized = undefined;
      return oversized.filled - filled;
    }
    oversized.remaining -= bytes;
    if (oversized.remaining === 0) {
      passed.push(withoutPayload(oversized));
      this.#oversized = undefined;
    }
    return bytes;
  }
}

/** Ends the connection; `code` makes the client report it. */
class OversizedPacket extends Error {
  readonly code = "EMSGSIZE";

  constructor(type: number, lengthBytes: number) {
    super(
      `the broker sent a packet of type ${type >> 4} with ${lengthBytes} bytes; check that it is an MQTT broker`,
    );
  }
}

/** The size of a payload that was left out; undefined for any other payload. */
export function leftOutBytes(payload: Uint8Array): number | undefined {
  if (payload[0] !== 0 || payload.byteLength > 2 * LEFT_OUT.length) return undefined;
  const text = Buffer.from(payload).toString("latin1");
  return text.startsWith(LEFT_OUT) ? Number(text.slice(LEFT_OUT.length)) || 0 : undefined;
}

interface Header {
  readonly type: number;
  readonly lengthBytes: number;
  /** Of the header itself. */
  readonly bytes: number;
}

/** @returns undefined while it is incomplete */
function headerAt(chunk: Uint8Array, at: number): Header | undefined {
  const type = chunk[at] ?? 0;
  let lengthBytes = 0;
  for (let bytes = 1; at + bytes < chunk.byteLength; bytes += 1) {
    if (bytes === HEADER_BYTES_MAX) throw new OversizedPacket(type, lengthBytes);
    const byte = chunk[at + bytes] ?? 0;
    lengthBytes += (byte & 0x7f) * 0x80 ** (bytes - 1);
    if ((byte & 0x80) === 0) return { type, lengthBytes, bytes: bytes + 1 };
  }
  return undefined;
}

function fillStart(oversized: Oversized, arrived: Uint8Array): void {
  const first = Buffer.from(arrived.subarray(0, oversized.start.length - oversized.filled));
  first.copy(oversized.start, oversized.filled);
  oversized.filled += first.length;
  if (oversized.isTopicLengthKnown || oversized.filled < NUMBER_BYTES) return;
  oversized.isTopicLengthKnown = true;
  const idBytes = (oversized.type & QOS_FLAGS) === 0 ? 0 : NUMBER_BYTES;
  const start = Buffer.alloc(NUMBER_BYTES + oversized.start.readUInt16BE() + idBytes);
  oversized.start.copy(start);
  oversized.start = start;
  fillStart(oversized, arrived.subarray(first.length));
}

/** Whether a message has a list of devices, once its topic has arrived. */
function isOfDeviceList({ lengthBytes, start, filled, isTopicLengthKnown }: Oversized): boolean {
  if (!isTopicLengthKnown || filled < start.length || lengthBytes > DEVICE_LIST_BYTES_MAX) return false;
  return isDeviceList(start.toString("utf8", NUMBER_BYTES, NUMBER_BYTES + start.readUInt16BE()));
}

/** The message with the size of its payload in place of it. */
function withoutPayload({ type, lengthBytes, start }: Oversized): Buffer {
  const body = Buffer.concat([start, Buffer.from(`${LEFT_OUT}${lengthBytes - start.length}`, "latin1")]);
  return Buffer.concat([headerOf(type, body.length), body]);
}

function headerOf(type: number, lengthBytes: number): Buffer {
  const header = [type];
  for (let rest = lengthBytes; rest > 0 || header.length === 1; rest >>= 7)
    header.push((rest & 0x7f) | (rest >= 0x80 ? 0x80 : 0));
  return Buffer.from(header);
}
