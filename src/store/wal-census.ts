import { readFileSync, statSync } from "node:fs";
import { isSame, readIndex, sumAt, sumOf, type LogIndex, type Sum } from "./wal-index.ts";
import type { PageOverlay } from "./pages.ts";

/*
 * The write-ahead log before SQLite opens it: SQLite takes what is whole from its beginning and writes over the rest, so
 * what a flipped bit or a cut has taken away is gone afterwards, and no error says that it was there. The layout is that
 * of sqlite.org/fileformat2.html, "The Write-Ahead Log", and sqlite.org/walformat.html for the index beside it.
 */

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x37_7f_06_82;
/** A log is written over from its beginning at a thousand pages, some 4 MB; one that a reader has held up may be longer. */
const LOG_BYTES_MAX = 64 * 1_048_576;

/** What a write-ahead log has lost, and what of it can still be used. */
export interface LogCensus {
  /** The last commit may be one that was never acknowledged: the power may have gone in the middle of it. */
  readonly isTorn: boolean;
  /** What the database may be made of, the best first. */
  readonly versions: readonly LogVersion[];
}

/** A state of the database: the newest content of some pages, and how many pages there are in all. */
export interface LogVersion {
  readonly overlay: PageOverlay;
  /** Null where the log says nothing about it. */
  readonly pageCount: number | null;
  readonly pageBytes: number;
  /** Committed pages of the log that are not in it, or are not what was written. */
  readonly lostPages: number;
}

/**
 * Looks at the log of a database that is not open.
 * @param path the database's
 * @returns undefined when every committed page of the log is whole, or when there is none
 */
export function logCensus(path: string): LogCensus | undefined {
  const index = readIndex(`${path}-shm`);
  const log = readLog(`${path}-wal`, index);
  if (log === undefined) return undefined;
  const isOwn = index !== undefined && (log.salt === undefined || log.salt === index.salt);
  if (index && !isOwn && isAnother(log, index)) return ofAnotherLog(log, index);
  const { frames } = log;
  const whole = intactUntil(frames);
  const committed = isOwn ? Math.max(index.frames, certainEnd(frames, whole)) : lastCommit(frames);
  const flushed = isOwn ? index.flushed : 0;
  if (whole >= committed || flushed >= committed) return undefined;
  const isTorn = !isOwn && frames.slice(whole, committed).filter(({ commits }) => commits).length === 1;
  const version = (until: number, lostPages: number): LogVersion => ({ ...versionOf(log, until), lostPages });
  const wrong = frames.slice(0, committed).filter(({ isWhole }) => !isWhole).length;
  const isAllThere = frames.length >= committed && !isTorn;
  return {
    isTorn,
    versions: [
      ...(isAllThere ? [version(committed, wrong)] : []),
      // An earlier state of a page must not be laid over the one that the database has got from the log since.
      ...(whole >= flushed ? [version(whole, committed - whole)] : []),
      version(0, committed - flushed),
    ],
  };
}

/** What a database that cannot be opened may be made of: with what SQLite would take of its log, and without. */
export function versionsOf(path: string): readonly LogVersion[] {
  const log = readLog(`${path}-wal`, readIndex(`${path}-shm`));
  if (log === undefined) return [{ overlay: new Map(), pageCount: null, pageBytes: 0, lostPages: 0 }];
  const whole = intactUntil(log.frames);
  return [
    { ...versionOf(log, whole), lostPages: 0 },
    { ...versionOf(log, 0), lostPages: whole },
  ];
}

/**
 * Whether a log is not the one that was committed to. Each new use of a log counts the first half of its salt up, and the
 * index follows behind the log: only an older index, as a power cut may leave it, belongs to a newer log.
 */
function isAnother({ salt = "" }: Log, index: LogIndex): boolean {
  const ahead = (Number.parseInt(salt.slice(0, 8), 16) - Number.parseInt(index.salt.slice(0, 8), 16)) >>> 0;
  return index.frames > index.flushed && (ahead === 0 || ahead > USES_MAX);
}

/** More often a log does not begin again in the minute that an index is behind. */
const USES_MAX = 1_000;

/** What was committed to the log that is gone is lost; what is in this one is older, or another database's. */
function ofAnotherLog(log: Log, { frames, flushed }: LogIndex): LogCensus {
  const lostPages = frames - flushed;
  const versions = [0, intactUntil(log.frames)].map((until) => ({ ...versionOf(log, until), lostPages }));
  return { isTorn: false, versions };
}

interface Frame {
  readonly page: number;
  readonly content: Buffer;
  /** The database's pages after the commit that this frame ends; 0 where it ends none. */
  readonly pageCount: number;
  readonly commits: boolean;
  /** Its salt is the log's: it is not left from an earlier use of the log. */
  readonly isCurrent: boolean;
  /** SQLite takes it, if it takes all before it. */
  readonly isIntact: boolean;
  /** What it says is what was written, whatever has become of its head. */
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
  const pageBytes = isWhole ? pageBytesOf(header.readUInt32BE(8)) : (index?.pageBytes ?? USUAL_PAGE_BYTES);
  const salt = isWhole ? header.toString("hex", 16, 24) : (index?.salt ?? commonSalt(bytes, pageBytes));
  // What the checksum before a frame may have been: as it is stored, or as it comes out of what lies before it.
  const seeds = isWhole ? [stored] : [stored, computed];
  const frames = framesOf(bytes, { pageBytes, salt, isBigEndian, isHeadWhole: isWhole }, seeds);
  return { salt, pageBytes, frames };
}

const USUAL_PAGE_BYTES = 4096;

function pageBytesOf(stored: number): number {
  return stored >= 512 && stored <= 65_536 && (stored & (stored - 1)) === 0 ? stored : USUAL_PAGE_BYTES;
}

/** Behind a damaged frame one of two checksums may be the right one; a run of damaged frames has none. */
const SEEDS_MAX = 2;

interface LogFormat {
  readonly pageBytes: number;
  readonly salt: string;
  readonly isBigEndian: boolean;
  /** Without it SQLite takes nothing of the log. */
  readonly isHeadWhole: boolean;
}

/** The frames up to the last one that is the log's; behind it lie those of an earlier use. */
function framesOf(bytes: Buffer, format: LogFormat, firstSeeds: readonly Sum[]): Frame[] {
  const frames: Frame[] = [];
  const frameBytes = FRAME_HEADER_BYTES + format.pageBytes;
  let seeds = firstSeeds;
  for (let at = LOG_HEADER_BYTES; at + frameBytes <= bytes.length; at += frameBytes) {
    const { frame, sums, stored } = frameAt(bytes.subarray(at, at + frameBytes), format, seeds);
    const fitting = sums.findIndex((sum) => isSame(sum, stored));
    const before = frames.at(-1);
    // Only the checksum of the frame before was damaged, not what it says.
    if (fitting > 0 && before) before.isWhole = true;
    const isIntact = format.isHeadWhole && fitting === 0 && frame.isCurrent;
    frames.push({ ...frame, isIntact, isWhole: fitting >= 0 });
    seeds = fitting >= 0 ? [stored] : [stored, ...sums.slice(0, SEEDS_MAX)];
  }
  let end = frames.findLastIndex(({ isCurrent }) => isCurrent) + 1;
  // The checksum goes on from frame to frame, so one that fits is the log's whatever its salt.
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

/** How many frames from the beginning SQLite takes: to the last commit before anything is damaged. */
function intactUntil(frames: readonly Frame[]): number {
  const broken = frames.findIndex(({ isIntact }) => !isIntact);
  return frames.slice(0, broken < 0 ? frames.length : broken).findLastIndex(({ commits }) => commits) + 1;
}

/** The end of the last commit that the log's frames speak of, whole or not. */
function lastCommit(frames: readonly Frame[]): number {
  return frames.findLastIndex(({ commits }) => commits) + 1;
}

/**
 * The end of what was committed although the index does not know of it, as after a power cut: behind a commit that is not
 * whole there is another one, which was begun when the first was safe.
 */
function certainEnd(frames: readonly Frame[], whole: number): number {
  const isCertain = frames.slice(whole).filter(({ commits }) => commits).length > 1;
  return isCertain ? lastCommit(frames) : 0;
}

function versionOf({ frames, pageBytes }: Log, until: number): Omit<LogVersion, "lostPages"> {
  const used = frames.slice(0, until);
  const highest = Math.max(0, ...used.map(({ page, isWhole }) => (isWhole ? page : 0)));
  const overlay = new Map<number, Uint8Array>();
  // The head of a frame that is not whole may name any page.
  for (const { page, content } of used) if (page > 0 && page <= highest) overlay.set(page, content);
  const last = used.at(-1);
  const pageCount = last?.isWhole === true && last.commits ? last.pageCount : null;
  if (pageCount !== null) for (const page of overlay.keys()) if (page > pageCount) overlay.delete(page);
  return { overlay, pageCount, pageBytes };
}

/** The salt that most frames have, where the log's own head cannot be read. */
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

/** Whether two databases have each other's log beside them, as after a copy by hand. */
export function haveSwappedLogs(path: string, other: string): boolean {
  const [own, foreign] = [readIndex(`${path}-shm`), readIndex(`${other}-shm`)];
  const [log, otherLog] = [readLog(`${path}-wal`, own), readLog(`${other}-wal`, foreign)];
  if (!own || !foreign || !log || !otherLog) return false;
  return own.salt !== foreign.salt && log.salt === foreign.salt && otherLog.salt === own.salt;
}
