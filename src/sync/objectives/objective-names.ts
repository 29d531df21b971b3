import type { Conditions } from "../../domain/condition.ts";
import { messageOf } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import { refText } from "../../domain/objective.ts";
import { hasOtherName, objectivesText, usersText, type ObjectiveUser } from "../../domain/objective-names.ts";
import { isStorageError, type Database } from "../../store/database.ts";
import { UpstreamObjectiveStore } from "../../store/upstream-objectives.ts";

interface ObjectiveNamesOptions {
  readonly database: Database;
  readonly conditions: Conditions;
  readonly log: Log;
}

/**
 * Compares the objectives of zones with the centre's lists. A trip names its objective by id only: if the id is another building at
 * the centre, a crew goes there; if the centre does not have it, the trip waits here.
 */
export class ObjectiveNames {
  readonly #options: ObjectiveNamesOptions;
  readonly #lists: UpstreamObjectiveStore;
  #users: readonly ObjectiveUser[] = [];

  constructor(options: ObjectiveNamesOptions) {
    this.#options = options;
    this.#lists = new UpstreamObjectiveStore(options.database);
  }

  /** Sets the zones and accounts that use objectives. */
  use(users: readonly ObjectiveUser[]): void {
    this.#users = users.map(({ objective: { type, id }, name, account }) => ({
      objective: { type, id },
      ...(name !== undefined && { name }),
      ...(account !== undefined && { account }),
    }));
  }

  /** Raises or clears the conditions. @param centre address of the dispatch centre; undefined for a standalone daemon */
  check(centre: string | undefined): void {
    const { conditions, log } = this.#options;
    try {
      // The list of a former dispatch centre says nothing about this one.
      const compared = this.#users.filter(
        ({ objective: { type } }) => centre !== undefined && this.#lists.lastRead(type)?.centre === centre,
      );
      const others = [
        ...new Map(compared.map(({ objective }) => [refText(objective), objective])).values(),
      ].flatMap((ref) => {
        const names = this.#lists.names(ref);
        return names && hasOtherName(names) ? [{ ...ref, ...names }] : [];
      });
      if (others.length === 0) conditions.clear("objective-names-differ");
      else conditions.raise("objective-names-differ", { objectives: objectivesText(others) });
      const missing = compared.filter(({ objective }) => !this.#lists.isListed(objective));
      if (missing.length === 0) conditions.clear("objective-missing");
      else conditions.raise("objective-missing", { objectives: usersText(missing) });
    } catch (error) {
      // Compared again after the next reading of the lists.
      if (!isStorageError(error)) throw error;
      log.warn("objective-names-read-failed", { reason: messageOf(error) });
    }
  }
}
