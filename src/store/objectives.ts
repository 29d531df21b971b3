import type { Objective, ObjectiveRef, ObjectiveSource, ObjectiveType } from "../domain/objective.ts";
import type { Database } from "./database.ts";

/** The objectives that interventions attach to. */
export class ObjectiveStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  exists({ type, id }: ObjectiveRef): boolean {
    return (
      this.#database.prepare("SELECT 1 FROM objectives WHERE kind = ? AND id = ?").get(type, id) !== undefined
    );
  }

  /** One objective as it was imported. */
  get({ type, id }: ObjectiveRef): Objective | undefined {
    const row = this.#database.prepare("SELECT data FROM objectives WHERE kind = ? AND id = ?").get(type, id);
    return row === undefined ? undefined : toObjective(row);
  }

  /** All of one kind by ascending id. There are as many as a site has buildings, assets or people. */
  all(type: ObjectiveType): Objective[] {
    return this.#database
      .prepare("SELECT data FROM objectives WHERE kind = ? ORDER BY id")
      .all(type)
      .map(toObjective);
  }

  /**
   * Adds or replaces one. A placeholder that only a zone knows never replaces what somebody described, and what is
   * there already is not written again: each start does this, also one on a full disk.
   */
  put(type: ObjectiveType, objective: Objective, source: ObjectiveSource): void {
    this.#database
      .prepare(
        `INSERT INTO objectives(kind, id, data, source) VALUES(:type, :id, :data, :source)
         ON CONFLICT(kind, id) DO UPDATE SET data = excluded.data, source = excluded.source
         WHERE excluded.source <> 'zone' AND (data, source) <> (excluded.data, excluded.source)`,
      )
      .run({ type, id: objective.id, data: JSON.stringify(objective), source });
  }
}

function toObjective(row: unknown): Objective {
  return JSON.parse((row as { data: string }).data) as Objective;
}
