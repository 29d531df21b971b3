import { closeSync, fstatSync, openSync } from "node:fs";
import type { PageOverlay } from "./pages.ts";
import { readWhatIsReadable } from "./unreadable-sectors.ts";

/** A write-ahead log of any size, read in parts: it may be larger than the memory. */
export class LogFile {
  readonly bytes: number;
  readonly #file: number;

  /** @throws as `openSync` */
  constructor(path: string) {
    this.#file = openSync(path, "r");
    this.bytes = fstatSync(this.#file).size;
  }

  /**
   * Fills a buffer from an offset. What the disk cannot read becomes zeros, which no checksum confirms.
   * @returns whether the file is long enough
   */
  fill(buffer: Buffer, at: number): boolean {
    if (at + buffer.length > this.bytes) return false;
    readWhatIsReadable(this.#file, buffer, at);
    return true;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Reads with a log, and closes it. */
export function withLogFile<T>(path: string, use: (log: LogFile) => T): T {
  const log = new LogFile(path);
  try {
    return use(log);
  } finally {
    log.close();
  }
}

/** The newest content of some pages, which stays in the log until it is needed. */
export class LogPages implements PageOverlay {
  readonly #path: string;
  readonly #places: ReadonlyMap<number, number>;
  readonly #pageBytes: number;

  /** @param places the offset of each page in the log at `path`, which must not change while this is used */
  constructor(path: string, places: ReadonlyMap<number, number>, pageBytes: number) {
    this.#path = path;
    this.#places = places;
    this.#pageBytes = pageBytes;
  }

  get(page: number): Buffer | undefined {
    const at = this.#places.get(page);
    return at === undefined ? undefined : withLogFile(this.#path, (log) => this.#read(log, at));
  }

  keys(): Iterable<number> {
    return this.#places.keys();
  }

  *[Symbol.iterator](): Generator<[number, Buffer]> {
    if (this.#places.size === 0) return;
    const log = new LogFile(this.#path);
    try {
      for (const [page, at] of this.#places) yield [page, this.#read(log, at)];
    } finally {
      log.close();
    }
  }

  #read(log: LogFile, at: number): Buffer {
    const content = Buffer.alloc(this.#pageBytes);
    log.fill(content, at);
    return content;
  }
}
