import type {
  Objective,
  ObjectiveRef,
  ObjectiveScope,
  ObjectiveSource,
  ObjectiveType,
} from "../domain/objective.ts";
import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import { completed, idsAsked, isPlain, ObjectiveSelection } from "../domain/objective-query.ts";
import type { Remote } from "../domain/remote.ts";
import type { ObjectiveImport } from "../generated/types.ts";
import {
  idsOf,
  scopedVersion,
  type ObjectiveLists,
  type ObjectiveService,
  type ScopedRequest,
} from "../service/objectives.ts";
import { unknownObjective } from "../service/records.ts";
import type { ListPage } from "../store/intervention-lists.ts";
import { notNeeded } from "../service/fair-lists.ts";
import { OBJECTIVES_REMEDY } from "../store/objectives.ts";
import { AT_ONE_MOMENT, type PostgresConnections, type Queries } from "./connection.ts";
import type { PostgresLists } from "./postgres-lists.ts";
import { AppError } from "../domain/errors.ts";

/** Objectives that are read and searched at once: some milliseconds. */
const PART_ROWS = 500;

/** The objectives of a centre, as `ObjectiveService` has those in SQLite. */
export class PostgresObjectives
  implements ObjectiveLists, Remote<Pick<ObjectiveService, "import" | "release">>
{
  readonly #connections: PostgresConnections;
  readonly #lists: Pick<PostgresLists, "inTurn"> | undefined;

  /** @param lists has the turns of long lists; undefined where none is read */
  constructor(connections: PostgresConnections, lists?: Pick<PostgresLists, "inTurn">) {
    this.#connections = connections;
    this.#lists = lists;
  }

  async list(request: ScopedRequest, signal: AbortSignal): Promise<ListPage> {
    const { type, query, scope } = request;
    const ids = idsOf(type, scope) ?? null;
    const asked = idsAsked(query) ?? null;
    const { start, end } = query;
    if (asked === null && !isPlain(query)) {
      const found = await this.#selected(request, ids, signal);
      return { records: found.slice(start, end).map(toText), total: found.length };
    }
    return this.#connections.transaction(async (queries) => {
      const [counted] = await queries.query<{ total: number }>(TOTAL, [type, ids, asked]);
      const rows = await queries.query<ObjectiveRow>(PAGE, [
        type,
        ids,
        asked,
        start,
        Math.max(0, end - start),
      ]);
      return { records: rows.map((row) => toText(objectiveOf(type, row))), total: counted?.total ?? 0 };
    }, AT_ONE_MOMENT);
  }

  /** Reads the objectives in parts, between which the other work of the event loop goes on. More than one part is a long list. */
  async #selected(
    { type, query, account }: ScopedRequest,
    ids: readonly number[] | null,
    signal: AbortSignal,
  ): Promise<Objective[]> {
    const selection = new ObjectiveSelection(query);
    /** Each part by itself. @returns the id after which the next one begins; null after the last one */
    const addPart = async (queries: Queries, after: number | null): Promise<number | null> => {
      const rows = await queries.query<PartRow>(NEXT, [type, ids, after]);
      for (const row of rows) selection.add(objectiveOf(type, row));
      return rows.length < PART_ROWS ? null : (rows.at(-1)?.id ?? null);
    };
    const addFrom = async (queries: Queries, first: number): Promise<void> => {
      for (let after: number | null = first; after !== null; after = await addPart(queries, after))
        if (signal.aborted) throw notNeeded();
    };
    const next = await addPart(this.#connections, null);
    if (next !== null) {
      const asked = { account, remedy: OBJECTIVES_REMEDY };
      if (this.#lists) await this.#lists.inTurn(asked, signal, (queries) => addFrom(queries, next));
      else await addFrom(this.#connections, next);
    }
    return selection.result();
  }

  async version(type: ObjectiveType, scope?: ObjectiveScope): Promise<string> {
    const sql = "SELECT version FROM list_versions WHERE kind = $1";
    const [row] = await this.#connections.query<{ version: string }>(sql, [type]);
    return scopedVersion(row?.version ?? "", type, scope);
  }

  async get(ref: ObjectiveRef, scope?: ObjectiveScope): Promise<Objective> {
    const isInScope = idsOf(ref.type, scope)?.includes(ref.id) ?? true;
    const sql = "SELECT data FROM objectives WHERE kind = $1 AND id = $2";
    const [row] = isInScope ? await this.#connections.query<ObjectiveRow>(sql, [ref.type, ref.id]) : [];
    if (!row) throw unknownObjective(ref);
    return objectiveOf(ref.type, row);
  }

  async import(objectives: ObjectiveImport, source: ObjectiveSource): Promise<Record<ObjectiveType, number>> {
    const lists = OBJECTIVE_TYPES.map((type) => [type, [...(objectives[type] ?? [])]] as const);
    await this.#connections.transaction(async (queries) => {
      for (const [type, list] of lists) {
        // The last of several with the same id counts, as when they are stored one after another.
        const byId = new Map(list.map((one) => [one.id, textOf(one)]));
        if (byId.size > 0) await queries.query(PUT, [type, [...byId.keys()], [...byId.values()], source]);
      }
    });
    return Object.fromEntries(lists.map(([type, list]) => [type, list.length])) as Record<
      ObjectiveType,
      number
    >;
  }

  async release(configured: ObjectiveImport): Promise<void> {
    for (const type of OBJECTIVE_TYPES)
      await this.#connections.writes.query(RELEASE, [type, (configured[type] ?? []).map(({ id }) => id)]);
  }
}

interface ObjectiveRow {
  /** JSON. */
  readonly data: string;
}

type PartRow = ObjectiveRow & { readonly id: number };

/** The objective of a row, with all its fields. */
export function objectiveOf(type: ObjectiveType, { data }: ObjectiveRow): Objective {
  return completed(type, JSON.parse(data) as Objective);
}

function toText(objective: Objective): string {
  return JSON.stringify(objective);
}

/** @throws AppError `bad-data` for an id that is no whole number in the range of the database */
function textOf(objective: Objective): string {
  if (!Number.isSafeInteger(objective.id))
    throw new AppError("bad-data", `objective ${objective.id} has an id out of range`);
  return JSON.stringify(objective);
}

const LISTED = "FROM objectives WHERE kind = $1 AND ($2::bigint[] IS NULL OR id = ANY($2::bigint[]))";
const NEXT = `SELECT id, data ${LISTED} AND ($3::bigint IS NULL OR id > $3::bigint) ORDER BY id LIMIT ${PART_ROWS}`;
const ASKED = `${LISTED} AND ($3::bigint[] IS NULL OR id = ANY($3::bigint[]))`;
const PAGE = `SELECT data ${ASKED} ORDER BY id OFFSET $4 LIMIT $5`;
const TOTAL = `SELECT count(*) AS total ${ASKED}`;
/** Leaves out the rows that stay as they are: a conflict alone would lock them, and the commit would wait for a standby. */
const PUT = `
  INSERT INTO objectives AS known(kind, id, data, source)
  SELECT $1, id, data, $4 FROM unnest($2::bigint[], $3::text[]) AS given(id, data)
  WHERE NOT EXISTS (SELECT FROM objectives AS same WHERE same.kind = $1 AND same.id = given.id
    AND ($4::text = 'zone' OR (same.data, same.source) = (given.data, $4::text)))
  ORDER BY id
  ON CONFLICT (kind, id) DO UPDATE SET data = excluded.data, source = excluded.source
  WHERE excluded.source <> 'zone' AND (known.data, known.source) <> (excluded.data, excluded.source)`;
/** Locks in the order of `PUT`: processes with different configurations may start at the same time. */
const RELEASE = `
  UPDATE objectives SET source = 'import'
  FROM (SELECT id FROM objectives WHERE kind = $1 AND source = 'config' AND id <> ALL($2::bigint[])
    ORDER BY id FOR UPDATE) AS released
  WHERE kind = $1 AND objectives.id = released.id`;
