import type { Objective, ObjectiveRef, ObjectiveSource, ObjectiveType } from "../domain/objective.ts";
import type { Statement } from "better-sqlite3";
import { Store } from "./database.ts";

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
const AMONG = "WHERE id IN (SELECT value FROM json_each(:ids))";

/**
 * The objectives that interventions refer to: those this site knows and those the dispatch centre lists. The
 * centre's description counts, unless the configuration describes the objective too.
 */
export class ObjectiveStore extends Store {
  readonly #isKnown = this.prepare("SELECT 1 FROM objectives WHERE kind = ? AND id = ?");
  readonly #isListed = this.prepare(
    "SELECT 1 FROM centre_objectives WHERE kind = ? AND id = ? AND missing_since IS NULL",
  );
  readonly #get = this.prepare<string>(`SELECT data FROM (${DESCRIBED}) WHERE id = :id`).pluck();
  readonly #all = this.#lists("SELECT data FROM", "ORDER BY id");
  readonly #page = this.#lists("SELECT data FROM", "ORDER BY id LIMIT :rows OFFSET :start");
  readonly #total = this.#lists("SELECT count(*) FROM");
  readonly #version = this.prepare<string>("SELECT version FROM list_versions WHERE kind = ?").pluck();
  readonly #put = this.prepare(
    `INSERT INTO objectives(kind, id, data, source) VALUES(:type, :id, :data, :source)
     ON CONFLICT(kind, id) DO UPDATE SET data = excluded.data, source = excluded.source
     WHERE excluded.source <> 'zone' AND (data, source) <> (excluded.data, excluded.source)`,
  );
  readonly #release = this.prepare(
    `UPDATE objectives SET source = 'import'
     WHERE kind = ? AND source = 'config' AND id NOT IN (SELECT value FROM json_each(?))`,
  );

  /** Whether a record may refer to it: this site knows it, or the centre lists it. */
  exists({ type, id }: ObjectiveRef): boolean {
    return this.#isKnown.get(type, id) !== undefined || this.#isListed.get(type, id) !== undefined;
  }

  /** One objective with its description. */
  get({ type, id }: ObjectiveRef): Objective | undefined {
    const data = this.#get.get({ type, id });
    return data === undefined ? undefined : toObjective(data);
  }

  /**
   * All objectives of a type by ascending id.
   * @param ids only these; undefined for all of them
   */
  all(type: ObjectiveType, ids?: readonly number[]): Objective[] {
    return this.#all(ids)
      .all({ type, ids: JSON.stringify(ids) })
      .map(toObjective);
  }

  /** A page of these and their total, so that a client can read the list page by page. */
  page(
    type: ObjectiveType,
    { start, end }: { readonly start: number; readonly end: number },
    ids?: readonly number[],
  ): { objectives: Objective[]; total: number } {
    const given = { type, ids: JSON.stringify(ids) };
    const rows = this.#page(ids).all({ ...given, start, rows: Math.max(0, end - start) });
    return { objectives: rows.map(toObjective), total: this.#total(ids).get(given) as number };
  }

  /** The version of a list, which changes with its rows. */
  version(type: ObjectiveType): string {
    return this.#version.get(type) as string;
  }

  /**
   * Adds or replaces an objective of this site. A placeholder from a zone never replaces a description. Unchanged
   * rows are not written, because every start does this, also on a full disk.
   */
  put(type: ObjectiveType, objective: Objective, source: ObjectiveSource): void {
    this.#put.run({ type, id: objective.id, data: JSON.stringify(objective), source });
  }

  /** Marks objectives that the configuration no longer describes as imported. */
  release(type: ObjectiveType, configuredIds: readonly number[]): void {
    this.#release.run(type, JSON.stringify(configuredIds));
  }

  /** A query of all objectives, and one of those in `:ids`, which can use an index. */
  #lists(select: string, order = ""): (ids: readonly number[] | undefined) => Statement {
    const [all, some] = ["", AMONG].map((which) =>
      this.prepare(`${select} (${DESCRIBED}) ${which} ${order}`).pluck(),
    ) as [Statement, Statement];
    return (ids) => (ids === undefined ? all : some);
  }
}

function toObjective(data: unknown): Objective {
  return JSON.parse(data as string) as Objective;
}
