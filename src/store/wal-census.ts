import { readFileSync, statSync } from "node:fs";
import { isSame, readIndex, sumAt, sumOf, type LogIndex, type Sum } from "./wal-index.ts";
import { DEFAULT_PAGE_BYTES, type PageOverlay } from "./pages.ts";

/*
 * Inspects the write-ahead log before SQLite opens it. SQLite applies the intact part from the beginning and
 * overwrites the rest without an error, so frames after a flipped bit or a truncation would be lost silently. The
 * layout is that of sqlite.org/fileformat2.html, "The Write-Ahead Log", and sqlite.org/walformat.html for the
 * index.
 */

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x37_7f_06_82;
/** Maximum size read. A log restarts at a thousand pages, about 4 MB; a long read can make it larger. */
const LOG_BYTES_MAX = 64 * 1_048_576;

/** What a write-ahead log has lost, and which states can be recovered. */
export interface LogCensus {
  /** Whether the last commit may be an unacknowledged one that a power cut interrupted. */
  readonly isTorn: boolean;
  /** The recoverable states, best first. */
  readonly versions: readonly LogVersion[];
}

/** A state of the database: newer content of some pages, and the number of pages. */
export interface LogVersion {
  readonly overlay: PageOverlay;
  /** Null if the log does not contain it. */
  readonly pageCount: number | null;
  readonly pageBytes: number;
  /** Committed pages of the log that are missing or damaged. */
  readonly lostPages: number;
}

/**
 * Inspects the log of a closed database.
 * @param path path of the database
 * @returns undefined if every committed page of the log is intact, or if there is no log
 */
export function logCensus(path: string): LogCensus | undefined {
  const index = readIndex(`${path}-shm`);
  const log = readLog(`${path}-wal`, index);
  if (log === undefined) return undefined;
  const isOwn = index !== undefined && (log.salt === undefined || log.salt === index.salt);
  if (index && !isOwn && isOtherLog(log, index)) return censusOfOtherLog(log, index);
  const { frames } = log;
  const whole = intactUntil(frames);
  const committed = isOwn ? Math.max(index.frames, certainEnd(frames, whole)) : lastCommit(frames);
  const flushed = isOwn ? index.flushed : 0;
  if (whole >= committed || flushed >= committed) return undefined;
  const isTorn = !isOwn && frames.slice(whole, committed).filter(({ commits }) => commits).length === 1;
  const wrong = frames.slice(0, committed).filter(({ isWhole }) => !isWhole).length;
  const isAllThere = frames.length >= committed && !isTorn;
  return {
    isTorn,
    versions: [
      ...(isAllThere ? [versionOf(log, committed, wrong)] : []),
      // Never replace a page by an older state than the one already checkpointed.
      ...(whole >= flushed ? [versionOf(log, whole, committed - whole)] : []),
      versionOf(log, 0, committed - flushed),
    ],
  };
}

/**
 * The states of a database that cannot be opened: with the part of the log that SQLite would apply, and without the
 * log.
 */
export function versionsOf(path: string): readonly LogVersion[] {
  const log = readLog(`${path}-wal`, readIndex(`${path}-shm`));
  if (log === undefined) return [{ overlay: new Map(), pageCount: null, pageBytes: 0, lostPages: 0 }];
  const whole = intactUntil(log.frames);
  return [versionOf(log, whole, 0), versionOf(log, 0, whole)];
}

/**
 * Whether the log is another one than the index describes. Each reuse of a log increments the first half of its
 * salt, and the index is written after the log. Only an older index, as after a power cut, belongs to a newer log.
 */
function isOtherLog({ salt = "" }: Log, index: LogIndex): boolean {
  const ahead = (Number.parseInt(salt.slice(0, 8), 16) - Number.parseInt(index.salt.slice(0, 8), 16)) >>> 0;
  return index.frames > index.flushed && (ahead === 0 || ahead > REUSES_MAX);
}

/** Upper bound of the reuses of a log while its index is outdated. */
const REUSES_MAX = 1_000;

/** The commits of the missing log are lost; the present log is older or of another database. */
function censusOfOtherLog(log: Log, { frames, flushed }: LogIndex): LogCensus {
  const lostPages = frames - flushed;
  const versions = [0, intactUntil(log.frames)].map((until) => versionOf(log, until, lostPages));
  return { isTorn: false, versions };
}

interface Frame {
  readonly page: number;
  readonly content: Buffer;
  /** Number of database pages after the commit that this frame ends; 0 if it ends none. */
  readonly pageCount: number;
  readonly commits: boolean;
  /** Whether its salt is that of the log, not of an earlier use. */
  readonly isCurrent: boolean;
  /** Whether SQLite applies it, provided it applies all before it. */
  readonly isIntact: boolean;
  /** Whether its content is as written, even if its header is damaged. */
  isWhole: boolean;
}

interface Log {
  readonly salt: string | undefined;
  readonly pageBytes: number;
  readonly frames: readonly Frame[];
}

function readLog(path: string, index: LogIndex | undefined): Log | undefined {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_BYTES_MAX) return undefined;
  const bytes = size === 0 ? Buffer.alloc(0) : readFileSync(path);
  if (bytes.length < LOG_HEADER_BYTES)
    return index && { salt: undefined, pageBytes: index.pageBytes, frames: [] };
  const header = bytes.subarray(0, LOG_HEADER_BYTES);
  const magic = header.readUInt32BE(0);
  const isBigEndian = magic === MAGIC + 1;
  const stored = sumAt(header, 24);
  const computed = sumOf([0, 0], header.subarray(0, 24), isBigEndian);
  const isWhole = (magic | 1) === (MAGIC | 1) && isSame(computed, stored);
  const pageBytes = isWhole ? pageBytesOf(header.readUInt32BE(8)) : (index?.pageBytes ?? DEFAULT_PAGE_BYTES);
  const salt = isWhole ? header.toString("hex", 16, 24) : (index?.salt ?? commonSalt(bytes, pageBytes));
  // Candidates for the checksum before a frame: as stored, or as computed from what precedes it.
  const seeds = isWhole ? [stored] : [stored, computed];
  const frames = framesOf(bytes, { pageBytes, salt, isBigEndian, isHeaderIntact: isWhole }, seeds);
  return { salt, pageBytes, frames };
}

function pageBytesOf(stored: number): number {
  return stored >= 512 && stored <= 65_536 && (stored & (stored - 1)) === 0 ? stored : DEFAULT_PAGE_BYTES;
}

/** After a damaged frame one of two checksums may be right; after several none is. */
const SEEDS_MAX = 2;

interface LogFormat {
  readonly pageBytes: number;
  readonly salt: string;
  readonly isBigEndian: boolean;
  /** Without an intact header SQLite applies nothing of the log. */
  readonly isHeaderIntact: boolean;
}

/** The frames up to the last one of the current use of the log. */
function framesOf(bytes: Buffer, format: LogFormat, firstSeeds: readonly Sum[]): Frame[] {
  const frames: Frame[] = [];
  const frameBytes = FRAME_HEADER_BYTES + format.pageBytes;
  let seeds = firstSeeds;
  for (let at = LOG_HEADER_BYTES; at + frameBytes <= bytes.length; at += frameBytes) {
    const { frame, sums, stored } = frameAt(bytes.subarray(at, at + frameBytes), format, seeds);
    const fitting = sums.findIndex((sum) => isSame(sum, stored));
    const before = frames.at(-1);
    // Only the checksum of the previous frame is damaged, not its content.
    if (fitting > 0 && before) before.isWhole = true;
    const isIntact = format.isHeaderIntact && fitting === 0 && frame.isCurrent;
    frames.push({ ...frame, isIntact, isWhole: fitting >= 0 });
    seeds = fitting >= 0 ? [stored] : [stored, ...sums.slice(0, SEEDS_MAX)];
  }
  let end = frames.findLastIndex(({ isCurrent }) => isCurrent) + 1;
  // Checksums are chained, so a frame with a matching one belongs to the log even if its salt differs.
  while (frames[end]?.isWhole === true) end += 1;
  return frames.slice(0, end);
}

function frameAt(bytes: Buffer, { salt, isBigEndian }: LogFormat, seeds: readonly Sum[]) {
  const head = bytes.subarray(0, FRAME_HEADER_BYTES);
  const content = bytes.subarray(FRAME_HEADER_BYTES);
  const pageCount = head.readUInt32BE(4);
  const frame = {
    page: head.readUInt32BE(0),
    content,
    pageCount,
    commits: pageCount > 0,
    isCurrent: head.toString("hex", 8, 16) === salt,
  };
  const sums = seeds.map((seed) =>
    sumOf(sumOf(seed, head.subarray(0, 8), isBigEndian), content, isBigEndian),
  );
  return { frame, sums, stored: sumAt(head, 16) };
}

/** Number of frames that SQLite applies: up to the last commit before any damage. */
function intactUntil(frames: readonly Frame[]): number {
  const broken = frames.findIndex(({ isIntact }) => !isIntact);
  return frames.slice(0, broken < 0 ? frames.length : broken).findLastIndex(({ commits }) => commits) + 1;
}

/** The end of the last commit among the frames, intact or not. */
function lastCommit(frames: readonly Frame[]): number {
  return frames.findLastIndex(({ commits }) => commits) + 1;
}

/**
 * The end of the commits that the index does not know, as after a power cut. A damaged commit followed by another
 * one was durable, because the next starts only after that.
 */
function certainEnd(frames: readonly Frame[], whole: number): number {
  const isCertain = frames.slice(whole).filter(({ commits }) => commits).length > 1;
  return isCertain ? lastCommit(frames) : 0;
}

function versionOf({ frames, pageBytes }: Log, until: number, lostPages: number): LogVersion {
  const used = frames.slice(0, until);
  const highest = Math.max(0, ...used.map(({ page, isWhole }) => (isWhole ? page : 0)));
  const overlay = new Map<number, Uint8Array>();
  // The header of a damaged frame may contain any page number.
  for (const { page, content } of used) if (page > 0 && page <= highest) overlay.set(page, content);
  const last = used.at(-1);
  const pageCount = last?.isWhole === true && last.commits ? last.pageCount : null;
  if (pageCount !== null) for (const page of overlay.keys()) if (page > pageCount) overlay.delete(page);
  return { overlay, pageCount, pageBytes, lostPages };
}

/** The most frequent salt of the frames, if the header of the log is unreadable. */
function commonSalt(bytes: Buffer, pageBytes: number): string {
  const counts = new Map<string, number>();
  for (
    let at = LOG_HEADER_BYTES;
    at + FRAME_HEADER_BYTES <= bytes.length;
    at += FRAME_HEADER_BYTES + pageBytes
  ) {
    const salt = bytes.toString("hex", at + 8, at + 16);
    counts.set(salt, (counts.get(salt) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? "";
}

/** Whether two databases have swapped logs, as after a manual copy. */
export function haveSwappedLogs(path: string, other: string): boolean {
  const [own, foreign] = [readIndex(`${path}-shm`), readIndex(`${other}-shm`)];
  const [log, otherLog] = [readLog(`${path}-wal`, own), readLog(`${other}-wal`, foreign)];
  if (!own || !foreign || !log || !otherLog) return false;
  return own.salt !== foreign.salt && log.salt === foreign.salt && otherLog.salt === own.salt;
}
