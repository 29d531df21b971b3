import { createHash } from "node:crypto";
import {
  OBJECTIVE_TYPES,
  type Objective,
  type ObjectiveRef,
  type ObjectiveScope,
  type ObjectiveSource,
  type ObjectiveType,
} from "../domain/objective.ts";
import { AppError } from "../domain/errors.ts";
import type { ObjectiveImport } from "../generated/types.ts";
import type { Database } from "../store/database.ts";
import { transaction } from "../store/transaction.ts";
import { ObjectiveStore } from "../store/objectives.ts";
import { completed, isPlain, selected, type ObjectiveQuery } from "../domain/objective-query.ts";

/** The objectives as the interface lists them, and the ways they get in. */
export class ObjectiveService {
  readonly #database: Database;
  readonly #objectives: ObjectiveStore;

  constructor(database: Database) {
    this.#database = database;
    this.#objectives = new ObjectiveStore(database);
  }

  /**
   * The requested slice of one kind, and how many fit the filters in all.
   * @param scope only these objectives; undefined for all of them
   * @throws AppError `invalid` for a sort by a field that none of them can have
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

  /** A text that is another one whenever the list of that kind may be another one within the scope. */
  version(type: ObjectiveType, scope?: ObjectiveScope): string {
    const version = this.#objectives.version(type);
    const ids = idsOf(type, scope);
    if (ids === undefined) return version;
    return `${version}-${createHash("sha256").update(ids.join()).digest("hex").slice(0, 16)}`;
  }

  /**
   * @param scope only these objectives; undefined for all of them
   * @throws AppError `not-found`
   */
  get(ref: ObjectiveRef, scope?: ObjectiveScope): Objective {
    const isSeen = idsOf(ref.type, scope)?.includes(ref.id) ?? true;
    const objective = isSeen ? this.#objectives.get(ref) : undefined;
    if (!objective) throw new AppError("not-found", `there is no objective ${ref.id} in ${ref.type}`);
    return completed(ref.type, objective);
  }

  /**
   * Adds or replaces objectives, all or none.
   * @returns how many of each kind
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

  /** Objectives that the configuration described once and no longer does stay, and the centre's word counts for them again. */
  release(configured: ObjectiveImport): void {
    for (const type of OBJECTIVE_TYPES)
      this.#objectives.release(
        type,
        (configured[type] ?? []).map(({ id }) => id),
      );
  }
}

/** Ascending, so that the order in which they were named makes no difference. */
function idsOf(type: ObjectiveType, scope: ObjectiveScope | undefined): number[] | undefined {
  return scope
    ?.filter((ref) => ref.type === type)
    .map(({ id }) => id)
    .toSorted((a, b) => a - b);
}
