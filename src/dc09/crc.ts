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
export function crc16(bytes: Uint8Array, start = 0): number {
  let crc = start;
  for (const byte of bytes) crc = (crc >> 8) ^ (TABLE[(crc ^ byte) & 0xff] ?? 0);
  return crc;
}
