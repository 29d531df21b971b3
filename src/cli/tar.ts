/** One file of an archive. */
export interface TarEntry {
  /** Path with slashes, at most 100 bytes. */
  readonly name: string;
  readonly content: string;
}

const BLOCK = 512;

/**
 * Creates a POSIX ustar archive (IEEE 1003.1, pax, "ustar Interchange Format").
 * @param mtimeMs modification time of all files, milliseconds since 1970
 * @throws Error if a name does not fit the header
 */
export function tarArchive(entries: readonly TarEntry[], mtimeMs: number): Buffer {
  const blocks = entries.flatMap(({ name, content }) => {
    const bytes = Buffer.from(content);
    return [header(name, bytes.length, mtimeMs), bytes, Buffer.alloc(-bytes.length & (BLOCK - 1))];
  });
  // Two empty blocks end the archive.
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
  // The checksum field counts as spaces.
  block.fill(" ", 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\u0000 `, 148);
  return block;
}
