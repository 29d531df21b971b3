import {
  OBJECTIVE_TYPES,
  type Objective,
  type ObjectiveRef,
  type ObjectiveSource,
  type ObjectiveType,
} from "../domain/objective.ts";
import {
  completed,
  idsAsked,
  isPlain,
  ObjectiveSelection,
  type ObjectiveQuery,
} from "../domain/objective-query.ts";
import type { Statement } from "better-sqlite3";
import { Store } from "./database.ts";
import { unwatched, type ListPage, type RowWatch } from "./intervention-lists.ts";
import { storedJson } from "./stored-json.ts";
import { readTransaction } from "./transaction.ts";

/** A request for objectives of one type. */
export interface ObjectiveRequest {
  readonly type: ObjectiveType;
  readonly query: ObjectiveQuery;
  /** Only these; undefined for all of them. */
  readonly ids: readonly number[] | undefined;
}

/** What a client can do about an expensive list of objectives. */
export const OBJECTIVES_REMEDY =
  "Request the objectives by id, or page by page without a search, filters and another order.";

/** Reads lists of objectives outside the event loop. */
export interface ObjectiveReader {
  /**
   * @param signal aborted when the list is no longer needed
   * @throws AppError `unavailable` if it cannot be read now; `invalid` for an unknown sort field, or if it takes too long
   */
  readObjectives(request: ObjectiveRequest, signal: AbortSignal): Promise<ListPage>;
}

/**
 * The ids of a type in their order, each once. One that the centre no longer lists and this site does not use does not exist. The
 * two parts are merged by their keys: as the rows of a subquery they would be sorted for each page.
 * @param among a condition on the ids
 */
function idsOf(among: string): string {
  return `
  SELECT id FROM objectives WHERE kind = :type ${among}
  UNION ALL
  SELECT id FROM centre_objectives AS listed WHERE kind = :type AND missing_since IS NULL ${among}
    AND NOT EXISTS (SELECT 1 FROM objectives AS known WHERE known.kind = listed.kind AND known.id = listed.id)
  ORDER BY id`;
}

/** The objectives with these ids, in their order. */
function described(ids: string): string {
  return `
  SELECT CASE known.source WHEN 'config' THEN known.data ELSE coalesce(listed.data, known.data) END
  FROM (${ids}) AS page
    LEFT JOIN objectives AS known ON known.kind = :type AND known.id = page.id
    LEFT JOIN centre_objectives AS listed ON listed.kind = :type AND listed.id = page.id
  ORDER BY page.id`;
}

/** A condition that limits a list to the ids in `:ids`, a JSON list. */
const AMONG = "AND id IN (SELECT value FROM json_each(:ids))";

/**
 * The objectives that interventions refer to: those this site knows and those the dispatch centre lists. The
 * centre's description counts, unless the configuration describes the objective too.
 */
export class ObjectiveStore extends Store {
  readonly #isKnown = this.prepare("SELECT 1 FROM objectives WHERE kind = ? AND id = ?");
  readonly #isNamed = this.prepare("SELECT 1 FROM objectives WHERE kind = ? AND id = ? AND source <> 'zone'");
  readonly #isListed = this.prepare(
    "SELECT 1 FROM centre_objectives WHERE kind = ? AND id = ? AND missing_since IS NULL",
  );
  readonly #get = this.prepare<string>(described(idsOf("AND id = :id"))).pluck();
  readonly #list = this.#statements((ids) => described(`${ids} LIMIT :rows OFFSET :start`));
  readonly #count = this.#statements((ids) => `SELECT count(*) FROM (${ids})`);
  /** The number of objectives by type, with the version of their list. */
  readonly #totals = new Map<ObjectiveType, { readonly version: string; readonly total: number }>();
  readonly #version = this.prepare<string>("SELECT version FROM list_versions WHERE kind = ?").pluck();
  readonly #addVersions = this.prepare(
    "INSERT OR IGNORE INTO list_versions(kind, version) SELECT value, lower(hex(randomblob(8))) FROM json_each(?)",
  );
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

  /** Whether its name is known: of one that only a zone refers to, it is a placeholder. */
  isDescribed({ type, id }: ObjectiveRef): boolean {
    return this.#isNamed.get(type, id) !== undefined || this.#isListed.get(type, id) !== undefined;
  }

  /** One objective with its description. */
  get({ type, id }: ObjectiveRef): Objective | undefined {
    const data = this.#get.get({ type, id });
    return data === undefined ? undefined : toObjective(data);
  }

  /**
   * The requested slice and the total number of matches, so that a client can read the list page by page; both as they are at
   * one moment.
   * @param watch called for each row that no index selects
   * @throws AppError `invalid` for an unknown sort field; the error of `watch`
   */
  list(request: ObjectiveRequest, watch: RowWatch = unwatched): ListPage {
    const { type, query } = request;
    const { start, end } = query;
    const { ids, isIndexed } = selectionOf(request);
    if (isIndexed)
      return readTransaction(this.database, () => {
        const rows = this.#rows(type, ids, { start, rows: Math.max(0, end - start) });
        return { records: Array.from(rows, toText), total: this.#total(type, ids) };
      });
    const selection = new ObjectiveSelection(query);
    let read = 0;
    for (const objective of this.#rows(type, ids)) {
      watch((read += 1));
      selection.add(objective);
    }
    const found = selection.result();
    return { records: found.slice(start, end).map(toText), total: found.length };
  }

  /** The number of rows that a list reads because no index selects them. */
  rowsOf(request: ObjectiveRequest): number {
    const { ids, isIndexed } = selectionOf(request);
    return isIndexed ? 0 : (ids?.length ?? this.#total(request.type, undefined));
  }

  *#rows(
    type: ObjectiveType,
    ids: readonly number[] | undefined,
    slice = { start: 0, rows: -1 },
  ): Generator<Objective> {
    for (const data of this.#list(ids).iterate({ type, ids: JSON.stringify(ids), ...slice }))
      yield completed(type, toObjective(data));
  }

  /** Counted once for each version of the list: a client that reads page by page needs the total of each page. */
  #total(type: ObjectiveType, ids: readonly number[] | undefined): number {
    const count = (): number => this.#count(ids).get({ type, ids: JSON.stringify(ids) }) as number;
    if (ids !== undefined) return count();
    // Read before the rows, so that a change in between causes another count.
    const version = this.version(type);
    const counted = this.#totals.get(type);
    if (counted?.version === version) return counted.total;
    const total = count();
    this.#totals.set(type, { version, total });
    return total;
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

  /** Gives each list the version that it may have lost: without it, no list can be read. */
  completeVersions(): void {
    this.#addVersions.run(JSON.stringify(OBJECTIVE_TYPES));
  }

  /** Marks objectives that the configuration no longer describes as imported. */
  release(type: ObjectiveType, configuredIds: readonly number[]): void {
    this.#release.run(type, JSON.stringify(configuredIds));
  }

  /** A query of all objectives, and one of those in `:ids`, which can use an index. */
  #statements(sqlOf: (ids: string) => string): (ids: readonly number[] | undefined) => Statement {
    const [all, some] = ["", AMONG].map((among) => this.prepare(sqlOf(idsOf(among))).pluck()) as [
      Statement,
      Statement,
    ];
    return (ids) => (ids === undefined ? all : some);
  }
}

/** The ids to which a request is limited, undefined for all, and whether an index selects and sorts its rows. */
function selectionOf({ query, ids }: ObjectiveRequest): {
  readonly ids: readonly number[] | undefined;
  readonly isIndexed: boolean;
} {
  const asked = idsAsked(query);
  if (asked === undefined) return { ids, isIndexed: isPlain(query) };
  const allowed = ids && new Set(ids);
  return { ids: asked.filter((id) => allowed?.has(id) ?? true), isIndexed: true };
}

function toText(objective: Objective): string {
  return JSON.stringify(objective);
}

/** A damaged row keeps its place in the list, so that the others can still be read. */
function toObjective(data: unknown): Objective {
  const text = String(data);
  const objective = storedJson<Objective | undefined>(text, undefined);
  if (objective) return objective;
  const id = Number(/"id":(\d+)/.exec(text)?.[1] ?? 0);
  return { id, name: `#${id}` };
}
