import { existsSync } from "node:fs";
import { endianness } from "node:os";
import { withLogFile } from "./log-file.ts";

/** How far a write-ahead log goes, as its index (`-shm`) or its mark says. */
export interface LogIndex {
  /** Pages committed to the log. */
  readonly frames: number;
  /** Pages of these that are certainly in the database file. */
  readonly flushed: number;
  readonly salt: string;
  readonly pageBytes: number;
}

const INDEX_HEADER_BYTES = 48;
/** Length of a mark; longer than its longest text. */
const MARK_BYTES = 96;

/**
 * Reads the end of the log of a database from its index or its mark, whichever knows later commits. A killed process leaves both
 * behind. They are written after the fsync of the log, so they never promise more than the log has.
 * @returns undefined if neither exists, or both are invalid or being written
 */
export function readIndex(path: string): LogIndex | undefined {
  const index = readIndexFile(`${path}-shm`);
  // Another program that has removed the log knows nothing of the mark.
  const mark = existsSync(`${path}-wal`) ? readMark(`${path}-mark`) : undefined;
  if (index === undefined || mark === undefined) return index ?? mark;
  if (index.salt !== mark.salt) return isReuse(mark.salt, index.salt) ? mark : index;
  return {
    ...index,
    frames: Math.max(index.frames, mark.frames),
    flushed: Math.max(index.flushed, mark.flushed),
  };
}

/** Upper bound of the reuses of a log while its index is outdated. */
const REUSES_MAX = 1_000;

/** Whether a log with one salt is a later use of the log with another one: each use increments the first half. */
export function isReuse(salt: string, earlier: string): boolean {
  const ahead = (Number.parseInt(salt.slice(0, 8), 16) - Number.parseInt(earlier.slice(0, 8), 16)) >>> 0;
  return ahead > 0 && ahead <= REUSES_MAX;
}

function readIndexFile(path: string): LogIndex | undefined {
  if (!existsSync(path)) return undefined;
  const bytes = Buffer.alloc(2 * INDEX_HEADER_BYTES + 4);
  if (!withLogFile(path, (file) => file.fill(bytes, 0))) return undefined;
  const [first, second] = [
    bytes.subarray(0, INDEX_HEADER_BYTES),
    bytes.subarray(INDEX_HEADER_BYTES, 2 * INDEX_HEADER_BYTES),
  ];
  const isBigEndian = endianness() === "BE";
  const read = (at: number): number => (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at));
  const stored: Sum = [read(40), read(44)];
  if (!first.equals(second) || !isSame(sumOf([0, 0], first.subarray(0, 40), isBigEndian), stored))
    return undefined;
  const frames = read(16);
  const pageBytes = isBigEndian ? bytes.readUInt16BE(14) : bytes.readUInt16LE(14);
  const flushed = Math.min(read(2 * INDEX_HEADER_BYTES), frames);
  return {
    frames,
    flushed,
    salt: first.toString("hex", 32, 40),
    pageBytes: pageBytes === 1 ? 65_536 : pageBytes,
  };
}

/** The content of a mark: always of the same length, and with a checksum. */
export function markText({ salt, pageBytes, frames, flushed }: LogIndex): string {
  const text = `${salt} ${pageBytes} ${frames} ${flushed}`;
  return `${text} ${markSum(text)}`.padEnd(MARK_BYTES);
}

function readMark(path: string): LogIndex | undefined {
  if (!existsSync(path)) return undefined;
  const bytes = Buffer.alloc(MARK_BYTES);
  if (!withLogFile(path, (file) => file.fill(bytes, 0))) return undefined;
  const content = bytes.toString("latin1").trimEnd();
  const text = content.slice(0, content.lastIndexOf(" "));
  const [salt = "", ...numbers] = text.split(" ");
  const [pageBytes = 0, frames = 0, flushed = 0] = numbers.map(Number);
  return content === `${text} ${markSum(text)}` ? { salt, pageBytes, frames, flushed } : undefined;
}

function markSum(text: string): string {
  return sumOf([0, 0], Buffer.from(text.padEnd(MARK_BYTES)), false)
    .map((half) => half.toString(16))
    .join("-");
}

/** The two halves of a checksum ("Checksum Algorithm"). */
export type Sum = readonly [number, number];

export function sumOf(seed: Sum, bytes: Buffer, isBigEndian: boolean): Sum {
  let [a, b] = seed;
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    a = (a + (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + b) >>> 0;
    b = (b + (isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + a) >>> 0;
  }
  return [a, b];
}

export function sumAt(bytes: Buffer, at: number): Sum {
  return [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
}

export function isSame([a, b]: Sum, [c, d]: Sum): boolean {
  return a === c && b === d;
}
