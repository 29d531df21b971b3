import type { RecordField } from "../domain/intervention.ts";
import type { Database } from "./database.ts";

/** A list request after its words were checked: every name in it is a known field. */
export interface InterventionQuery {
  /** All of them must hold. */
  readonly filters: readonly Filter[];
  /** Text that must stand in the name, the description or the notes. */
  readonly search?: string;
  readonly sort: readonly { readonly field: RecordField; readonly descending: boolean }[];
  readonly start: number;
  readonly end: number;
}

export interface Filter {
  readonly field: RecordField;
  /**
   * `equal`: one of the values. `not-equal`: none of them. `at-least`, `at-most`: compared with the first one, dates as
   * instants in milliseconds. `contains`: one of them as a part of the text, whatever the case and the accents.
   */
  readonly operator: "equal" | "not-equal" | "at-least" | "at-most" | "contains";
  readonly values: readonly FilterValue[];
}

export type FilterValue = string | number | boolean | null;
export type SqlValue = string | number | null;

/** Adds the function that `contains` and `search` compare with: small letters without accents, so ş finds ș and s. */
export function addFolding(database: Database): void {
  const fold = (text: string | number | null): string =>
    `${text ?? ""}`
      .normalize("NFKD")
      .replaceAll(/\p{Mn}/gu, "")
      .toLowerCase();
  database.function("folded", { deterministic: true }, fold);
}

/**
 * The WHERE clause and its parameters. Field names reach SQL only from the closed list of record fields, values only as
 * parameters; a list of values is one parameter, because a long chain of ORs is more than SQLite takes.
 */
export function whereOf({ filters, search }: InterventionQuery): {
  where: string;
  values: Record<string, SqlValue>;
} {
  const values: Record<string, SqlValue> = {};
  const conditions = filters.map((filter, index) => {
    const name = `v${index}`;
    const given = filter.values.filter((value) => value !== null).map(toSql);
    const isSingle = filter.operator === "at-least" || filter.operator === "at-most";
    values[name] = isSingle ? (given[0] ?? null) : JSON.stringify(given);
    return conditionOf(filter, `:${name}`);
  });
  if (search !== undefined) {
    values["search"] = search;
    conditions.push(
      `(${SEARCHED.map((field) => `instr(folded(${field}), folded(:search)) > 0`).join(" OR ")})`,
    );
  }
  return { where: ["deleted_at IS NULL", ...conditions].join(" AND "), values };
}

/** Dates are sorted by their instant, records without a value come last, and the id decides between equals. */
export function orderOf({ sort }: InterventionQuery): string {
  const keys = sort.map(
    ({ field, descending }) => `${comparable(field)} ${descending ? "DESC" : "ASC"} NULLS LAST`,
  );
  const byId = sort.some(({ field }) => field === "id") ? [] : ["id ASC"];
  return [...keys, ...byId].join(", ");
}

export function toSql(value: FilterValue): SqlValue {
  return typeof value === "boolean" ? Number(value) : value;
}

const SEARCHED: readonly RecordField[] = ["name", "description", "notes"];

function conditionOf({ field, operator, values }: Filter, parameter: string): string {
  const listed = `${field} IN (SELECT value FROM json_each(${parameter}))`;
  const wantsNull = values.includes(null);
  switch (operator) {
    case "equal":
      return wantsNull ? `(${listed} OR ${field} IS NULL)` : listed;
    case "not-equal":
      return wantsNull ? `(NOT ${listed} AND ${field} IS NOT NULL)` : `(NOT ${listed} OR ${field} IS NULL)`;
    case "at-least":
      return `${comparable(field)} >= ${parameter}`;
    case "at-most":
      return `${comparable(field)} <= ${parameter}`;
    case "contains":
      return `EXISTS (SELECT 1 FROM json_each(${parameter}) WHERE instr(folded(${field}), folded(value)) > 0)`;
  }
}

/** The column in which a field's values stand in their natural order. */
function comparable(field: RecordField): string {
  return field === "dateStart" || field === "dateEnd" ? `${field}Ms` : field;
}
