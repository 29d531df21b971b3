import type { ObjectiveRef, ObjectiveSource, ObjectiveType } from "../domain/objective.ts";
import { Store } from "./database.ts";

/** The last complete read of an objective list. */
interface ObjectiveListRead {
  /** Address of the dispatch centre. */
  readonly centre: string;
  /** Number of complete reads from this dispatch centre. */
  readonly generation: number;
  /** Wall clock at its end, milliseconds since 1970. */
  readonly completedAtMs: number;
  readonly objectives: number;
}

/** An objective of the centre's list. */
export interface ListedObjective {
  /** Its description as JSON. */
  readonly data: string;
  /** Wall clock since when it is no longer listed, milliseconds since 1970; null while listed. */
  readonly missingSinceMs: number | null;
}

/** An objective that differs between this site and the dispatch centre. */
export interface ObjectiveDifference {
  readonly type: ObjectiveType;
  readonly id: number;
  /** Source of the local description. */
  readonly source: ObjectiveSource;
  /** Its local name. */
  readonly here: string;
  /** Its last known name at the centre; null if never listed. */
  readonly there: string | null;
  /** Wall clock since when it is no longer listed, milliseconds since 1970; null if listed or never listed. */
  readonly missingSinceMs: number | null;
}

/** The objective mirror, and the last complete read of each list. */
export class UpstreamObjectiveStore extends Store {
  readonly #lastRead = this.prepare<ObjectiveListRead>(
    "SELECT centre, generation, completed_at AS completedAtMs, objectives FROM objective_walks WHERE kind = ?",
  );
  readonly #recordRead = this.prepare(
    `INSERT INTO objective_walks(kind, centre, generation, completed_at, objectives)
     VALUES(:type, :centre, 1, :completedAtMs, :objectives)
     ON CONFLICT(kind) DO UPDATE SET generation = iif(centre = excluded.centre, generation + 1, 1),
       centre = excluded.centre, completed_at = excluded.completed_at, objectives = excluded.objectives`,
  );
  readonly #listed = this.prepare<ListedObjective & { id: number }>(
    "SELECT id, data, missing_since AS missingSinceMs FROM centre_objectives WHERE kind = ?",
  );
  readonly #put = this.prepare(
    `INSERT INTO centre_objectives(kind, id, data) VALUES(?, ?, ?)
     ON CONFLICT(kind, id) DO UPDATE SET data = excluded.data, missing_since = NULL`,
  );
  readonly #markMissing = this.prepare(
    "UPDATE centre_objectives SET missing_since = ? WHERE kind = ? AND id = ? AND missing_since IS NULL",
  );
  readonly #purgeMissing = this.prepare(
    `DELETE FROM centre_objectives WHERE kind = ? AND missing_since < ?
       AND NOT EXISTS (SELECT 1 FROM objectives
         WHERE objectives.kind = centre_objectives.kind AND objectives.id = centre_objectives.id)`,
  );
  readonly #differences = this.prepare<ObjectiveDifference>(
    `SELECT known.kind AS type, known.id AS id, known.source AS source, ${nameIn("known")} AS here,
       ${nameIn("listed")} AS there, listed.missing_since AS missingSinceMs
     FROM objectives AS known LEFT JOIN centre_objectives AS listed
       ON listed.kind = known.kind AND listed.id = known.id
     WHERE known.kind = :type AND EXISTS (SELECT 1 FROM objective_walks WHERE kind = :type)
       AND (listed.id IS NULL OR listed.missing_since IS NOT NULL
         OR (known.source <> 'zone' AND here <> there))
     ORDER BY known.id LIMIT :limit`,
  );

  readonly #names = this.prepare<{ here: string; there: string }>(
    // A centre may send any value as a name.
    `SELECT CAST(${nameIn("known")} AS TEXT) AS here, CAST(${nameIn("listed")} AS TEXT) AS there
     FROM objectives AS known JOIN centre_objectives AS listed ON listed.kind = known.kind AND listed.id = known.id
     WHERE known.kind = ? AND known.id = ? AND known.source = 'config' AND listed.missing_since IS NULL
       AND here IS NOT NULL AND there IS NOT NULL`,
  );

  readonly #isListed = this.prepare<{ id: number }>(
    "SELECT id FROM centre_objectives WHERE kind = ? AND id = ? AND missing_since IS NULL",
  );

  lastRead(type: ObjectiveType): ObjectiveListRead | undefined {
    return this.#lastRead.get(type);
  }

  recordRead(
    type: ObjectiveType,
    { centre, completedAtMs, objectives }: Omit<ObjectiveListRead, "generation">,
  ): void {
    this.#recordRead.run({ type, centre, completedAtMs, objectives });
  }

  /** All stored objectives of a list, by id. */
  listed(type: ObjectiveType): Map<number, ListedObjective> {
    return new Map(this.#listed.all(type).map(({ id, ...listed }) => [id, listed]));
  }

  /**
   * Stores an objective as currently described.
   * @param data JSON
   */
  put(type: ObjectiveType, id: number, data: string): void {
    this.#put.run(type, id, data);
  }

  /** Marks an objective as no longer listed. */
  markMissing(type: ObjectiveType, id: number, nowMs: number): void {
    this.#markMissing.run(nowMs, type, id);
  }

  /**
   * Deletes objectives that are unlisted since before `beforeMs` and not used here.
   * @returns the number of deleted rows
   */
  purgeMissing(type: ObjectiveType, beforeMs: number): number {
    return this.#purgeMissing.run(type, beforeMs).changes;
  }

  /**
   * Objectives that the centre does not list, or that have another name in the configuration or an import. Empty if
   * the list was never read completely.
   */
  differences(type: ObjectiveType, limit: number): ObjectiveDifference[] {
    return this.#differences.all({ type, limit });
  }

  /** Whether the last list that was read completely has the objective. */
  isListed({ type, id }: ObjectiveRef): boolean {
    return this.#isListed.get(type, id) !== undefined;
  }

  /** The name of an objective in the configuration and at the centre; undefined unless both name it. */
  names({ type, id }: ObjectiveRef): { readonly here: string; readonly there: string } | undefined {
    return this.#names.get(type, id);
  }
}

function nameIn(table: "known" | "listed"): string {
  return `json_extract(iif(json_valid(${table}.data), ${table}.data, '{}'), '$.name')`;
}
