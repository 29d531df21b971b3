/** How a panel deviates from the standard's frame; the reply takes the same form. */
export interface Dialect {
  /** The checksum is two raw bytes, not four hexadecimal digits (Trikdis E16, Lupusec). */
  readonly hasBinaryCrc: boolean;
  /** Checksum and length cover the closing CR too (Eldes without a timestamp). */
  readonly coversCr: boolean;
}

/** The form of the standard. */
export const STANDARD: Dialect = { hasBinaryCrc: false, coversCr: false };

/** What was read: a body whose checksum and length hold, or why it is dropped without a reply. */
export type FrameRead =
  | { readonly body: Buffer; readonly dialect: Dialect }
  | { readonly refusal: "crc" | "length" | "too-long" };

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
/** The length field is `0LLL` (DC-09, 5.5.1.3), so a body has at most 4,095 bytes. */
const BODY_MAX = 0xfff;
/** LF, four digits of the checksum, four of the length. */
const HEAD_MAX = 9;
const FRAME_MAX = HEAD_MAX + BODY_MAX + 1;

/**
 * Reads frames from the bytes of one connection or datagram, in any cut. Bytes outside frames, such as a NUL after the
 * CR, are skipped. Never throws; holds one incomplete frame at most.
 */
export class FrameReader {
  #pending: Buffer = Buffer.alloc(0);

  /** Whether a frame has begun and is not complete. */
  get isIncomplete(): boolean {
    return this.#pending.length > 0;
  }

  /** Takes the next bytes. @returns the frames that are now complete, in order */
  push(bytes: Uint8Array): FrameRead[] {
    const buffer = this.#pending.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#pending, bytes]);
    const reads: FrameRead[] = [];
    let at = buffer.indexOf(LF);
    while (at >= 0) {
      const step = readAt(buffer, at);
      if (step === "incomplete") break;
      if (step.read) reads.push(step.read);
      at = buffer.indexOf(LF, step.nextAt);
    }
    // A copy: a slice would keep the whole buffer in memory.
    this.#pending = at < 0 ? Buffer.alloc(0) : Buffer.from(buffer.subarray(at));
    return reads;
  }
}

type Step = "incomplete" | { readonly read?: FrameRead; readonly nextAt: number };

/** Reads the frame that may begin at an LF. */
function readAt(buffer: Buffer, at: number): Step {
  const headBytes = headBytesAt(buffer, at);
  if (headBytes === "incomplete") return "incomplete";
  // An LF without a frame, or one of the two raw bytes of a checksum.
  if (headBytes === undefined) return { nextAt: at + 1 };
  const from = at + headBytes;
  // Not beyond the longest frame or the next LF: each byte is read once, however many frames have begun without an end.
  const longest = buffer.subarray(from, at + FRAME_MAX);
  const restart = longest.indexOf(LF);
  const bodyBytes = longest.subarray(0, restart < 0 ? longest.length : restart).indexOf(CR);
  // The sender began a new frame within this one.
  if (bodyBytes < 0 && restart >= 0) return { read: { refusal: "crc" }, nextAt: from + restart };
  if (bodyBytes < 0) {
    if (buffer.length - at < FRAME_MAX) return "incomplete";
    return { read: { refusal: "too-long" }, nextAt: at + FRAME_MAX };
  }
  const end = from + bodyBytes;
  const hasBinaryCrc = headBytes < HEAD_MAX;
  const crc = hasBinaryCrc ? buffer.readUInt16BE(at + 1) : hexAt(buffer, at + 1);
  const length = hexAt(buffer, from - 4);
  return { read: checked(buffer.subarray(from, end), crc, length, hasBinaryCrc), nextAt: end + 1 };
}

/**
 * Length of LF, checksum and length field. A raw checksum may contain any byte, so the quote that begins the body tells
 * which form it is.
 */
function headBytesAt(buffer: Buffer, at: number): number | "incomplete" | undefined {
  for (const crcBytes of [4, 2]) {
    const quoteAt = at + 1 + crcBytes + 4;
    const isComplete = quoteAt < buffer.length;
    // The quote first: most LFs in other data are dismissed by one comparison.
    if (isComplete && buffer[quoteAt] !== QUOTE) continue;
    const hexFrom = crcBytes === 4 ? at + 1 : at + 3;
    if (!areHex(buffer, hexFrom, Math.min(quoteAt, buffer.length))) continue;
    return isComplete ? quoteAt - at : "incomplete";
  }
  return undefined;
}

function checked(body: Buffer, crc: number, length: number, hasBinaryCrc: boolean): FrameRead {
  if (body.length > BODY_MAX) return { refusal: "too-long" };
  const own = crc16(body);
  const coversCr = own !== crc && crc16(Uint8Array.of(CR), own) === crc;
  if (own !== crc && !coversCr) return { refusal: "crc" };
  if (length !== body.length + Number(coversCr)) return { refusal: "length" };
  return { body: Buffer.from(body), dialect: { hasBinaryCrc, coversCr } };
}

function areHex(buffer: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const byte = buffer[at] ?? 0;
    const isDigit = byte >= 0x30 && byte <= 0x39;
    // Without the bit of small letters.
    const capital = byte & 0xdf;
    if (!isDigit && (capital < 0x41 || capital > 0x46)) return false;
  }
  return true;
}

function hexAt(buffer: Buffer, at: number): number {
  return Number.parseInt(buffer.toString("latin1", at, at + 4), 16);
}

/** Writes a body as a frame. @param body without LF, checksum, length and CR */
export function frameOf(body: Buffer, { hasBinaryCrc, coversCr }: Dialect = STANDARD): Buffer {
  const covered = coversCr ? Buffer.concat([body, Buffer.of(CR)]) : body;
  const crc = crc16(covered);
  const head = hasBinaryCrc ? Buffer.of(crc >> 8, crc & 0xff) : Buffer.from(hex4(crc), "latin1");
  return Buffer.concat([
    Buffer.of(LF),
    head,
    Buffer.from(hex4(covered.length), "latin1"),
    body,
    Buffer.of(CR),
  ]);
}

function hex4(value: number): string {
  return value.toString(16).toUpperCase().padStart(4, "0");
}

/** The polynomial of DC-09 (annex A), bits in reversed order. */
const POLYNOMIAL = 0xa001;

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1)
    remainder = (remainder & 1) === 1 ? (remainder >> 1) ^ POLYNOMIAL : remainder >> 1;
  return remainder;
});

/**
 * The checksum of a frame: CRC-16 with a start of 0.
 * @param start the checksum of the bytes before, to continue it
 */
function crc16(bytes: Uint8Array, start = 0): number {
  let crc = start;
  for (const byte of bytes) crc = (crc >> 8) ^ (TABLE[(crc ^ byte) & 0xff] ?? 0);
  return crc;
}
