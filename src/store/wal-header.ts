import { existsSync } from "node:fs";
import { withLogFile, type LogFile } from "./log-file.ts";
import { DEFAULT_PAGE_BYTES } from "./pages.ts";
import { isSame, sumAt, sumOf, type LogIndex, type Sum } from "./wal-index.ts";

export const LOG_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x37_7f_06_82;

export interface LogFormat {
  readonly pageBytes: number;
  readonly salt: string;
  readonly isBigEndian: boolean;
  /** Without an intact header SQLite applies nothing of the log. */
  readonly isHeaderIntact: boolean;
}

interface LogHead {
  readonly format: LogFormat;
  /** Candidates for the checksum before the first frame: as stored, or as computed from the header. */
  readonly seeds: readonly Sum[];
}

/** Reads the header of a log; undefined if the log is missing or shorter. What is damaged is taken from the index or the frames. */
export function readHead(path: string, index: LogIndex | undefined): LogHead | undefined {
  if (!existsSync(path)) return undefined;
  return withLogFile(path, (file) => {
    const header = Buffer.alloc(LOG_HEADER_BYTES);
    if (!file.fill(header, 0)) return undefined;
    const magic = header.readUInt32BE(0);
    const isBigEndian = magic === MAGIC + 1;
    const stored = sumAt(header, 24);
    const computed = sumOf([0, 0], header.subarray(0, 24), isBigEndian);
    const isWhole = (magic | 1) === (MAGIC | 1) && isSame(computed, stored);
    const pageBytes = isWhole
      ? pageBytesOf(header.readUInt32BE(8))
      : (index?.pageBytes ?? DEFAULT_PAGE_BYTES);
    const salt = isWhole ? header.toString("hex", 16, 24) : (index?.salt ?? commonSalt(file, pageBytes));
    const format = { pageBytes, salt, isBigEndian, isHeaderIntact: isWhole };
    return { format, seeds: isWhole ? [stored] : [stored, computed] };
  });
}

/** The page size in a header; that of our files if it is none. */
export function pageBytesOf(stored: number): number {
  return stored >= 512 && stored <= 65_536 && (stored & (stored - 1)) === 0 ? stored : DEFAULT_PAGE_BYTES;
}

/** The most frequent salt of the frames, if the header of the log is unreadable. */
function commonSalt(file: LogFile, pageBytes: number): string {
  const counts = new Map<string, number>();
  const head = Buffer.alloc(FRAME_HEADER_BYTES);
  for (let at = LOG_HEADER_BYTES; file.fill(head, at); at += FRAME_HEADER_BYTES + pageBytes) {
    const salt = head.toString("hex", 8, 16);
    counts.set(salt, (counts.get(salt) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? "";
}
