import type { Database } from "./database.ts";

/** From and to, both included. */
export type NumberRange = readonly [first: number, last: number];

/** Tables whose rows have numbers that are never given again, with when a row was made. */
const NUMBERED = {
  interventions: { id: "id", at: "created_at" },
  trips: { id: "seq", at: "at_wall" },
} as const;

export type NumberedTable = keyof typeof NUMBERED;

/** The last number that each table of a database has given. */
export function lastNumbers(database: Database): Record<string, number> {
  const rows = database.prepare("SELECT name, seq FROM sqlite_sequence").all() as {
    name: string;
    seq: number;
  }[];
  return Object.fromEntries(rows.map(({ name, seq }) => [name, seq]));
}

/**
 * Numbers that a table has given and no row has, between its rows and behind the last one.
 * @param sinceMs rows made earlier may have been removed by age, and with them their neighbours
 * @param last the last number that is known to be given
 */
export function missingNumbers(
  database: Database,
  table: NumberedTable,
  { sinceMs, last }: { sinceMs: number; last: number },
): NumberRange[] {
  const { id, at } = NUMBERED[table];
  const gaps = database
    .prepare(
      `SELECT before + 1, id - 1 FROM (
         SELECT ${id} AS id, lag(${id}) OVER (ORDER BY ${id}) AS before, lag(${at}) OVER (ORDER BY ${id}) AS at FROM ${table})
       WHERE id > before + 1 AND at >= ?`,
    )
    .raw()
    .all(sinceMs) as NumberRange[];
  const newest = database.prepare(`SELECT coalesce(max(${id}), 0) FROM ${table}`).pluck().get() as number;
  return newest < last ? [...gaps, [newest + 1, last]] : gaps;
}

/** What is in `ranges` and not in `known`. */
export function without(ranges: readonly NumberRange[], known: readonly NumberRange[]): NumberRange[] {
  return known.reduce<readonly NumberRange[]>(
    (left, [first, last]) =>
      left.flatMap(([from, to]): NumberRange[] => [
        ...(from < first ? [[from, Math.min(to, first - 1)] as const] : []),
        ...(to > last ? [[Math.max(from, last + 1), to] as const] : []),
      ]),
    ranges,
  ) as NumberRange[];
}

/** How many numbers there are in ranges. */
export function countOf(ranges: readonly NumberRange[]): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

/** Ranges as people read them, such as `7, 12-15`; the first twenty of them. */
export function namesOf(ranges: readonly NumberRange[]): string {
  const shown = ranges
    .slice(0, 20)
    .map(([first, last]) => (first === last ? String(first) : `${first}-${last}`));
  return [...shown, ...(ranges.length > shown.length ? ["…"] : [])].join(", ");
}

/** Single numbers, ascending or not, as ranges. */
export function rangesOf(numbers: readonly number[]): NumberRange[] {
  const ranges: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const open = ranges.at(-1);
    if (open && number <= open[1] + 1) open[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
