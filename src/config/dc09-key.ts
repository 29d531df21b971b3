/** Bytes of a key for AES-128, AES-192 and AES-256. */
const KEY_BYTES = [16, 24, 32];

/**
 * Reads a key as panels show it: hexadecimal digits, or the bytes themselves as characters (Ajax).
 * @returns hexadecimal digits in capitals; undefined for any other length. 32 hexadecimal digits are 16 bytes
 */
export function dc09KeyOf(text: string): string | undefined {
  const digits = text.replaceAll(/[\s:-]/g, "");
  if (/^[0-9A-F]+$/i.test(digits) && KEY_BYTES.includes(digits.length / 2)) return digits.toUpperCase();
  const bytes = Buffer.from(text, "latin1");
  return KEY_BYTES.includes(bytes.length) && /^[\x20-\x7e]+$/.test(text)
    ? bytes.toString("hex").toUpperCase()
    : undefined;
}
