import {
  OBJECTIVE_TYPES,
  type Objective,
  type ObjectiveRef,
  type ObjectiveSource,
  type ObjectiveType,
} from "../domain/objective.ts";
import { AppError } from "../domain/errors.ts";
import type { ObjectiveImport } from "../generated/types.ts";
import type { Database } from "../store/database.ts";
import { transaction } from "../store/transaction.ts";
import { ObjectiveStore } from "../store/objectives.ts";
import { completed, selected, type ObjectiveQuery } from "../domain/objective-query.ts";

/** The objectives as the interface lists them, and the ways they get in. */
export class ObjectiveService {
  readonly #database: Database;
  readonly #objectives: ObjectiveStore;

  constructor(database: Database) {
    this.#database = database;
    this.#objectives = new ObjectiveStore(database);
  }

  /** The asked slice of one kind, and how many fit the filters in all. */
  list(type: ObjectiveType, query: ObjectiveQuery): { records: Objective[]; total: number } {
    if (query.filters.length === 0 && query.search === undefined && query.sort.length === 0) {
      const { objectives, total } = this.#objectives.page(type, query.start, query.end);
      return { records: objectives.map((objective) => completed(type, objective)), total };
    }
    const found = selected(
      this.#objectives.all(type).map((objective) => completed(type, objective)),
      query,
    );
    return { records: found.slice(query.start, query.end), total: found.length };
  }

  /** @throws AppError `not-found` */
  get(ref: ObjectiveRef): Objective {
    const objective = this.#objectives.get(ref);
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
