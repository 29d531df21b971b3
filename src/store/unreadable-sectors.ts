import { readSync } from "node:fs";

/** The kernel reads whole pages, so that what surrounds an unreadable sector is unreadable too. */
const PIECE_BYTES = 4096;

/** Whether an error is that of a sector that the disk cannot read. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EIO";
}

/**
 * Fills a buffer from an offset of an open file, with zeros for what the disk cannot read or what is beyond the end: one bad
 * sector must not hide the rest.
 * @throws as `readSync`, but not for `EIO`
 */
export function readWhatIsReadable(file: number, buffer: Buffer, offset: number): void {
  if (isReadInto(file, buffer, offset)) return;
  for (let at = 0; at < buffer.length;) {
    const bytes = Math.min(buffer.length - at, PIECE_BYTES - ((offset + at) % PIECE_BYTES));
    isReadInto(file, buffer.subarray(at, at + bytes), offset + at);
    at += bytes;
  }
}

/** Reads, with zeros for what is beyond the end. @returns false if the disk could not read all of it: then all is zeros */
function isReadInto(file: number, buffer: Buffer, offset: number): boolean {
  try {
    buffer.fill(0, readSync(file, buffer, 0, buffer.length, offset));
    return true;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    buffer.fill(0);
    return false;
  }
}
