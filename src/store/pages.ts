import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { isUnreadable } from "./unreadable-sectors.ts";

/** The page size of our databases, for a file with an unreadable header. */
export const DEFAULT_PAGE_BYTES = 4096;
/** Bytes of the header on the first page (sqlite.org/fileformat2.html, "The Database Header"). */
const HEADER_BYTES = 100;
/** Upper bound of our rows; damage can produce any length. */
const PAYLOAD_BYTES_MAX = 16 * 1_048_576;

/** Newer page contents from the write-ahead log, by page number. */
export interface PageOverlay extends Iterable<readonly [number, Uint8Array]> {
  readonly get: (page: number) => Uint8Array | undefined;
  readonly keys: () => Iterable<number>;
}

/** A row as stored in a page: its values in storage order, and its rowid if the table has one. */
export interface RawRow {
  readonly rowId: number | null;
  readonly values: readonly RawValue[];
}

export type RawValue = number | string | Buffer | null;

/**
 * Reads the pages of a damaged database file one by one, without trusting pointers: only what points outside the
 * file is unreadable.
 */
export class DatabasePages {
  readonly pageBytes: number;
  /** Number of pages, including a truncated one. */
  readonly count: number;
  readonly #usableBytes: number;
  readonly #file: number;
  readonly #overlay: PageOverlay;

  /** @throws as `openSync` */
  constructor(path: string, overlay: PageOverlay = new Map()) {
    this.#file = openSync(path, "r");
    this.#overlay = overlay;
    const header = overlay.get(1) ?? this.#read(0, HEADER_BYTES);
    const { pageBytes, reserved } = sizesIn(Buffer.from(header));
    this.pageBytes = pageBytes;
    this.#usableBytes = pageBytes - reserved;
    let count = Math.ceil(fstatSync(this.#file).size / pageBytes);
    for (const page of overlay.keys()) count = Math.max(count, page);
    this.count = count;
  }

  close(): void {
    closeSync(this.#file);
  }

  /** The content of a page: shorter if truncated, empty beyond the end or if the disk cannot read it. */
  page(number: number): Buffer {
    const newer = this.#overlay.get(number);
    if (newer) return Buffer.from(newer.buffer, newer.byteOffset, newer.byteLength);
    if (number < 1 || number > this.count) return Buffer.alloc(0);
    return this.#read((number - 1) * this.pageBytes, this.pageBytes);
  }

  /** The type of a page in a tree; undefined for other pages. */
  kindOf(page: Buffer, number: number): PageKind | undefined {
    return PAGE_KINDS[page[headerAt(number)] ?? 0];
  }

  /** The pages below an inner page. */
  children(number: number): number[] {
    const page = this.page(number);
    const kind = this.kindOf(page, number);
    if (kind !== "table-inner" && kind !== "index-inner") return [];
    const right = headerAt(number) + 8;
    const left = this.#cells(page, number).filter((at) => at + 4 <= page.length);
    return [...left, right].flatMap((at) => (at + 4 <= page.length ? [page.readUInt32BE(at)] : []));
  }

  /** The rows of a page, and the number of unreadable cells. */
  rows(number: number): { rows: RawRow[]; unreadable: number } {
    const page = this.page(number);
    const kind = this.kindOf(page, number);
    if (kind === undefined || kind === "table-inner") return { rows: [], unreadable: 0 };
    const rows: RawRow[] = [];
    let unreadable = 0;
    for (const at of this.#cells(page, number)) {
      const row = this.#row(page, at, kind);
      if (row) rows.push(row);
      else unreadable += 1;
    }
    return { rows, unreadable };
  }

  /** The offsets of the cells of a page. */
  #cells(page: Buffer, number: number): number[] {
    const header = headerAt(number);
    const first = header + (this.kindOf(page, number)?.endsWith("inner") === true ? 12 : 8);
    if (header + 5 > page.length) return [];
    const cells = page.readUInt16BE(header + 3);
    const starts: number[] = [];
    for (let at = first; at + 2 <= page.length && starts.length < cells; at += 2)
      starts.push(page.readUInt16BE(at));
    return starts;
  }

  /** Reads a row; undefined if it is unreadable. */
  #row(page: Buffer, start: number, kind: Exclude<PageKind, "table-inner">): RawRow | undefined {
    const isTable = kind === "table-leaf";
    try {
      const cursor = new Cursor(page, kind === "index-inner" ? start + 4 : start);
      const bytes = cursor.varint();
      const rowId = isTable ? cursor.varint() : null;
      if (bytes > PAYLOAD_BYTES_MAX || bytes < 1) return undefined;
      return { rowId, values: valuesOf(this.#payload(cursor, bytes, isTable)) };
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /**
   * The bytes of a row, including overflow pages ("B-tree Cell Format").
   * @throws RangeError if they are missing
   */
  #payload(cursor: Cursor, bytes: number, isTable: boolean): Buffer {
    const usable = this.#usableBytes;
    const largest = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
    if (bytes <= largest) return cursor.take(bytes);
    const least = Math.floor(((usable - 12) * 32) / 255) - 23;
    const fitting = least + ((bytes - least) % (usable - 4));
    const parts = [cursor.take(fitting <= largest ? fitting : least)];
    let missing = bytes - (parts[0]?.length ?? 0);
    let next = cursor.take(4).readUInt32BE(0);
    while (missing > 0) {
      const overflow = new Cursor(this.page(next), 0);
      next = overflow.take(4).readUInt32BE(0);
      const part = overflow.take(Math.min(missing, usable - 4));
      parts.push(part);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }

  #read(offset: number, bytes: number): Buffer {
    const buffer = Buffer.alloc(bytes);
    try {
      return buffer.subarray(0, readSync(this.#file, buffer, 0, bytes, offset));
    } catch (error) {
      if (isUnreadable(error)) return Buffer.alloc(0);
      throw error;
    }
  }
}

type PageKind = "table-leaf" | "table-inner" | "index-leaf" | "index-inner";

const PAGE_KINDS: Readonly<Record<number, PageKind>> = {
  2: "index-inner",
  5: "table-inner",
  10: "index-leaf",
  13: "table-leaf",
};

function headerAt(number: number): number {
  return number === 1 ? HEADER_BYTES : 0;
}

/** @returns the default sizes if the header is implausible */
function sizesIn(header: Buffer): { pageBytes: number; reserved: number } {
  const stored = header.length >= HEADER_BYTES ? header.readUInt16BE(16) : 0;
  const pageBytes = stored === 1 ? 65_536 : stored;
  const isPlausible = pageBytes >= 512 && (pageBytes & (pageBytes - 1)) === 0;
  return isPlausible
    ? { pageBytes, reserved: header[20] ?? 0 }
    : { pageBytes: DEFAULT_PAGE_BYTES, reserved: 0 };
}

/**
 * The values of a row ("Record Format").
 * @throws RangeError if they exceed its bytes
 */
function valuesOf(payload: Buffer): RawValue[] {
  const header = new Cursor(payload, 0);
  const headerBytes = header.varint();
  const body = new Cursor(payload, headerBytes);
  const values: RawValue[] = [];
  while (header.at < headerBytes) values.push(valueOf(header.varint(), body));
  if (header.at !== headerBytes) throw new RangeError("a serial type exceeds the header");
  return values;
}

/** Bytes of the integers by serial type. */
const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8] as const;

function valueOf(type: number, body: Cursor): RawValue {
  if (type === 0) return null;
  if (type === 8 || type === 9) return type - 8;
  if (type === 7) return body.take(8).readDoubleBE(0);
  if (type === 6) return Number(body.take(8).readBigInt64BE(0));
  if (type < 6) return body.take(INTEGER_BYTES[type] ?? 0).readIntBE(0, INTEGER_BYTES[type] ?? 1);
  if (type < 12) throw new RangeError(`unknown serial type ${type}`);
  const bytes = Buffer.from(body.take(Math.floor((type - 12) / 2)));
  return type % 2 === 0 ? bytes : bytes.toString("utf8");
}

/** Reads sequentially from a position, never beyond the end. */
class Cursor {
  at: number;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  take(bytes: number): Buffer {
    const end = this.at + bytes;
    if (end > this.#bytes.length) throw new RangeError("the value exceeds its bytes");
    const taken = this.#bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }

  /** An integer of one to nine bytes, seven bits in each but the ninth. */
  varint(): number {
    let value = 0n;
    for (let index = 0; index < 9; index += 1) {
      const byte = this.take(1)[0] ?? 0;
      if (index === 8) return Number(BigInt.asIntN(64, (value << 8n) | BigInt(byte)));
      value = (value << 7n) | BigInt(byte & 0x7f);
      if (byte < 0x80) return Number(value);
    }
    return Number(value);
  }
}
