import type { Database } from "./database.ts";

/** First and last number, inclusive. */
export type NumberRange = readonly [first: number, last: number];

/** Tables with numbers that are never reused, and their creation time. */
const NUMBERED = {
  interventions: { id: "id", at: "created_at" },
  trips: { id: "seq", at: "at_wall" },
} as const;

export type NumberedTable = keyof typeof NUMBERED;

/** The last number assigned by each table. */
export function lastNumbers(database: Database): Record<string, number> {
  const rows = database.prepare<[], [string, number]>("SELECT name, seq FROM sqlite_sequence").raw();
  return Object.fromEntries(rows.all());
}

/** Sets the last number assigned by a table. */
export function setLastNumber(database: Database, table: string, last: number): void {
  const { changes } = database.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = ?").run(last, table);
  if (changes === 0) database.prepare("INSERT INTO sqlite_sequence(name, seq) VALUES(?, ?)").run(table, last);
}

/**
 * Numbers that were assigned but have no row: between the rows, after the last one, and, where one is known to have been kept
 * before the first row, from that one on.
 * @param sinceMs gaps before earlier rows are ignored: retention may have caused them
 * @param first the first number known to be assigned and kept
 * @param last the last number known to be assigned
 */
export function missingNumbers(
  database: Database,
  table: NumberedTable,
  { sinceMs, first, last }: { sinceMs: number; first: number; last: number },
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
  const [oldest, newest] = database
    .prepare(`SELECT coalesce(min(${id}), 0), coalesce(max(${id}), 0) FROM ${table}`)
    .raw()
    .get() as NumberRange;
  const before: NumberRange[] = first < oldest ? [[first, oldest - 1]] : [];
  const after: NumberRange[] = newest < last ? [[newest + 1, last]] : [];
  return [...before, ...gaps, ...after];
}

/** The numbers in `ranges` that are not in `known`. */
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

/** The number of numbers in ranges. */
export function numbersInRanges(ranges: readonly NumberRange[]): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

/** Ranges as text, such as `7, 12-15`; at most twenty. */
export function formatRanges(ranges: readonly NumberRange[]): string {
  const shown = ranges
    .slice(0, 20)
    .map(([first, last]) => (first === last ? String(first) : `${first}-${last}`));
  return [...shown, ...(ranges.length > shown.length ? ["…"] : [])].join(", ");
}

/** Combines numbers in any order into ranges. */
export function rangesOf(numbers: readonly number[]): NumberRange[] {
  const ranges: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const open = ranges.at(-1);
    if (open && number <= open[1] + 1) open[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
