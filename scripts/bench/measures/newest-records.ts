import Sqlite from "better-sqlite3";

/** The newest record of each objective, read by an index that also serves a million rows. */
export class NewestRecords {
  readonly #database: Sqlite.Database;
  readonly #newest: Sqlite.Statement;

  constructor(file: string) {
    this.#database = new Sqlite(file, { readonly: true });
    this.#newest = this.#database
      .prepare(
        `SELECT max(id) FROM interventions
         WHERE objectiveId = ? AND objectiveType = 'obiective/cladiri' AND deleted_at IS NULL`,
      )
      .pluck();
  }

  at(objective: number): number {
    return this.#newest.get(objective) as number;
  }

  close(): void {
    this.#database.close();
  }
}
