import Sqlite from "better-sqlite3";

/** Reads the centre's records without a request to the centre. */
export class CentreRecordReader {
  readonly #database: Sqlite.Database;

  constructor(file: string) {
    this.#database = new Sqlite(file, { readonly: true });
  }

  records(): number {
    return this.#database.prepare("SELECT count(*) FROM interventions").pluck().get() as number;
  }

  highestId(): number {
    return this.#database.prepare("SELECT coalesce(max(id), 0) FROM interventions").pluck().get() as number;
  }

  has(name: string, below: number): boolean {
    const found = "SELECT 1 FROM interventions WHERE id > ? AND name = ?";
    return this.#database.prepare(found).get(below, name) !== undefined;
  }

  close(): void {
    this.#database.close();
  }
}
