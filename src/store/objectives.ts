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

  /**
   * A slice of one kind by ascending id.
   * @param ids only these, when given
   */
  list(type: ObjectiveType, slice: { start: number; end: number }, ids?: readonly number[]): Objective[] {
    const { start, end } = slice;
    return this.#database
      .prepare(
        `SELECT data FROM objectives WHERE kind = :type ${idFilter(ids)} ORDER BY id LIMIT :limit OFFSET :start`,
      )
      .all({ type, start, limit: Math.max(0, end - start), ids: JSON.stringify(ids ?? []) })
      .map(toObjective);
  }

  count(type: ObjectiveType, ids?: readonly number[]): number {
    return this.#database
      .prepare(`SELECT count(*) FROM objectives WHERE kind = :type ${idFilter(ids)}`)
      .pluck()
      .get({ type, ids: JSON.stringify(ids ?? []) }) as number;
  }

  /** Adds or replaces one. A placeholder that only a zone knows never replaces what somebody described. */
  put(type: ObjectiveType, objective: Objective, source: ObjectiveSource): void {
    this.#database
      .prepare(
        `INSERT INTO objectives(kind, id, data, source) VALUES(:type, :id, :data, :source)
         ON CONFLICT(kind, id) DO UPDATE SET data = excluded.data, source = excluded.source
         WHERE excluded.source <> 'zone'`,
      )
      .run({ type, id: objective.id, data: JSON.stringify(objective), source });
  }
}

function idFilter(ids: readonly number[] | undefined): string {
  return ids === undefined ? "" : "AND id IN (SELECT value FROM json_each(:ids))";
}

function toObjective(row: unknown): Objective {
  return JSON.parse((row as { data: string }).data) as Objective;
}
