import type { RecordField } from "../domain/intervention.ts";
import { folded } from "../domain/folding.ts";

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
    const compared = filter.operator === "contains" ? given.map((text) => folded(String(text))) : given;
    const isSingle = filter.operator === "at-least" || filter.operator === "at-most";
    values[name] = isSingle ? (compared[0] ?? null) : JSON.stringify(compared);
    return conditionOf(filter, `:${name}`);
  });
  if (search !== undefined) {
    values["search"] = folded(search);
    conditions.push(`(${SEARCHED.map((field) => `instr(${searchable(field)}, :search) > 0`).join(" OR ")})`);
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

/** The texts, each with a folded copy in the column `<field>Folded`. */
export const SEARCHED = ["name", "description", "notes"] as const satisfies readonly RecordField[];

/** What a part of a text is looked for in. */
function searchable(field: RecordField): string {
  return (SEARCHED as readonly RecordField[]).includes(field) ? `${field}Folded` : `lower(${field})`;
}

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
      return `EXISTS (SELECT 1 FROM json_each(${parameter}) WHERE instr(${searchable(field)}, value) > 0)`;
  }
}

/** The column in which a field's values stand in their natural order. */
function comparable(field: RecordField): string {
  return field === "dateStart" || field === "dateEnd" ? `${field}Ms` : field;
}
