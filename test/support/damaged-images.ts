import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The files of a data directory by name, at one time. */
export type Image = ReadonlyMap<string, Buffer>;

export const DAMAGES = ["flipped bits", "cut", "emptied", "a lost page", "swapped", "an older file"] as const;
export type Damage = (typeof DAMAGES)[number];

/** The damaged files; the others are as a killed process leaves them. */
export const TARGETS = ["santinela.db", "journal.db", "santinela.db-wal", "journal.db-wal"] as const;
export type Target = (typeof TARGETS)[number];

const PAGE_BYTES = 4096;

/** Reads the files of a data directory that a start uses. */
export function imageOf(folder: string): Map<string, Buffer> {
  const names = readdirSync(folder).filter((name) =>
    /^(?:(?:santinela|journal)\.db|given-|installation-)/.test(name),
  );
  const image = new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
  const backups = join(folder, "backups");
  for (const name of existsSync(backups) ? readdirSync(backups) : [])
    image.set(`backups/${name}`, readFileSync(join(backups, name)));
  return image;
}

/** Replaces the content of a directory by an image. */
export function writeImage(image: Image, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [name, bytes] of image) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
}

/** Removes files from an image: neither the indexes of the logs (`-shm`) nor their marks (`-mark`) are flushed. */
export function withoutFiles(image: Image, endings: readonly string[]): Map<string, Buffer> {
  return new Map([...image].filter(([name]) => !endings.some((ending) => name.endsWith(ending))));
}

/**
 * Damages one file of an image.
 * @param older an earlier image of the same installation
 * @param random from 0 to 1
 * @returns undefined if the file is missing or the damage changes nothing
 */
export function damaged(
  image: Image,
  target: Target,
  damage: Damage,
  older: Image,
  random: () => number,
): Map<string, Buffer> | undefined {
  const bytes = image.get(target);
  if (bytes === undefined || bytes.length === 0) return undefined;
  const result = new Map(image);
  if (damage === "swapped") {
    const others = target.endsWith("-wal") ? [""] : ["", "-wal", "-shm", "-mark"];
    for (const ending of others) exchange(result, target + ending, otherOf(target) + ending);
    return result;
  }
  if (damage === "an older file") {
    const before = older.get(target);
    if (before === undefined || before.equals(bytes)) return undefined;
    return result.set(target, before);
  }
  return result.set(target, spoilt(bytes, damage, random));
}

function spoilt(
  bytes: Buffer,
  damage: Exclude<Damage, "swapped" | "an older file">,
  random: () => number,
): Buffer {
  if (damage === "emptied") return Buffer.alloc(0);
  if (damage === "cut") return bytes.subarray(0, Math.floor(random() * bytes.length));
  const result = Buffer.from(bytes);
  if (damage === "a lost page") {
    const page = Math.floor((random() * bytes.length) / PAGE_BYTES) * PAGE_BYTES;
    const isErased = random() < 0.5;
    return result.fill(isErased ? 0 : 0xa5, page, Math.min(bytes.length, page + PAGE_BYTES));
  }
  const bits = 1 + Math.floor(random() ** 2 * 8);
  for (let bit = 0; bit < bits; bit += 1) {
    const at = Math.floor(random() * bytes.length);
    result.writeUInt8(result.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at);
  }
  return result;
}

function otherOf(target: string): string {
  return target.startsWith("journal")
    ? target.replace("journal", "santinela")
    : target.replace("santinela", "journal");
}

function exchange(image: Map<string, Buffer>, a: string, b: string): void {
  const [first, second] = [image.get(a), image.get(b)];
  for (const [name, bytes] of [
    [a, second],
    [b, first],
  ] as const)
    if (bytes) image.set(name, bytes);
    else image.delete(name);
}

/**
 * Whether the row with a text, and the path to it on its page, are intact in the newest state of the page, in
 * the file or in its log.
 * @param text unique text of the row
 */
export function isReadable(text: string, name: string, before: Image, after: Image): boolean {
  for (const { file, at, headAt } of newestPages(before, name)) {
    const page = before.get(file)?.subarray(at, at + PAGE_BYTES) ?? Buffer.alloc(0);
    const row = page[0] === TABLE_LEAF ? rowOn(page, text) : undefined;
    if (!row) continue;
    const parts = [
      [headAt, at + 8 + 2 * page.readUInt16BE(3)] as const,
      [at + row.from, at + row.to] as const,
    ];
    return parts.every(([from, to]) => isSame(before.get(file), after.get(file), from, to));
  }
  return false;
}

/** First byte of a table leaf page (sqlite.org/fileformat2.html, "B-tree Pages"). */
const TABLE_LEAF = 13;
/** Longest row without overflow pages; ours are shorter. */
const ROW_BYTES_MAX = PAGE_BYTES - 35;

interface PagePlace {
  readonly file: string;
  readonly at: number;
  /** Offset of the enclosing frame. */
  readonly headAt: number;
}

function newestPages(image: Image, name: string): PagePlace[] {
  const places = new Map<number, PagePlace>();
  const size = image.get(name)?.length ?? 0;
  for (let at = 0; at + PAGE_BYTES <= size; at += PAGE_BYTES)
    places.set(at / PAGE_BYTES + 1, { file: name, at, headAt: at });
  const log = image.get(`${name}-wal`) ?? Buffer.alloc(0);
  for (let headAt = 32; headAt + 24 + PAGE_BYTES <= log.length; headAt += 24 + PAGE_BYTES)
    if (log.subarray(headAt + 8, headAt + 16).equals(log.subarray(16, 24)))
      places.set(log.readUInt32BE(headAt), { file: `${name}-wal`, at: headAt + 24, headAt });
  return [...places.values()];
}

function rowOn(page: Buffer, text: string): { from: number; to: number } | undefined {
  const starts = Array.from({ length: page.readUInt16BE(3) }, (_, cell) => page.readUInt16BE(8 + 2 * cell));
  for (const from of starts) {
    const to = endOfRow(page, from);
    const at = page.indexOf(text, from);
    if (at >= 0 && to !== undefined && at + Buffer.byteLength(text) <= to) return { from, to };
  }
  return undefined;
}

/** The end of the row that starts at an offset: its length, its number and its values ("B-tree Cell Format"). */
function endOfRow(page: Buffer, from: number): number | undefined {
  const length = varintAt(page, from);
  const end = varintAt(page, length.end).end + length.value;
  return length.value > ROW_BYTES_MAX || end > page.length ? undefined : end;
}

/** A number of seven bits in each byte, of which the last is below 128. */
function varintAt(page: Buffer, from: number): { value: number; end: number } {
  let value = 0;
  let at = from;
  let byte: number;
  do {
    byte = page[at] ?? 0;
    value = value * 128 + (byte % 128);
    at += 1;
  } while (byte >= 128);
  return { value, end: at };
}

function isSame(before: Buffer | undefined, after: Buffer | undefined, from: number, to: number): boolean {
  if (!before || !after || after.length < to) return false;
  return before.subarray(from, to).equals(after.subarray(from, to));
}
