import { completed } from "../domain/objective-query.ts";
import type { Objective, ObjectiveRef, ObjectiveScope, ObjectiveType } from "../domain/objective.ts";
import type { Database } from "../store/database.ts";
import type { ListPage } from "../store/intervention-lists.ts";
import { OBJECTIVES_REMEDY, ObjectiveStore, type ObjectiveReader } from "../store/objectives.ts";
import type { FairLists } from "./fair-lists.ts";
import { unknownObjective } from "./records.ts";
import { idsOf, scopedVersion, type ObjectiveLists, type ScopedRequest } from "./objectives.ts";

/** A list that reads more rows is read in another thread: each row is parsed and compared in JavaScript, at most 5 ms here. */
const ROWS_HERE_MAX = 500;

interface LongLists {
  readonly reader: ObjectiveReader;
  readonly turns: Pick<FairLists, "inTurn">;
}

/** The objectives in SQLite: pages and single ones are read here, long searches and sorts in another thread. */
export class SqliteObjectives implements ObjectiveLists {
  readonly #objectives: ObjectiveStore;
  readonly #longLists: LongLists | undefined;

  /** @param longLists reads long lists, in the turns of their accounts; without it all lists are read here */
  constructor({ database, longLists }: { database: Database; longLists?: LongLists | undefined }) {
    this.#objectives = new ObjectiveStore(database);
    this.#longLists = longLists;
  }

  async list(request: ScopedRequest, signal: AbortSignal): Promise<ListPage> {
    const { type, query, scope, account } = request;
    const asked = { type, query, ids: idsOf(type, scope) };
    if (!this.#longLists || this.#objectives.rowsOf(asked) <= ROWS_HERE_MAX)
      return this.#objectives.list(asked);
    const { reader, turns } = this.#longLists;
    return turns.inTurn({ account, remedy: OBJECTIVES_REMEDY }, signal, () =>
      reader.readObjectives(asked, signal),
    );
  }

  async version(type: ObjectiveType, scope?: ObjectiveScope): Promise<string> {
    return scopedVersion(this.#objectives.version(type), type, scope);
  }

  async get(ref: ObjectiveRef, scope?: ObjectiveScope): Promise<Objective> {
    const isInScope = idsOf(ref.type, scope)?.includes(ref.id) ?? true;
    const objective = isInScope ? this.#objectives.get(ref) : undefined;
    if (!objective) throw unknownObjective(ref);
    return completed(ref.type, objective);
  }
}
