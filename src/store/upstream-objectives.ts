import type { ObjectiveSource, ObjectiveType } from "../domain/objective.ts";
import type { Database } from "./database.ts";

/** The last complete reading of one of the centre's lists. */
export interface ObjectiveListRead {
  /** Address of the centre whose list it was. */
  readonly centre: string;
  /** How many complete readings there have been of it. */
  readonly generation: number;
  /** Wall clock of its end, milliseconds since 1970. */
  readonly completedAtMs: number;
  /** How many objectives it had. */
  readonly objectives: number;
}

/** What is kept of one objective of the centre's list. */
export interface ListedObjective {
  /** Its description as JSON. */
  readonly data: string;
  /** Wall clock since when the centre no longer lists it, milliseconds since 1970; null while it does. */
  readonly missingSinceMs: number | null;
}

/** An objective about which this site and the centre do not say the same. */
export interface ObjectiveDifference {
  readonly type: ObjectiveType;
  readonly id: number;
  /** Where the site's own description comes from. */
  readonly source: ObjectiveSource;
  /** Its name in that description. */
  readonly here: string;
  /** Its name at the centre, the last that was known; null where the centre has never listed it. */
  readonly there: string | null;
  /** Wall clock since when the centre no longer lists it, milliseconds since 1970; null while it does, or never did. */
  readonly missingSinceMs: number | null;
}

/** The mirror of the centre's objectives, and when each list was last read to its end. */
export class UpstreamObjectiveStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  walk(type: ObjectiveType): ObjectiveListRead | undefined {
    return this.#database
      .prepare(
        `SELECT centre, generation, completed_at AS completedAtMs, objectives FROM objective_walks WHERE kind = ?`,
      )
      .get(type) as ObjectiveListRead | undefined;
  }

  noteWalk(
    type: ObjectiveType,
    { centre, completedAtMs, objectives }: Omit<ObjectiveListRead, "generation">,
  ): void {
    this.#database
      .prepare(
        `INSERT INTO objective_walks(kind, centre, generation, completed_at, objectives)
         VALUES(:type, :centre, 1, :completedAtMs, :objectives)
         ON CONFLICT(kind) DO UPDATE SET generation = iif(centre = excluded.centre, generation + 1, 1),
           centre = excluded.centre, completed_at = excluded.completed_at, objectives = excluded.objectives`,
      )
      .run({ type, centre, completedAtMs, objectives });
  }

  /** Everything that is kept of one list, by id. */
  listed(type: ObjectiveType): Map<number, ListedObjective> {
    const rows = this.#database
      .prepare("SELECT id, data, missing_since AS missingSinceMs FROM centre_objectives WHERE kind = ?")
      .all(type) as (ListedObjective & { id: number })[];
    return new Map(rows.map(({ id, data, missingSinceMs }) => [id, { data, missingSinceMs }]));
  }

  /** Writes one as the centre describes it now. @param data JSON */
  put(type: ObjectiveType, id: number, data: string): void {
    this.#database
      .prepare(
        `INSERT INTO centre_objectives(kind, id, data) VALUES(?, ?, ?)
         ON CONFLICT(kind, id) DO UPDATE SET data = excluded.data, missing_since = NULL`,
      )
      .run(type, id, data);
  }

  /** Writes down that the centre no longer lists it. */
  markMissing(type: ObjectiveType, id: number, nowMs: number): void {
    this.#database
      .prepare(
        "UPDATE centre_objectives SET missing_since = ? WHERE kind = ? AND id = ? AND missing_since IS NULL",
      )
      .run(nowMs, type, id);
  }

  /** Forgets what has been missing since before then and is named by nothing here. @returns how many */
  purgeMissing(type: ObjectiveType, beforeMs: number): number {
    return this.#database
      .prepare(
        `DELETE FROM centre_objectives WHERE kind = ? AND missing_since < ?
           AND NOT EXISTS (SELECT 1 FROM objectives
             WHERE objectives.kind = centre_objectives.kind AND objectives.id = centre_objectives.id)`,
      )
      .run(type, beforeMs).changes;
  }

  /**
   * Objectives that the centre does not list, or names otherwise than the configuration or an import does. Nothing is
   * said of a list that was never read to its end.
   */
  differences(type: ObjectiveType, limit: number): ObjectiveDifference[] {
    const rows = this.#database
      .prepare(
        `SELECT known.kind AS type, known.id AS id, known.source AS source, ${nameIn("known")} AS here,
           ${nameIn("listed")} AS there, listed.missing_since AS missingSinceMs
         FROM objectives AS known LEFT JOIN centre_objectives AS listed
           ON listed.kind = known.kind AND listed.id = known.id
         WHERE known.kind = :type AND EXISTS (SELECT 1 FROM objective_walks WHERE kind = :type)
           AND (listed.id IS NULL OR listed.missing_since IS NOT NULL
             OR (known.source <> 'zone' AND here <> there))
         ORDER BY known.id LIMIT :limit`,
      )
      .all({ type, limit });
    return rows as ObjectiveDifference[];
  }
}

function nameIn(table: "known" | "listed"): string {
  return `json_extract(${table}.data, '$.name')`;
}
