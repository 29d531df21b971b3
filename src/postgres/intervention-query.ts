import type { RecordField } from "../domain/intervention.ts";
import { refText } from "../domain/objective.ts";
import { folded } from "../domain/search-folding.ts";
import {
  comparable,
  FLAGS,
  isOneSided,
  membership,
  rankOf,
  SEARCHED,
  type Filter,
  type InterventionQuery,
} from "../store/intervention-query.ts";
import type { SqlParameter } from "./connection.ts";
import type { OrderedKey } from "./list-parts.ts";

const NUMBERS: ReadonlySet<RecordField> = new Set<RecordField>([
  "id",
  "objectiveId",
  "crews",
  "dispeceratId",
]);

/** Conditions of a list query and their parameters. */
export interface PostgresCondition {
  readonly where: string;
  readonly values: readonly SqlParameter[];
}

/**
 * The WHERE clause of a query; it selects exactly the records that `store/intervention-query` selects in SQLite. Field
 * names come only from the closed list of record fields, values only as parameters.
 */
export function conditionOf({
  filters,
  search,
  scope,
}: Pick<InterventionQuery, "filters" | "search" | "scope">): PostgresCondition {
  const values: SqlParameter[] = [];
  const parameter = (value: SqlParameter): string => `$${values.push(value)}`;
  const conditions = filters.map((filter) => filterSql(filter, parameter));
  if (scope !== undefined) {
    const ids = parameter(scope.objectives.map(({ id }) => id));
    const refs = parameter(scope.objectives.map(refText));
    // The ids alone can use the index of objectives; types and ids together are exact.
    const isAt = `"objectiveId" = ANY(${ids}::bigint[]) AND "objectiveType" || '/' || "objectiveId" = ANY(${refs}::text[])`;
    conditions.push(`((${isAt}) OR created_by = ${parameter(scope.accountId)}::bigint)`);
  }
  if (search !== undefined) {
    const text = parameter(withoutNul(folded(search)));
    conditions.push(`(${SEARCHED.map((field) => `strpos("${field}Folded", ${text}) > 0`).join(" OR ")})`);
    if (search.includes("\0")) conditions.push("FALSE");
  }
  return { where: ["TRUE", ...conditions].join(" AND "), values };
}

/** Fields that may be null. */
const NULLABLE: ReadonlySet<RecordField> = new Set<RecordField>([
  "description",
  "dateStart",
  "dateEnd",
  "notes",
  "invoicePdf",
]);

/**
 * Dates are sorted by time, records without a value come last, and ties are sorted by id. NULLS LAST only where there may be
 * one: PostgreSQL uses an index for an order only if both have the same, even if the column is never null.
 */
export function orderOf({ sort }: { readonly sort: readonly OrderedKey[] }): string {
  const keys = sort.map((key) => {
    const { field, descending, isNeverNull } = key;
    const mayBeNull = NULLABLE.has(field) && isNeverNull !== true;
    return `${rankOf(key) ?? `"${comparable(field)}"`} ${descending ? "DESC" : "ASC"}${mayBeNull ? " NULLS LAST" : ""}`;
  });
  return [...keys, ...(sort.some(({ field }) => field === "id") ? [] : ["id ASC"])].join(", ");
}

function filterSql(filter: Filter, parameter: (value: SqlParameter) => string): string {
  const { field, operator, values } = filter;
  const column = `"${field}"`;
  // No text in the database has a NUL, so a value with one equals none; the server would refuse it.
  const given = values.filter((value) => value !== null && !String(value).includes("\0"));
  if (operator === "contains") {
    const parts = parameter(given.map((part) => folded(String(part))));
    return `EXISTS (SELECT 1 FROM unnest(${parts}::text[]) AS part WHERE strpos(${searchable(field)}, part) > 0)`;
  }
  if (isOneSided(operator)) {
    const [bound] = values;
    const isCut = typeof bound === "string" && bound.includes("\0");
    const sign = operator === "at-most" ? "<=" : isCut ? ">" : ">=";
    const value = typeof bound === "string" ? withoutNul(bound) : (bound ?? null);
    return `"${comparable(field)}" ${sign} ${parameter(value)}::${boundType(field)}`;
  }
  return membership(filter, column, `${column} = ANY(${parameter(given)}::${typeOf(field)}[])`);
}

/** Texts compare by their bytes: the beginning up to a NUL sorts directly before the whole. */
function withoutNul(text: string): string {
  return text.split("\0")[0] ?? "";
}

/** The type of the column of a field. */
export function typeOf(field: RecordField): string {
  if (NUMBERS.has(field)) return "bigint";
  return FLAGS.has(field) ? "boolean" : "text";
}

function boundType(field: RecordField): string {
  return comparable(field) === field ? typeOf(field) : "bigint";
}

/** The column to search for a part of a text; numbers and flags as SQLite writes them. */
function searchable(field: RecordField): string {
  if ((SEARCHED as readonly RecordField[]).includes(field)) return `"${field}Folded"`;
  return FLAGS.has(field) ? `"${field}"::int::text` : `lower("${field}"::text COLLATE "C")`;
}
