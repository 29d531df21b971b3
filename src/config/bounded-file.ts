import { closeSync, openSync, readSync } from "node:fs";

/**
 * Reads a text file of limited size. The limit applies to what is read, because a device such as `/dev/zero` and a pipe
 * have no size.
 * @param bytesMax a larger file is the wrong one
 * @throws Error of the file system, or one that names the limit
 */
export function readBounded(path: string, bytesMax: number): string {
  return readBoundedBytes(path, bytesMax).toString("utf8");
}

/** As `readBounded`, without decoding. */
export function readBoundedBytes(path: string, bytesMax: number): Buffer {
  const descriptor = openSync(path, "r");
  try {
    const chunks: Buffer[] = [];
    let total = 0;
    while (true) {
      // One byte more than allowed shows that there is more.
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytesMax + 1 - total));
      const bytes = readSync(descriptor, chunk);
      if (bytes === 0) return Buffer.concat(chunks, total);
      chunks.push(chunk.subarray(0, bytes));
      total += bytes;
      if (total > bytesMax) throw new Error(`it is larger than ${bytesMax} bytes`);
    }
  } finally {
    closeSync(descriptor);
  }
}

const CHUNK_BYTES = 65_536;

/** Far above any configuration, certificate, key, password or list of objectives. */
export const FILE_BYTES_MAX = 1_048_576;
