import { existsSync } from "node:fs";
import Sqlite from "better-sqlite3";
import type { RecordFile } from "../contenders/contender.ts";

/**
 * Counts what a contender has committed by reading its database from outside. In WAL mode a reader keeps no writer
 * waiting, and sees a commit as soon as it is one.
 */
export class Onlooker {
  readonly #records: Counter;
  readonly #openings: Counter;

  constructor({ file, records, openings }: RecordFile) {
    this.#records = new Counter(file, records);
    this.#openings = openings ? new Counter(openings.file, openings.sql) : this.#records;
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
    this.#openings.close();
  }
}

class Counter {
  readonly #database: Sqlite.Database;
  readonly #count: Sqlite.Statement;

  constructor(file: string, sql: string) {
    if (!existsSync(file)) throw new Error(`there is no database ${file} to look at`);
    this.#database = new Sqlite(file, { readonly: true });
    this.#count = this.#database.prepare(sql).pluck();
  }

  count(): number {
    return this.#count.get() as number;
  }

  /** Changes with each commit of somebody else's (sqlite.org/pragma.html#pragma_data_version). */
  version(): number {
    return this.#database.pragma("data_version", { simple: true }) as number;
  }

  close(): void {
    this.#database.close();
  }
}
