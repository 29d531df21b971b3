import type { Condition } from "../../src/domain/condition.ts";

/** What the condition `data-lost` of a database says. */
export interface SaidLoss {
  /** Number of rows that differ from what was written, in all tables. */
  readonly altered: number;
  readonly pages: number;
  /** The first and the last named row of the table; `Infinity` and 0 for none. */
  readonly first: number;
  readonly last: number;
  /** Whether a row of the table is named. */
  readonly names: (row: number) => boolean;
}

/** Reads the condition of a database; undefined if it is not raised. */
export function saidLossOf(
  conditions: readonly Condition[],
  database: string,
  table: string,
): SaidLoss | undefined {
  const found = conditions.find(({ code, subject }) => code === "data-lost" && subject === database);
  if (found === undefined) return undefined;
  const { altered, pages, named } = found.values as { altered: number; pages: number; named: string };
  const texts = named
    .split("; ")
    .filter((part) => part.startsWith(`${table} `))
    .map((part) => part.slice(table.length + 1));
  const ranges = texts
    .flatMap((text) => text.split(", "))
    .filter((text) => /^\d/.test(text))
    .map((text) => text.split("-").map(Number));
  return {
    altered,
    pages,
    first: Math.min(...ranges.map(([first = 0]) => first), Infinity),
    last: Math.max(0, ...ranges.map(([first = 0, last = first]) => last)),
    names: (row) => ranges.some(([first = 0, last = first]) => first <= row && row <= last),
  };
}
