import { createHash } from "node:crypto";
import {
  OBJECTIVE_TYPES,
  type Objective,
  type ObjectiveRef,
  type ObjectiveScope,
  type ObjectiveSource,
  type ObjectiveType,
} from "../domain/objective.ts";
import type { Remote } from "../domain/remote.ts";
import type { ObjectiveImport } from "../generated/types.ts";
import type { Database } from "../store/database.ts";
import { transaction } from "../store/transaction.ts";
import { ObjectiveStore } from "../store/objectives.ts";
import { unknownObjective } from "./records.ts";
import { completed, isPlain, selected, type ObjectiveQuery } from "../domain/objective-query.ts";

/** What the routes read, in whatever thread or database the objectives are. */
export type ObjectiveLists = Remote<Pick<ObjectiveService, "list" | "version" | "get">>;

/** Lists and imports objectives in SQLite. */
export class ObjectiveService {
  readonly #database: Database;
  readonly #objectives: ObjectiveStore;

  constructor(database: Database) {
    this.#database = database;
    this.#objectives = new ObjectiveStore(database);
  }

  /**
   * Returns the requested slice of one type and the total number of matches.
   * @param scope only these objectives; undefined for all
   * @throws AppError `invalid` for an unknown sort field
   */
  list(
    type: ObjectiveType,
    query: ObjectiveQuery,
    scope?: ObjectiveScope,
  ): { records: Objective[]; total: number } {
    const ids = idsOf(type, scope);
    if (isPlain(query)) {
      const { objectives, total } = this.#objectives.page(type, query, ids);
      return { records: objectives.map((objective) => completed(type, objective)), total };
    }
    const found = selected(
      this.#objectives.all(type, ids).map((objective) => completed(type, objective)),
      query,
    );
    return { records: found.slice(query.start, query.end), total: found.length };
  }

  /** Version text that changes whenever the list of this type may change within the scope. */
  version(type: ObjectiveType, scope?: ObjectiveScope): string {
    return scopedVersion(this.#objectives.version(type), type, scope);
  }

  /**
   * @param scope only these objectives; undefined for all
   * @throws AppError `not-found`
   */
  get(ref: ObjectiveRef, scope?: ObjectiveScope): Objective {
    const isInScope = idsOf(ref.type, scope)?.includes(ref.id) ?? true;
    const objective = isInScope ? this.#objectives.get(ref) : undefined;
    if (!objective) throw unknownObjective(ref);
    return completed(ref.type, objective);
  }

  /**
   * Adds or replaces objectives in one transaction.
   * @returns the number for each type
   */
  import(objectives: ObjectiveImport, source: ObjectiveSource): Record<ObjectiveType, number> {
    return transaction(this.#database, () => {
      const counts = OBJECTIVE_TYPES.map((type) => {
        const list = objectives[type] ?? [];
        for (const objective of list) this.#objectives.put(type, objective, source);
        return [type, list.length] as const;
      });
      return Object.fromEntries(counts) as Record<ObjectiveType, number>;
    });
  }

  /** Keeps objectives removed from the configuration; the dispatch centre's values apply to them again. */
  release(configured: ObjectiveImport): void {
    for (const type of OBJECTIVE_TYPES)
      this.#objectives.release(
        type,
        (configured[type] ?? []).map(({ id }) => id),
      );
  }
}

/** The version of a list as an account with a scope sees it. */
export function scopedVersion(
  version: string,
  type: ObjectiveType,
  scope: ObjectiveScope | undefined,
): string {
  const ids = idsOf(type, scope);
  if (ids === undefined) return version;
  return `${version}-${createHash("sha256").update(ids.join()).digest("hex").slice(0, 16)}`;
}

/** The ids of one type in a scope, undefined for all of them; ascending, so that the order in the scope does not matter. */
export function idsOf(type: ObjectiveType, scope: ObjectiveScope | undefined): number[] | undefined {
  return scope
    ?.filter((ref) => ref.type === type)
    .map(({ id }) => id)
    .toSorted((a, b) => a - b);
}
