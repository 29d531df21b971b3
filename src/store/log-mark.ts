import { closeSync, existsSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import Sqlite from "better-sqlite3";
import { onCommit } from "./transaction.ts";
import { INDEX_BYTES } from "./wal-index.ts";

/** A connection that writes, and marks how far its log goes. */
export class MarkedDatabase extends Sqlite {
  readonly #mark: LogMark | undefined;

  /** @throws as the driver */
  constructor(path: string) {
    super(path);
    if (this.memory) return;
    const mark = new LogMark(path);
    this.#mark = mark;
    onCommit(this, () => mark.note());
  }

  override close(): this {
    if (this.#mark === undefined || !this.open) return super.close();
    this.#mark.closeAround(() => super.close());
    return this;
  }
}

/**
 * Stores after each commit how far the write-ahead log of a database goes: the first bytes of its index (`-shm`), in a file of its
 * own (`-mark`). The index is shared memory, which a power cut or a copy of the files can leave behind empty, and a log that ends
 * early, but at a commit, would then look complete. The mark is not flushed, so that it costs no time; like the index it never
 * promises more than the log has.
 */
class LogMark {
  readonly #path: string;
  readonly #bytes = Buffer.alloc(INDEX_BYTES);
  #mark: number | undefined;
  #index: number | undefined;

  /** Removes what an earlier use has left. @param path path of the database */
  constructor(path: string) {
    this.#path = path;
    this.#try(() => {
      this.#mark = openSync(markOf(path), "w", 0o640);
    });
  }

  /** Stores the state after a commit. */
  note(): void {
    const mark = this.#mark;
    if (mark === undefined) return;
    this.#try(() => {
      this.#index ??= openSync(`${this.#path}-shm`, "r");
      const bytes = readSync(this.#index, this.#bytes, 0, INDEX_BYTES, 0);
      writeSync(mark, this.#bytes, 0, bytes, 0);
    });
  }

  /**
   * Closes the database. The mark loses its content before the log is removed, because it must not promise a log that is no longer
   * needed, and the file goes with the log: another process may still use both.
   */
  closeAround(close: () => void): void {
    const [mark, index] = [this.#mark, this.#index];
    this.#mark = undefined;
    this.#index = undefined;
    this.#try(() => mark !== undefined && ftruncateSync(mark));
    try {
      close();
    } finally {
      for (const file of [mark, index]) if (file !== undefined) closeSync(file);
    }
    this.#try(() => existsSync(`${this.#path}-wal`) || rmSync(markOf(this.#path), { force: true }));
  }

  /** A disk that rejects the mark does not prevent the commit, which is already stored. */
  #try(step: () => void): void {
    try {
      step();
    } catch {
      // The index alone then shows how far the log goes.
    }
  }
}

function markOf(path: string): string {
  return `${path}-mark`;
}
