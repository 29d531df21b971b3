/** One file of an archive. */
export interface TarEntry {
  /** At most 100 bytes, with slashes between folders. */
  readonly name: string;
  readonly content: string;
}

const BLOCK = 512;

/**
 * Packs files as POSIX ustar (IEEE 1003.1, pax, "ustar Interchange Format"), which every tar unpacks.
 * @param mtimeMs when the files were made, milliseconds since 1970
 * @throws Error for a name that does not fit a header
 */
export function tarArchive(entries: readonly TarEntry[], mtimeMs: number): Buffer {
  const blocks = entries.flatMap(({ name, content }) => {
    const bytes = Buffer.from(content);
    return [header(name, bytes.length, mtimeMs), bytes, Buffer.alloc(-bytes.length & (BLOCK - 1))];
  });
  // Two empty blocks are the end.
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function header(name: string, sizeBytes: number, mtimeMs: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for an archive`);
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");
  block.write(name, 0);
  block.write(octal(0o600, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(sizeBytes, 11), 124);
  block.write(octal(Math.floor(mtimeMs / 1000), 11), 136);
  block.write("0", 156);
  block.write("ustar\u000000", 257);
  // The sum of all bytes, with spaces where it is going to stand.
  block.fill(" ", 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\u0000 `, 148);
  return block;
}
