import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";

const BLOCK_BYTES = 16;
/** DC-09, 5.4.6: each message starts with an initialisation vector of zero. */
const ZERO_VECTOR = Buffer.alloc(BLOCK_BYTES);

/**
 * Decrypts with AES in CBC mode.
 * @param digits hexadecimal
 * @param key 16, 24 or 32 bytes
 * @returns undefined if the digits are not whole blocks
 */
export function decrypted(digits: string, key: Buffer): Buffer | undefined {
  if (!/^(?:[0-9A-F]{32})+$/i.test(digits)) return undefined;
  const decipher = createDecipheriv(`aes-${key.length * 8}-cbc`, key, ZERO_VECTOR).setAutoPadding(false);
  return Buffer.concat([decipher.update(digits, "hex"), decipher.final()]);
}

/**
 * Encrypts with AES in CBC mode.
 * @param content with padding, whole blocks
 * @returns hexadecimal digits
 */
export function encrypted(content: Buffer, key: Buffer): string {
  const cipher = createCipheriv(`aes-${key.length * 8}-cbc`, key, ZERO_VECTOR).setAutoPadding(false);
  return Buffer.concat([cipher.update(content), cipher.final()])
    .toString("hex")
    .toUpperCase();
}

/**
 * Bytes for the padding of a content. Only owners of the key can predict them, so that a content of ours that is sent back is
 * recognised; the same content gets the same bytes.
 * @param content with everything that distinguishes it
 */
export function keyedBytes(content: string, key: Buffer): Uint8Array {
  return createHmac("sha256", key).update(content).digest();
}

/**
 * Padding that fills a content of this length to whole blocks; a content of whole blocks gets another one (DC-09, 5.4.4.3).
 * @param random bytes for it, at least 16; characters that have a meaning in a message are avoided
 */
export function paddingFor(contentBytes: number, random: Uint8Array): string {
  const length = BLOCK_BYTES - (contentBytes % BLOCK_BYTES);
  return Array.from(random.subarray(0, length), (byte) => String.fromCharCode(0x41 + (byte % 26))).join("");
}
