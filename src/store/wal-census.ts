import { LogPages, withLogFile, type LogFile } from "./log-file.ts";
import type { PageOverlay } from "./pages.ts";
import { FRAME_HEADER_BYTES, LOG_HEADER_BYTES, readHead, type LogFormat } from "./wal-header.ts";
import { isReuse, isSame, readIndex, sumAt, sumOf, type LogIndex, type Sum } from "./wal-index.ts";

/*
 * Inspects the write-ahead log before SQLite opens it. SQLite applies the intact part from the beginning and
 * overwrites the rest without an error, so frames after a flipped bit or a truncation would be lost silently. The
 * layout is that of sqlite.org/fileformat2.html, "The Write-Ahead Log", and sqlite.org/walformat.html for the
 * index.
 */

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
  const index = readIndex(path);
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
  const log = readLog(`${path}-wal`, readIndex(path));
  if (log === undefined) return [{ overlay: new Map(), pageCount: null, pageBytes: 0, lostPages: 0 }];
  const whole = intactUntil(log.frames);
  return [versionOf(log, whole, 0), versionOf(log, 0, whole)];
}

/**
 * Whether the log is another one than the index describes. The index is written after the log. Only an older index, as after a
 * power cut, belongs to a newer log.
 */
function isOtherLog({ salt = "" }: Log, index: LogIndex): boolean {
  return index.frames > index.flushed && !isReuse(salt, index.salt);
}

/** The commits of the missing log are lost; the present log is older or of another database. */
function censusOfOtherLog(log: Log, { frames, flushed }: LogIndex): LogCensus {
  const lostPages = frames - flushed;
  const versions = [0, intactUntil(log.frames)].map((until) => versionOf(log, until, lostPages));
  return { isTorn: false, versions };
}

interface Frame {
  readonly page: number;
  /** Offset of its content in the log. */
  readonly at: number;
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
  readonly path: string;
  readonly salt: string | undefined;
  readonly pageBytes: number;
  readonly frames: readonly Frame[];
}

function readLog(path: string, index: LogIndex | undefined): Log | undefined {
  const head = readHead(path, index);
  if (head === undefined) return index && { path, salt: undefined, pageBytes: index.pageBytes, frames: [] };
  const { format, seeds } = head;
  const frames = withLogFile(path, (file) => framesOf(file, format, seeds));
  return { path, salt: format.salt, pageBytes: format.pageBytes, frames };
}

/** After a damaged frame one of two checksums may be right; after several none is. */
const SEEDS_MAX = 2;

/** The frames up to the last one of the current use of the log. */
function framesOf(file: LogFile, format: LogFormat, firstSeeds: readonly Sum[]): Frame[] {
  const frames: Frame[] = [];
  const bytes = Buffer.alloc(FRAME_HEADER_BYTES + format.pageBytes);
  let seeds = firstSeeds;
  for (let at = LOG_HEADER_BYTES; at + bytes.length <= file.bytes; at += bytes.length) {
    if (!file.fill(bytes, at)) break;
    const { frame, sums, stored } = frameIn(bytes, at, format, seeds);
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

/** @param offset of the frame in the log */
function frameIn(bytes: Buffer, offset: number, { salt, isBigEndian }: LogFormat, seeds: readonly Sum[]) {
  const head = bytes.subarray(0, FRAME_HEADER_BYTES);
  const content = bytes.subarray(FRAME_HEADER_BYTES);
  const pageCount = head.readUInt32BE(4);
  const frame = {
    page: head.readUInt32BE(0),
    at: offset + FRAME_HEADER_BYTES,
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

function versionOf({ path, frames, pageBytes }: Log, until: number, lostPages: number): LogVersion {
  const used = frames.slice(0, until);
  const highest = used.reduce((most, { page, isWhole }) => (isWhole ? Math.max(most, page) : most), 0);
  const places = new Map<number, number>();
  // The header of a damaged frame may contain any page number.
  for (const { page, at } of used) if (page > 0 && page <= highest) places.set(page, at);
  const last = used.at(-1);
  const pageCount = last?.isWhole === true && last.commits ? last.pageCount : null;
  if (pageCount !== null) for (const page of places.keys()) if (page > pageCount) places.delete(page);
  return { overlay: new LogPages(path, places, pageBytes), pageCount, pageBytes, lostPages };
}

/** Whether two databases have swapped logs, as after a manual copy. */
export function haveSwappedLogs(path: string, other: string): boolean {
  const [own, foreign] = [readIndex(path), readIndex(other)];
  const [log, otherLog] = [readHead(`${path}-wal`, own), readHead(`${other}-wal`, foreign)];
  if (!own || !foreign || !log || !otherLog) return false;
  return own.salt !== foreign.salt && log.format.salt === foreign.salt && otherLog.format.salt === own.salt;
}
