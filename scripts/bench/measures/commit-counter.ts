import { closeSync, existsSync, openSync, readSync } from "node:fs";
import Sqlite from "better-sqlite3";
import type { RecordFile } from "../contenders/contender.ts";

/**
 * Counts what a contender has committed by reading its database from outside. In WAL mode a reader keeps no writer
 * waiting, and sees a commit as soon as it is one.
 */
export class CommitCounter {
  readonly #records: Counter;
  readonly #openings: Counter;

  constructor({ file, records, openings }: RecordFile) {
    if (!existsSync(file)) throw new Error(`there is no database ${file} to look at`);
    this.#records = records === undefined ? new TransactionCounter(file) : new QueryCounter(file, records);
    this.#openings = openings ? new QueryCounter(openings.file, openings.sql) : this.#records;
  }

  /** Committed records. */
  records(): number {
    return this.#records.count();
  }

  /** Openings that are through. */
  openings(): number {
    return this.#openings.count();
  }

  /** Another number whenever something was committed since the last look, whatever it was. */
  commits(): number {
    return this.#records.version() + this.#openings.version();
  }

  close(): void {
    this.#records.close();
    if (this.#openings !== this.#records) this.#openings.close();
  }
}

interface Counter {
  count(): number;
  /** Changes after each commit of another connection. */
  version(): number;
  close(): void;
}

class QueryCounter implements Counter {
  readonly #database: Sqlite.Database;
  readonly #count: Sqlite.Statement;

  constructor(file: string, sql: string) {
    this.#database = new Sqlite(file, { readonly: true });
    this.#count = this.#database.prepare(sql).pluck();
  }

  count(): number {
    return this.#count.get() as number;
  }

  /** Changes with each commit of another connection (sqlite.org/pragma.html#pragma_data_version). */
  version(): number {
    return this.#database.pragma("data_version", { simple: true }) as number;
  }

  close(): void {
    this.#database.close();
  }
}

/**
 * Transactions of a database in rollback mode, by the change counter in the file's head: four bytes from the 24th on
 * (sqlite.org/fileformat2.html#file_change_counter). It is written a little before the transaction is through.
 */
class TransactionCounter implements Counter {
  readonly #file: number;
  readonly #bytes = Buffer.alloc(4);

  constructor(file: string) {
    this.#file = openSync(file, "r");
  }

  count(): number {
    readSync(this.#file, this.#bytes, 0, 4, 24);
    return this.#bytes.readUInt32BE();
  }

  version(): number {
    return this.count();
  }

  close(): void {
    closeSync(this.#file);
  }
}
