import type { Objective, ObjectiveRef, ObjectiveSource, ObjectiveType } from "../domain/objective.ts";
import type { Database } from "./database.ts";
import { listVersion } from "./objective-lists.ts";

/**
 * The objectives that interventions attach to: what this site knows by itself and what the centre lists. The centre's
 * description of an objective counts, unless the configuration describes it too.
 */
export class ObjectiveStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Whether a record may name it: this site knows it, or the centre lists it. */
  exists({ type, id }: ObjectiveRef): boolean {
    const isKnown = this.#database.prepare("SELECT 1 FROM objectives WHERE kind = ? AND id = ?");
    const isListed = this.#database.prepare(
      "SELECT 1 FROM centre_objectives WHERE kind = ? AND id = ? AND missing_since IS NULL",
    );
    return isKnown.get(type, id) !== undefined || isListed.get(type, id) !== undefined;
  }

  /** One objective as it was described. */
  get({ type, id }: ObjectiveRef): Objective | undefined {
    const row = this.#database.prepare(`SELECT data FROM (${DESCRIBED}) WHERE id = :id`).get({ type, id });
    return row === undefined ? undefined : toObjective(row);
  }

  /**
   * All of one kind by ascending id.
   * @param ids only these; undefined for all of them
   */
  all(type: ObjectiveType, ids?: readonly number[]): Objective[] {
    return this.#database
      .prepare(`SELECT data FROM (${DESCRIBED}) ${among(ids)} ORDER BY id`)
      .all({ type, ids: JSON.stringify(ids) })
      .map(toObjective);
  }

  /** A part of these, and how many there are: a page for a client that copies the whole list costs no more than itself. */
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

  /** The version of one kind's list: another one whenever a row of it may be another one. */
  version(type: ObjectiveType): string {
    return listVersion(this.#database, type);
  }

  /**
   * Adds or replaces what this site knows of one. A placeholder that only a zone knows never replaces what somebody
   * described, and what is there already is not written again: each start does this, also one on a full disk.
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

  /** Objectives that the configuration no longer describes stay, as if they had been imported. */
  release(type: ObjectiveType, configuredIds: readonly number[]): void {
    this.#database
      .prepare(
        `UPDATE objectives SET source = 'import'
         WHERE kind = ? AND source = 'config' AND id NOT IN (SELECT value FROM json_each(?))`,
      )
      .run(type, JSON.stringify(configuredIds));
  }
}

/** Each objective of one kind once; what the centre no longer lists and nothing here names is no objective any more. */
const DESCRIBED = `
  SELECT known.id AS id,
    CASE known.source WHEN 'config' THEN known.data ELSE coalesce(listed.data, known.data) END AS data
  FROM objectives AS known LEFT JOIN centre_objectives AS listed ON listed.kind = known.kind AND listed.id = known.id
  WHERE known.kind = :type
  UNION ALL
  SELECT listed.id, listed.data FROM centre_objectives AS listed
  WHERE listed.kind = :type AND listed.missing_since IS NULL
    AND NOT EXISTS (SELECT 1 FROM objectives AS known WHERE known.kind = listed.kind AND known.id = listed.id)`;

/** The condition that keeps a list to some ids, given as JSON in `:ids`. */
function among(ids: readonly number[] | undefined): string {
  return ids === undefined ? "" : "WHERE id IN (SELECT value FROM json_each(:ids))";
}

function toObjective(row: unknown): Objective {
  return JSON.parse((row as { data: string }).data) as Objective;
}
