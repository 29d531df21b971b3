import { closeSync, existsSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import Sqlite from "better-sqlite3";
import { onCommit } from "./transaction.ts";
import { LOG_HEADER_BYTES, pageBytesOf } from "./wal-header.ts";
import { markText } from "./wal-index.ts";

/** A connection that writes, and marks how far its log goes. */
export class MarkedDatabase extends Sqlite {
  readonly #mark: LogMark | undefined;

  /** @throws as the driver */
  constructor(path: string) {
    super(path);
    if (this.memory) return;
    const mark = new LogMark(this, path);
    this.#mark = mark;
    onCommit(this, () => mark.note());
  }

  override close(): this {
    if (this.#mark === undefined || !this.open) return super.close();
    this.#mark.closeAround(() => super.close());
    return this;
  }
}

/** What SQLite reports of a log without doing anything (sqlite.org/pragma.html, "wal_checkpoint"). */
interface LogState {
  /** Committed pages in the log. */
  readonly log: number;
  /** Pages of these in the database file. */
  readonly checkpointed: number;
}

/**
 * Stores after each commit how far the write-ahead log of a database goes, in a file of its own (`-mark`). The index of the log
 * (`-shm`) is shared memory, which a power cut or a copy of the files can leave behind empty, and a log that ends early, but at a
 * commit, would then look complete. The mark is written after the flush of the log, so that it never promises more than the log
 * has, and is not flushed itself, so that it costs no time.
 *
 * It is made without opening the index: the end of a file descriptor would release the locks of this process on it.
 */
class LogMark {
  readonly #database: Sqlite.Database;
  readonly #path: string;
  readonly #header = Buffer.alloc(LOG_HEADER_BYTES);
  #state: Sqlite.Statement<unknown[], LogState> | undefined;
  #mark: number | undefined;
  #log: number | undefined;

  /** Removes what an earlier use has left. @param path path of the database */
  constructor(database: Sqlite.Database, path: string) {
    this.#database = database;
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
      this.#state ??= this.#database.prepare<unknown[], LogState>("PRAGMA wal_checkpoint(NOOP)");
      this.#log ??= openSync(`${this.#path}-wal`, "r");
      const state = this.#state.get();
      if (state === undefined || readSync(this.#log, this.#header, 0, LOG_HEADER_BYTES, 0) < LOG_HEADER_BYTES)
        return;
      const text = markText({
        frames: state.log,
        flushed: state.checkpointed,
        salt: this.#header.toString("hex", 16, 24),
        pageBytes: pageBytesOf(this.#header.readUInt32BE(8)),
      });
      writeSync(mark, text, 0);
    });
  }

  /**
   * Closes the database. The mark loses its content before the log is removed, because it must not promise a log that is no longer
   * needed, and the file goes with the log: another process may still use both.
   */
  closeAround(close: () => void): void {
    const [mark, log] = [this.#mark, this.#log];
    this.#mark = undefined;
    this.#log = undefined;
    this.#try(() => mark !== undefined && ftruncateSync(mark));
    try {
      close();
    } finally {
      for (const file of [mark, log]) if (file !== undefined) closeSync(file);
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
