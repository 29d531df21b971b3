import { createHash } from "node:crypto";
import {
  OBJECTIVE_TYPES,
  type Objective,
  type ObjectiveRef,
  type ObjectiveScope,
  type ObjectiveSource,
  type ObjectiveType,
} from "../domain/objective.ts";
import type { ObjectiveImport } from "../generated/types.ts";
import type { Database } from "../store/database.ts";
import { transaction } from "../store/transaction.ts";
import type { ListPage } from "../store/intervention-lists.ts";
import { ObjectiveStore } from "../store/objectives.ts";
import type { ObjectiveQuery } from "../domain/objective-query.ts";

/** A request for the objectives that an account sees. */
export interface ScopedRequest {
  readonly type: ObjectiveType;
  readonly query: ObjectiveQuery;
  /** Only these objectives; undefined for all. */
  readonly scope?: ObjectiveScope | undefined;
  /** Whose list it is, so that those of one account never take the places of all others; undefined for none. */
  readonly account?: number | undefined;
}

/** What the routes read, in whatever thread or database the objectives are. */
export interface ObjectiveLists {
  /**
   * Returns the requested slice of one type and the total number of matches.
   * @param signal aborted when the list is no longer needed
   * @throws AppError `invalid` for an unknown sort field; `unavailable` if the list cannot be read now; `too-many-requests` if it
   *   has waited too long for other slow lists
   */
  list(request: ScopedRequest, signal: AbortSignal): Promise<ListPage>;
  /** Version text that changes whenever the list of this type may change within the scope. */
  version(type: ObjectiveType, scope?: ObjectiveScope): Promise<string>;
  /** @throws AppError `not-found` */
  get(ref: ObjectiveRef, scope?: ObjectiveScope): Promise<Objective>;
}

/** Imports objectives into SQLite, in the calling thread. */
export class ObjectiveService {
  readonly #database: Database;
  readonly #objectives: ObjectiveStore;

  constructor(database: Database) {
    this.#database = database;
    this.#objectives = new ObjectiveStore(database);
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
    this.#objectives.completeVersions();
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
