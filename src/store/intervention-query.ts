import type { RecordField } from "../domain/intervention.ts";
import { refText, type ObjectiveScope } from "../domain/objective.ts";
import { folded } from "../domain/search-folding.ts";
import type { SyncGroup } from "../domain/sync-group.ts";
import { ACTIVE, STUCK } from "./due-entries.ts";

/** One field of the order of a list. */
interface SortKey {
  readonly field: RecordField;
  readonly descending: boolean;
  /** Priority by its rank (low, medium, high) instead of its letters; no index has this order. */
  readonly isRanked?: boolean;
  /** Status by what is to be done first: done, then the unfinished ones by the rank of their priority. */
  readonly isUrgency?: boolean;
}

/** The records that the account of a site may use: those at its objectives, and those that it has created. */
export interface RecordScope {
  readonly objectives: ObjectiveScope;
  readonly accountId: number;
}

/** A validated list request: every field name is known. */
export interface InterventionQuery {
  /** All of them must match. */
  readonly filters: readonly Filter[];
  /** Text to find in name, description or notes. */
  readonly search?: string | undefined;
  /** Only the records of the account of a site; undefined for all. */
  readonly scope?: RecordScope | undefined;
  /** Only the records that have come so far to the dispatch centre; undefined for all. Only a site has an outbox. */
  readonly sync?: SyncGroup | undefined;
  /** The account that reads the list, which selects nothing: its slow lists must leave room for those of others. */
  readonly account?: number | undefined;
  readonly sort: readonly SortKey[];
  readonly start: number;
  readonly end: number;
}

export interface Filter {
  readonly field: RecordField;
  /**
   * `equal`: one of the values. `not-equal`: none of them. `at-least`, `at-most`: compared with the first one,
   * dates in milliseconds. `contains`: one of them is a part of the text, ignoring case and accents.
   */
  readonly operator: "equal" | "not-equal" | "at-least" | "at-most" | "contains";
  readonly values: readonly FilterValue[];
}

export type FilterValue = string | number | boolean | null;
export type SqlValue = string | number | null;

/** SQL function that counts the rows a list reads and is always true; registered by `InterventionLists`. */
export const ROW_WATCH = "row_watched";

/** A list query as SQL. */
export interface InterventionSql {
  /** The table, and whether its indexes may be used. */
  readonly from: string;
  readonly where: string;
  readonly values: Record<string, SqlValue>;
}

/** What selects the records of a list. */
type Conditions = Pick<InterventionQuery, "filters" | "search" | "scope" | "sync">;

/**
 * The FROM and WHERE clauses and their parameters, without tombstones.
 * @param order the first sort key; undefined if the order does not matter
 */
export function sqlOf(query: Conditions, order?: SortKey): InterventionSql {
  const { conditions, values } = conditionsOf(query);
  const isFiltered = query.scope !== undefined || isFew(query.sync) || query.filters.some(usesIndex);
  const isHelped =
    isFiltered || (order !== undefined && INDEXED.has(order.field) && rankOf(order) === undefined);
  return {
    // Otherwise SQLite scans the whole table along some index, with random reads.
    from: isHelped ? "interventions" : "interventions NOT INDEXED",
    // First, so that it is called for each row read, matching or not.
    where: [`${ROW_WATCH}(id)`, "deleted_at IS NULL", ...conditions].join(" AND "),
    values,
  };
}

/** Whether a partial index of the outbox has a group. Nearly all records have arrived, so that group has none. */
function isFew(sync: SyncGroup | undefined): boolean {
  return sync === "waiting" || sync === "attention";
}

/** Fields with an index. */
const INDEXED: ReadonlySet<RecordField> = new Set<RecordField>([
  "status",
  "priority",
  "type",
  "dateStart",
  "objectiveId",
  "name",
]);

function usesIndex({ field, operator }: Filter): boolean {
  return (field === "id" || INDEXED.has(field)) && (operator === "equal" || isOneSided(operator));
}

/** Whether an operator compares with one value. */
export function isOneSided(operator: Filter["operator"]): boolean {
  return operator === "at-least" || operator === "at-most";
}

/**
 * The conditions of a query and their parameters. Field names come only from the closed list of record fields,
 * values only as parameters. A list of values is one parameter, because SQLite limits the number of ORs.
 */
export function conditionsOf({ filters, search, scope, sync }: Conditions): {
  conditions: string[];
  values: Record<string, SqlValue>;
} {
  const values: Record<string, SqlValue> = {};
  const conditions = filters.map((filter, index) => {
    const name = `v${index}`;
    const given = filter.values.filter((value) => value !== null).map(toSql);
    const compared = filter.operator === "contains" ? given.map((text) => folded(String(text))) : given;
    const single = compared[0] ?? null;
    values[name] = isOneSided(filter.operator) || isOneValue(filter) ? single : JSON.stringify(compared);
    return conditionOf(filter, `:${name}`);
  });
  if (scope !== undefined) {
    // The ids alone can use the index of objectives; types and ids together are exact.
    values["scopeIds"] = JSON.stringify(scope.objectives.map(({ id }) => id));
    values["scope"] = JSON.stringify(scope.objectives.map(refText));
    values["scopeAccount"] = scope.accountId;
    conditions.push(scopedTo(scope.accountId));
  }
  if (sync !== undefined) conditions.push(IN_GROUP[sync]);
  if (search !== undefined) {
    values["search"] = folded(search);
    conditions.push(`(${SEARCHED.map((field) => `instr(${searchable(field)}, :search) > 0`).join(" OR ")})`);
  }
  return { conditions, values };
}

/** The records of a scope, each part by its own index; `interventions_creator` has those of accounts above 2. */
function scopedTo(accountId: number): string {
  return `id IN (
    SELECT id FROM interventions WHERE deleted_at IS NULL AND objectiveId IN (SELECT value FROM json_each(:scopeIds))
      AND objectiveType || '/' || objectiveId IN (SELECT value FROM json_each(:scope))
    UNION ALL
    SELECT id FROM interventions WHERE created_by = :scopeAccount ${accountId > 2 ? "AND created_by > 2" : ""})`;
}

/** The records of each group, by their outbox entries. */
const IN_GROUP: Readonly<Record<SyncGroup, string>> = {
  arrived: `EXISTS (SELECT 1 FROM outbox WHERE intervention_id = interventions.id AND phase = 'linked'
    AND want_rev <= synced_rev AND missing_since IS NULL)`,
  waiting: `interventions.id IN (
    SELECT intervention_id FROM outbox WHERE ${ACTIVE} AND phase <> 'blocked'
    UNION ALL SELECT intervention_id FROM outbox WHERE ${STUCK} AND phase = 'linked')`,
  attention: `interventions.id IN (
    SELECT intervention_id FROM outbox WHERE ${ACTIVE} AND phase = 'blocked'
    UNION ALL SELECT intervention_id FROM outbox WHERE ${STUCK} AND phase <> 'linked')`,
};

/** A single value becomes `=`, so that an index can also provide the order of the rows. */
function isOneValue({ operator, values }: Filter): boolean {
  return operator === "equal" && values.length === 1 && values[0] !== null;
}

/** By what it means: by its letters, high would come before low. */
const RANK = "CASE priority WHEN 'low' THEN 0 WHEN 'medium' THEN 1 ELSE 2 END";
const URGENCY = `CASE status WHEN 'done' THEN -1 ELSE ${RANK} END`;

/** The expression of a key that sorts by what its values mean; undefined for one that sorts by its column. */
export function rankOf({ isRanked, isUrgency }: Omit<SortKey, "field" | "descending">): string | undefined {
  if (isUrgency === true) return URGENCY;
  return isRanked === true ? RANK : undefined;
}

/** Dates are sorted by time, records without a value come last, and ties are sorted by id. */
export function orderOf({ sort }: Pick<InterventionQuery, "sort">): string {
  const keys = sort.map(
    (key) => `${rankOf(key) ?? comparable(key.field)} ${key.descending ? "DESC" : "ASC"} NULLS LAST`,
  );
  const byId = sort.some(({ field }) => field === "id") ? [] : ["id ASC"];
  return [...keys, ...byId].join(", ");
}

export function toSql(value: FilterValue): SqlValue {
  return typeof value === "boolean" ? Number(value) : value;
}

/** Fields stored as 0 or 1. */
export const FLAGS: ReadonlySet<RecordField> = new Set<RecordField>(["police", "ambulance", "firetruck"]);

/** The text fields, each with a folded copy in the column `<field>Folded`. */
export const SEARCHED = ["name", "description", "notes"] as const satisfies readonly RecordField[];

/** The column to search for a part of a text. With its table, because `json_each` has columns `id` and `type` too. */
function searchable(field: RecordField): string {
  const column = `interventions.${field}`;
  return (SEARCHED as readonly RecordField[]).includes(field) ? `${column}Folded` : `lower(${column})`;
}

function conditionOf(filter: Filter, parameter: string): string {
  const { field, operator } = filter;
  if (isOneValue(filter)) return `${field} = ${parameter}`;
  switch (operator) {
    case "equal":
    case "not-equal":
      return membership(filter, field, `${field} IN (SELECT value FROM json_each(${parameter}))`);
    case "at-least":
      return `${comparable(field)} >= ${parameter}`;
    case "at-most":
      return `${comparable(field)} <= ${parameter}`;
    case "contains":
      return `EXISTS (SELECT 1 FROM json_each(${parameter}) WHERE instr(${searchable(field)}, value) > 0)`;
  }
}

/**
 * Whether a column has one of the values of a filter, or none of them; null is a value too.
 * @param listed whether it has one of the others
 */
export function membership({ operator, values }: Filter, column: string, listed: string): string {
  const wantsNull = values.includes(null);
  if (operator === "equal") return wantsNull ? `(${listed} OR ${column} IS NULL)` : listed;
  return wantsNull ? `(NOT ${listed} AND ${column} IS NOT NULL)` : `(NOT ${listed} OR ${column} IS NULL)`;
}

/** The column in which a field sorts naturally. */
export function comparable(field: RecordField): string {
  return field === "dateStart" || field === "dateEnd" ? `${field}Ms` : field;
}
