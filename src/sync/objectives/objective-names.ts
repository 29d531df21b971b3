import type { Conditions } from "../../domain/condition.ts";
import { messageOf } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import type { ObjectiveRef } from "../../domain/objective.ts";
import { hasOtherName, objectivesText } from "../../domain/objective-names.ts";
import { isStorageError, type Database } from "../../store/database.ts";
import { UpstreamObjectiveStore } from "../../store/upstream-objectives.ts";

interface ObjectiveNamesOptions {
  readonly database: Database;
  readonly conditions: Conditions;
  readonly log: Log;
}

/**
 * Compares the names that the configuration gives the objectives of zones with those in the centre's lists. A trip names its objective
 * by id only: if the id is another building at the centre, a crew goes there.
 */
export class ObjectiveNames {
  readonly #options: ObjectiveNamesOptions;
  readonly #lists: UpstreamObjectiveStore;
  #used: readonly ObjectiveRef[] = [];

  constructor(options: ObjectiveNamesOptions) {
    this.#options = options;
    this.#lists = new UpstreamObjectiveStore(options.database);
  }

  /** Sets the objectives that zones use. */
  use(objectives: readonly ObjectiveRef[]): void {
    const byText = new Map(objectives.map(({ type, id }) => [`${type}/${id}`, { type, id }]));
    this.#used = [...byText.values()];
  }

  /** Raises or clears the condition. @param centre address of the dispatch centre; undefined for a standalone daemon */
  check(centre: string | undefined): void {
    const { conditions, log } = this.#options;
    try {
      const others = this.#used.flatMap((ref) => {
        // The list of a former dispatch centre says nothing about this one.
        const isOfCentre = centre !== undefined && this.#lists.lastRead(ref.type)?.centre === centre;
        const names = isOfCentre ? this.#lists.names(ref) : undefined;
        return names && hasOtherName(names) ? [{ ...ref, ...names }] : [];
      });
      if (others.length === 0) conditions.clear("objective-names-differ");
      else conditions.raise("objective-names-differ", { objectives: objectivesText(others) });
    } catch (error) {
      // Compared again after the next reading of the lists.
      if (!isStorageError(error)) throw error;
      log.warn("objective-names-read-failed", { reason: messageOf(error) });
    }
  }
}
