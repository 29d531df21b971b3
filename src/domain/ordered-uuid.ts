/**
 * A UUID of version 7 (RFC 9562, 5.7): the moment first, so that the keys of one moment lie side by side in an index and
 * a shared commit writes one page of it. With random keys each record touches a page of its own: more to flush, more
 * wear of the card.
 * @param wallMs milliseconds since 1970; a clock that is set makes keys that are out of order and no less unique
 * @param random ten random bytes, of which 74 bits are used
 */
export function orderedUuid(wallMs: number, random: Uint8Array): string {
  const time = Math.max(0, Math.floor(wallMs)).toString(16).padStart(12, "0").slice(-12);
  const [a = 0, b = 0, c = 0] = random;
  const version = (0x7000 | ((a & 0x0f) << 8) | b).toString(16);
  const variant = hexOf(0x80 | (c & 0x3f)) + hexOf(random[3] ?? 0);
  const rest = [...random.subarray(4, 10)].map(hexOf).join("");
  return `${time.slice(0, 8)}-${time.slice(8)}-${version}-${variant}-${rest}`;
}

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
