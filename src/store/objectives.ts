import type { Objective, ObjectiveRef, ObjectiveSource, ObjectiveType } from "../domain/objective.ts";
import type { Database } from "./database.ts";
import { listVersion } from "./objective-lists.ts";

/**
 * The objectives that interventions refer to: those this site knows and those the dispatch centre lists. The
 * centre's description counts, unless the configuration describes the objective too.
 */
export class ObjectiveStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Whether a record may refer to it: this site knows it, or the centre lists it. */
  exists({ type, id }: ObjectiveRef): boolean {
    const isKnown = this.#database.prepare("SELECT 1 FROM objectives WHERE kind = ? AND id = ?");
    const isListed = this.#database.prepare(
      "SELECT 1 FROM centre_objectives WHERE kind = ? AND id = ? AND missing_since IS NULL",
    );
    return isKnown.get(type, id) !== undefined || isListed.get(type, id) !== undefined;
  }

  /** One objective with its description. */
  get({ type, id }: ObjectiveRef): Objective | undefined {
    const row = this.#database.prepare(`SELECT data FROM (${DESCRIBED}) WHERE id = :id`).get({ type, id });
    return row === undefined ? undefined : toObjective(row);
  }

  /**
   * All objectives of a type by ascending id.
   * @param ids only these; undefined for all of them
   */
  all(type: ObjectiveType, ids?: readonly number[]): Objective[] {
    return this.#database
      .prepare(`SELECT data FROM (${DESCRIBED}) ${among(ids)} ORDER BY id`)
      .all({ type, ids: JSON.stringify(ids) })
      .map(toObjective);
  }

  /** A page of these and their total, so that a client can read the list page by page. */
  page(
    type: ObjectiveType,
    { start, end }: { readonly start: number; readonly end: number },
    ids?: readonly number[],
  ): { objectives: Objective[]; total: number } {
    const rows = this.#database
      .prepare(`SELECT data FROM (${DESCRIBED}) ${among(ids)} ORDER BY id LIMIT :rows OFFSET :start`)
      .all({ type, ids: JSON.stringify(ids), start, rows: Math.max(0, end - start) });
    const total = this.#database
      .prepare(`SELECT count(*) FROM (${DESCRIBED}) ${among(ids)}`)
      .pluck()
      .get({ type, ids: JSON.stringify(ids) }) as number;
    return { objectives: rows.map(toObjective), total };
  }

  /** The version of a list, which changes with its rows. */
  version(type: ObjectiveType): string {
    return listVersion(this.#database, type);
  }

  /**
   * Adds or replaces an objective of this site. A placeholder from a zone never replaces a description. Unchanged
   * rows are not written, because every start does this, also on a full disk.
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

  /** Marks objectives that the configuration no longer describes as imported. */
  release(type: ObjectiveType, configuredIds: readonly number[]): void {
    this.#database
      .prepare(
        `UPDATE objectives SET source = 'import'
         WHERE kind = ? AND source = 'config' AND id NOT IN (SELECT value FROM json_each(?))`,
      )
      .run(type, JSON.stringify(configuredIds));
  }
}

/** Each objective of a type once. One that the centre no longer lists and this site does not use does not exist. */
const DESCRIBED = `
  SELECT known.id AS id,
    CASE known.source WHEN 'config' THEN known.data ELSE coalesce(listed.data, known.data) END AS data
  FROM objectives AS known LEFT JOIN centre_objectives AS listed ON listed.kind = known.kind AND listed.id = known.id
  WHERE known.kind = :type
  UNION ALL
  SELECT listed.id, listed.data FROM centre_objectives AS listed
  WHERE listed.kind = :type AND listed.missing_since IS NULL
    AND NOT EXISTS (SELECT 1 FROM objectives AS known WHERE known.kind = listed.kind AND known.id = listed.id)`;

/** A condition that limits a list to the ids in `:ids`, a JSON list. */
function among(ids: readonly number[] | undefined): string {
  return ids === undefined ? "" : "WHERE id IN (SELECT value FROM json_each(:ids))";
}

function toObjective(row: unknown): Objective {
  return JSON.parse((row as { data: string }).data) as Objective;
}
